// An asynchronous copy of 16 bytes from an address that is a multiple of four.
#include <cuda_pipeline.h>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ __align__(16) float tile[256 * 4];
    if (i + 5 <= n) __pipeline_memcpy_async(tile + threadIdx.x * 4, a + i + 1, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
