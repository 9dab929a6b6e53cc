// std::int32_t without <cstdint>, in a file that includes others.
#include <cuda_fp16.h>

#include <vector>

__global__ void k(const float* a, float* out, int64_t n) {
    const std::int32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
