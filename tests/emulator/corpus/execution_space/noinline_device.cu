// __noinline__ and __forceinline__ device functions.
#include <cstdint>

__device__ __noinline__ float one(float x) { return x + 1.0f; }
__device__ __forceinline__ float two(float x) { return x; }
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = one(a[i]) + two(0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
