// A kernel is declared and launched, and nowhere defined.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n);

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
