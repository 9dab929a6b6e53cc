// Inline PTX: an operand of 4 bytes where the instruction takes 8.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    float y;
    asm("add.f64 %0, %1, %2;" : "=f"(y) : "f"(a[i]), "f"(1.0f));
    out[i] = y;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
