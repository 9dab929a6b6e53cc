// What the standard library has as constexpr runs in a kernel: clamp, tuple, pair, array, get, limits.
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
constexpr std::array<float, 4> kParts = {0.125f, 0.125f, 0.25f, 0.5f};
template <class Tuple, std::size_t... Is>
__device__ float add(const Tuple& t, std::index_sequence<Is...>) { return (std::get<Is>(t) + ... + 0.f); }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    constexpr float total = kParts[0] + kParts[1] + std::get<2>(kParts) + kParts.back();
    static_assert(total == 1.0f);
    const auto t = std::make_tuple(a[i], std::clamp(i, 0, 0), 0.0);
    const std::pair<float, int> best{add(t, std::make_index_sequence<3>{}), 7};
    float x = best.first;
    using Limits = std::numeric_limits<std::decay_t<decltype(x)>>;
    if (std::max({x, 0.f, -1.f}) > Limits::max() / 2 || std::min(best.second, 9) != 7) x = Limits::quiet_NaN();
    out[i] = x + total;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
