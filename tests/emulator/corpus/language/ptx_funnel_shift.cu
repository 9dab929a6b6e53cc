// Inline PTX: shf.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    unsigned s;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(s) : "r"(2u), "r"(0u), "r"(1u));
    out[i] = a[i] + s;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
