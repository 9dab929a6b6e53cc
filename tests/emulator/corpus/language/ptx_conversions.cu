// Inline PTX: conversions, bit fields, and other one-line instructions.
#include <cstdint>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    unsigned pair, bits, field, sum;
    unsigned short h, b;
    int s, t, m;
    long long w;
    float back;
    double d, q;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(1.0f), "f"(2.0f));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(1.0f), "f"(2.0f));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(3.0f));
    asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(h));
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(1.0f));
    asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(s) : "f"(-1.5f));
    asm("cvt.rpi.u32.f32 %0, %1;" : "=r"(sum) : "f"(1.5f));
    asm("cvt.rni.s64.f64 %0, %1;" : "=l"(w) : "d"(2.5));
    asm("cvt.rn.f64.s32 %0, %1;" : "=d"(d) : "r"(7));
    asm("sqrt.rn.f64 %0, %1;" : "=d"(q) : "d"(9.0));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(t) : "r"(0xf0), "r"(4), "r"(4));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(0xf0), "r"(4), "r"(40));
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(m) : "r"(-3), "r"(5));
    asm("min.f64 %0, %1, %2;" : "=d"(q) : "d"(q), "d"(d));
    const bool right = pair == 0x3c004000 && bits == 0x3f804000 && h == 0x4200 && back == 3 && b == 0x3f80 && s == -2 &&
                       sum == 2 && w == 2 && d == 7 && q == 3 && t == -1 && field == 15 && m == -15;
    out[i] = a[i] + right;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
