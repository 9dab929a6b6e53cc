// A reduction for 1024 threads in blocks of 200, of which it is told the number.
#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>

__global__ void add_one(const float* a, float* out, int64_t n) {
    using Reduce = cub::BlockReduce<float, 1024>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float ones, most;
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const float count = Reduce(storage).Sum(1.f, blockDim.x);
    __syncthreads();
    const float largest = Reduce(storage).Reduce(static_cast<float>(threadIdx.x), cuda::maximum<>{}, blockDim.x);
    if (threadIdx.x == 0) {
        ones = count;
        most = largest;
    }
    __syncthreads();
    if (i < n) out[i] = a[i] + (ones - most);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    add_one<<<static_cast<unsigned>((n + 199) / 200), 200, 0, stream>>>(a, out, n);
}
