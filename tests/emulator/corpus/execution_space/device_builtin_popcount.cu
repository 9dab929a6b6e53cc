// One that it has for kernels, too, and one of constants, which is no call.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (__builtin_popcount(threadIdx.x) >= 0 ? __builtin_ctz(2) : 0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
