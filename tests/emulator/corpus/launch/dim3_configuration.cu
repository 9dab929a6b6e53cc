// dim3 values and a grid of two dimensions.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    const dim3 grid(unsigned((n + 255) / 256), 1), block(256);
    k<<<grid, block, 0, stream>>>(a, out, n);
}
