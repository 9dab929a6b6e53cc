// A template of shared arrays outside of functions.
#include <cstdint>

template <class T> __shared__ T s[256];
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    s<float>[threadIdx.x] = 1.0f;
    if (i < n) out[i] = a[i] + s<float>[threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
