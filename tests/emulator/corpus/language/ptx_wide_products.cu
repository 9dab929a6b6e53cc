// Inline PTX: mad.wide and mul.hi.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    long long r;
    unsigned h;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(r) : "r"(2), "r"(3), "l"(-5ll));
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(h) : "r"(0x80000000u), "r"(2u));
    out[i] = a[i] + r * h;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
