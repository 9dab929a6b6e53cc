// cuda::std::optional with transform, and_then and value_or.
#include <cuda/std/optional>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    cuda::std::optional<float> x;
    x = a[i];
    const auto y = x.transform([](float v) { return v + 0.5f; }).and_then([](float v) { return cuda::std::optional<float>(v); });
    x.reset();
    out[i] = x == cuda::std::nullopt && y ? y.value() + x.value_or(0.5f) : 0.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
