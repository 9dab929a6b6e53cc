// PTX says what type a register is read as, not its variable: -1 in an unsigned one; and conversions of bytes and halves.
#include <cuda_fp16.h>

#include <cstdint>

__device__ bool converted() {
    float f[6], doubled;
    double d[3];
    const unsigned minus_one = 0xffffffffu;
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f[0]) : "r"(minus_one));
    asm("cvt.rn.f32.s64 %0, %1;" : "=f"(f[1]) : "l"(~0ull));
    asm("cvt.rn.f32.s16 %0, %1;" : "=f"(f[2]) : "h"(static_cast<unsigned short>(0xffff)));
    asm("cvt.rn.f32.u16 %0, %1;" : "=f"(f[3]) : "h"(static_cast<short>(-1)));
    asm("cvt.rn.f32.s8 %0, %1;" : "=f"(f[4]) : "r"(0x1ffu));
    asm("cvt.rz.f32.u8 %0, %1;" : "=f"(f[5]) : "r"(0x1ff));
    asm("cvt.rn.f64.s32 %0, %1;" : "=d"(d[0]) : "r"(minus_one));
    asm("cvt.rn.f64.u32 %0, %1;" : "=d"(d[1]) : "r"(-1));
    asm("cvt.f64.f16 %0, %1;" : "=d"(d[2]) : "h"(__half_as_ushort(__float2half(2.5f))));
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(doubled) : "r"(-1));
    return f[0] == -1.0f && f[1] == -1.0f && f[2] == -1.0f && f[3] == 65535.0f && f[4] == -1.0f && f[5] == 255.0f && d[0] == -1.0 &&
           d[1] == 4294967295.0 && d[2] == 2.5 && doubled == 4294967296.0f;
}

__device__ short byte_of(float value) {
    short byte;
    asm volatile("cvt.rni.sat.s8.f16 %0, %1;" : "=h"(byte) : "h"(__half_as_ushort(__float2half(value))));
    return byte;
}

__device__ bool of_halves() {
    unsigned of_bits;
    long long of_word;
    unsigned short rounded, of_number;
    asm("cvt.rzi.u8.f16 %0, %1;" : "=r"(of_bits) : "h"(__half_as_ushort(__float2half(300.0f))));
    asm("cvt.rmi.s64.f16 %0, %1;" : "=l"(of_word) : "h"(__half_as_ushort(__float2half(-2.5f))));
    asm("cvt.rpi.f16.f16 %0, %1;" : "=h"(rounded) : "h"(__half_as_ushort(__float2half(1.25f))));
    asm("cvt.rn.f16.s8 %0, %1;" : "=h"(of_number) : "r"(0xfeu));
    return byte_of(2.5f) == 2 && byte_of(200.0f) == 127 && byte_of(-200.0f) == -128 && of_bits == 255 && of_word == -3 &&
           __half2float(__ushort_as_half(rounded)) == 2.0f && __half2float(__ushort_as_half(of_number)) == -2.0f;
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (converted() && of_halves() ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
