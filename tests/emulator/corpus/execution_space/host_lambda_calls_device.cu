// A lambda inside of a launcher is host code.
#include <cstdint>

__global__ void k(const float* a, float* out, float one, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + one;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    auto power = [](float x) { return __expf(x); };
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, power(0.0f), n);
}
