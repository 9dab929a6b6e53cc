// PTX rounds floats to half towards zero, down and up, saturates them to [0, 1], and makes 0 of negative ones.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__device__ float back(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = a[i] + 1.0f / 4096.0f + 0.00001f;
    unsigned short zero, near, saturated, sat_near, relu, none;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(zero) : "f"(-x));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(near) : "f"(x));
    asm("cvt.rn.sat.f16.f32 %0, %1;" : "=h"(saturated) : "f"(x + 3.0f));
    asm("cvt.rz.sat.f16.f32 %0, %1;" : "=h"(sat_near) : "f"(-x));
    asm("cvt.rn.relu.f16.f32 %0, %1;" : "=h"(relu) : "f"(-x));
    asm("cvt.rz.relu.f16.f32 %0, %1;" : "=h"(none) : "f"(x));
    float f;
    asm("cvt.sat.f32.f16 %0, %1;" : "=f"(f) : "h"(__half_as_ushort(__float2half_rn(2.5f))));
    unsigned pair;
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(-x), "f"(x));
    unsigned short of_double;
    asm("cvt.rp.f16.f64 %0, %1;" : "=h"(of_double) : "d"(double(x)));
    const bool ok = back(zero) >= -x && back(zero) < -x * 0.998f && fabsf(back(near) - x) <= x / 2048.0f && back(saturated) == 1.0f && back(sat_near) == 0.0f && relu == 0 && back(none) <= x &&
                    f == 1.0f && pair >> 16 == 0 && (pair & 0xffff) == near && back(of_double) >= x && back(of_double) <= x * 1.0011f;
    out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 127) / 128, 128>>>(a, out, n); }
