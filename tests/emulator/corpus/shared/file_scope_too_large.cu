// A shared array of more than 48 KB outside of functions.
#include <cstdint>

__shared__ float s[12289];
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    s[threadIdx.x] = 1.0f;
    if (i < n) out[i] = a[i] + s[threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
