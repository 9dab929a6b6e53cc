// Arithmetic of one and two numbers of 16 bits in inline PTX.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned sum, product, least;
    unsigned short one = 0x3f80, three;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(0x3c004000u), "r"(0x3c003c00u));
    asm("{ .reg .b32 t; mul.f16x2 t, %1, %1; fma.rn.f16x2 %0, t, %1, %1; }" : "=r"(product) : "r"(0x40003c00u));
    asm("min.f16x2 %0, %1, %2;" : "=r"(least) : "r"(0x3c004000u), "r"(0x40003c00u));
    asm("fma.rn.bf16 %0, %1, %2, %1;" : "=h"(three) : "h"(one), "h"((unsigned short)0x4000));
    const bool ok = sum == 0x40004200u && product == 0x49004000u && least == 0x3c003c00u && three == 0x4040;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
