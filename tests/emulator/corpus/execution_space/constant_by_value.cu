// A copy of a constant, one of the kernel's own, and constants alone.
#include <algorithm>
#include <cstdint>

constexpr int kMost = 5;
constexpr int kLeast = 0;

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    constexpr int kOwn = 5;
    const int x = threadIdx.x;
    const int few = std::min(x, int(kMost)) + std::min(x, kOwn) + std::min(kMost, kLeast) + min(x, kMost);
    if (i < n) out[i] = a[i] + (few <= 15 ? 1.0f : 0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
