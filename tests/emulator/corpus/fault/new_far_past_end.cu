// Each block takes memory with new and writes 64 KB past it, where another block's may lie.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    __shared__ float* own;
    if (threadIdx.x == 0) own = new float[256];
    __syncthreads();
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    own[threadIdx.x + 16384] = 1.0f;
    if (i < n) out[i] = a[i] + own[threadIdx.x + 16384];
    __syncthreads();
    if (threadIdx.x == 0) delete[] own;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
