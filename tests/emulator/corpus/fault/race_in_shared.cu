// Reads a neighbour without a barrier, in the other warp.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ float s[256];
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    const float other = s[threadIdx.x ^ 255];
    if (i < n) out[i] = other * 0.0f + a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
