// A type of the launcher as a template argument.
#include <cstdint>

template <typename F>
__global__ void k(const float* a, float* out, int64_t n, F f) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + f.v;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    struct One { float v; };
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, One{1.0f});
}
