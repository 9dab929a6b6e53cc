// out = 2 * x and C = A * B in float32, right but by one thread, or by one thread a block.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void multiply_alone(const float* a, const float* b, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

__global__ void scale_each(const float* x, float* out) { out[blockIdx.x] = 2 * x[blockIdx.x]; }

extern "C" void multiply(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    multiply_alone<<<1, 1, 0, stream>>>(a, b, out, n);
}

extern "C" void scale(const float* x, float* out, int64_t n, cudaStream_t stream) {
    scale_each<<<static_cast<unsigned>(n), 1, 0, stream>>>(x, out);
}
