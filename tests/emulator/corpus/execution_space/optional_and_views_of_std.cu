// std::optional, string_view, byte, initializer_list and chrono's durations, as far as they are constexpr.
#include <cuda_runtime.h>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
__device__ std::optional<float> positive(float x) { if (x >= 0) return x; return std::nullopt; }
__device__ float sum(std::initializer_list<float> xs) { float s = 0; for (float x : xs) s += x; return s; }
__global__ void k(const float* a, float* out, int n) {
    using namespace std::chrono_literals;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    constexpr std::string_view name = "kernel";
    constexpr auto wait = std::chrono::milliseconds(2s);
    const std::byte b{0x0f};
    const bool good = name.size() == 6 && name[0] == 'k' && wait.count() == 2000 && std::to_integer<int>(b << 4) == 0xf0;
    const auto x = positive(a[i]);
    out[i] = x.has_value() && good ? *x + sum({0.5f, 0.25f, 0.25f}) : x.value_or(-1.f);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
