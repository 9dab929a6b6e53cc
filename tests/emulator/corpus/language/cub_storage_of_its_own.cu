// CUB collectives that are given no storage: they have some of their own.
#include <cub/cub.cuh>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    int before = 0;
    cub::BlockScan<int, 256>().ExclusiveSum(1, before);
    __shared__ int total;
    const int sum = cub::BlockReduce<int, 256>().Sum(1);
    if (threadIdx.x == 0) total = sum;
    __syncthreads();
    if (i < n) out[i] = a[i] + (before == int(threadIdx.x) && total == 256 ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
