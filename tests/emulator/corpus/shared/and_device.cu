// A variable that is __shared__ and __device__.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ __device__ float s[256];
    s[threadIdx.x] = 1.0f;
    if (i < n) out[i] = a[i] + s[threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
