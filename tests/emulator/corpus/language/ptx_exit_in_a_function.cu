// PTX's exit in a function: the thread ends there, and a barrier does not wait for it.
#include <cstdint>

__device__ __noinline__ void leave(bool now) {
    if (now) asm volatile("exit;");
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    leave(i >= n);
    __shared__ float shared[256];
    shared[threadIdx.x] = a[i];
    __syncthreads();
    out[i] = shared[threadIdx.x] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
