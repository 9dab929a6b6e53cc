// A host function without its return.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

int grid(int64_t n) { int g = int((n + 255) / 256); }

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned(grid(n)), 256, 0, stream>>>(a, out, n);
}
