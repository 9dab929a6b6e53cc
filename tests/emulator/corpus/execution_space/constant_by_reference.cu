// std::min takes references, and a constant of the host has no address in device code.
#include <algorithm>
#include <cstdint>

constexpr int kMost = 5;

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const int few = std::min(static_cast<int>(threadIdx.x), kMost);
    if (i < n) out[i] = a[i] + (few <= 5 ? 1.0f : 0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
