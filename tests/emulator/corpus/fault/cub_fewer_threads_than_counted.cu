// A reduction for 1024 threads that is not told how many threads the blocks have: 200.
#include <cstdint>
#include <cub/block/block_reduce.cuh>

__global__ void add_one(const float* a, float* out, int64_t n) {
    using Reduce = cub::BlockReduce<float, 1024>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float count;
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const float sum = Reduce(storage).Sum(1.f);
    if (threadIdx.x == 0) count = sum;
    __syncthreads();
    if (i < n) out[i] = a[i] + count / 200.f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    add_one<<<static_cast<unsigned>((n + 199) / 200), 200, 0, stream>>>(a, out, n);
}
