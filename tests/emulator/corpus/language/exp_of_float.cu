// exp and its like have a form for float outside of std, too.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    static_assert(sizeof(exp(a[0])) == 4 && sizeof(pow(a[0], 2.0f)) == 4 && sizeof(exp(1)) == 8);
    if (i < n) out[i] = a[i] + exp(a[i] - a[i]);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
