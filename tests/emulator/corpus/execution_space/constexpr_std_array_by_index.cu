// A constexpr std::array gives its elements by constant numbers only.
#include <cstdint>
#include <array>

constexpr std::array<float, 2> ones = {1.0f, 1.0f};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + ones[i % 2];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
