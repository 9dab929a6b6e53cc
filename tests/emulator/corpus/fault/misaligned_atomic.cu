// An atomicAdd of eight bytes at an address that is a multiple of four.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ int counts[4];
    if (threadIdx.x < 4) counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(reinterpret_cast<unsigned long long*>(counts + 1), 1ull);
    __syncthreads();
    if (i < n) out[i] = a[i] + (counts[1] > 0);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
