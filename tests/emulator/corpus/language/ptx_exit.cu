// Threads that leave by PTX, before a barrier and by a predicate.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) asm volatile("exit;" ::: "memory");
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, 0; @p exit; }" :: "r"(int(i)));
    __syncthreads();
    out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
