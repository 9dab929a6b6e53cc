// Lanes ask who is there, and some of their warp have left, while the other warps wait at a barrier in shared memory.
#include <cuda/barrier>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ cuda::barrier<cuda::thread_scope_block> told;
    __shared__ int lanes;
    if (threadIdx.x == 0) init(&told, blockDim.x - 31);
    __syncthreads();
    if (threadIdx.x >= 32) {
        told.arrive_and_wait();
    } else if (threadIdx.x < 12) {
        const unsigned there = __activemask();
        __syncwarp(there);
        if (threadIdx.x == 0) {
            lanes = __popc(there);
            (void)told.arrive();
        }
    }
    if (i < n) out[i] = a[i] + 1.0f + (threadIdx.x >= 32 ? lanes - 12 : 0);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
