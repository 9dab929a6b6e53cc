// __shared__ float s[3], the first two read as a float2.
#include <cstdint>
#include <cuda_fp16.h>

__global__ void k(const float* a, float* out, int64_t n) {
    __shared__ float s[3];
    if (threadIdx.x < 3) s[threadIdx.x] = 0.5f;
    __syncthreads();
    const float2 v = *reinterpret_cast<const float2*>(s);
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + v.x + v.y;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
