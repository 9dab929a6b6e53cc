// A write past the end of a shared array outside of functions.
#include <cstdint>

__shared__ float s[256];

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    s[threadIdx.x + 1] = 1.0f;
    __syncthreads();
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
