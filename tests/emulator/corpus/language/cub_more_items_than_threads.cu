// What a reduction of CUB takes for the number of threads is here that of the items, four to a thread: all threads count.
#include <cub/cub.cuh>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    using Block = cub::BlockReduce<int, 128>;
    using Part = cub::WarpReduce<int, 20>;
    __shared__ typename Block::TempStorage storage;
    __shared__ typename Part::TempStorage of_warps[4];
    __shared__ bool ok;
    const int thread = int(threadIdx.x);
    if (thread == 0) ok = true;
    const int sum = Block(storage).Sum(thread, 512);
    __syncthreads();
    const int largest = Block(storage).Reduce(thread, [](int one, int other) { return one > other ? one : other; }, 300);
    __syncthreads();
    const int few = Block(storage).Sum(thread, 3);
    if (thread % 32 < 20) {
        const int of_part = Part(of_warps[thread / 32]).Sum(1, 80);
        if (thread == 0) ok = of_part == 20 && sum == 8128 && largest == 127 && few == 3;
    }
    __syncthreads();
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 127) / 128), 128, 0, stream>>>(a, out, n);
}
