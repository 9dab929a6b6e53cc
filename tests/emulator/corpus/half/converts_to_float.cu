// float y = a half: an implicit conversion.
#include <cstdint>
#include <cuda_fp16.h>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    half x = 1.0f;
    float y = x;
    if (i < n) out[i] = a[i] + y;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
