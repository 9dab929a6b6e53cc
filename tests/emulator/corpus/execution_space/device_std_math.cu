// The C++ library's mathematics for float, double and integers.
#include <cmath>
#include <cstdint>
#include <cstdlib>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    int e;
    const double zero = std::sqrt(4.0) - 2 + std::abs(0) + std::abs(0L) + std::floor(0.5) + std::fabs(-0.0) + std::lrint(0.4);
    const float half = std::frexp(1.0f, &e);
    if (i < n) out[i] = std::fma(a[i], 1.0f, half + 0.5f) + static_cast<float>(zero);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
