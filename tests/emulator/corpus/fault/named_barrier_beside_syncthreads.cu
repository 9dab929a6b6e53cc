// A named barrier counts all warps, one of which waits at __syncthreads().
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
    if (threadIdx.x < 32) __syncthreads();
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
