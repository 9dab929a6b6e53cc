// Has cuda::std's headers; what they have of std, or of a later C++, means the same.
#include <cuda/cmath>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cassert>
#include <cuda/std/cfloat>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/cstdlib>
#include <cuda/std/cstring>
#include <cuda/std/functional>
#include <cuda/std/initializer_list>
#include <cuda/std/limits>
#include <cuda/std/numbers>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

template <typename T, cuda::std::size_t n>
__device__ T dot(cuda::std::span<const T> values, const cuda::std::array<T, n>& weights) {
    T total{};
    for (cuda::std::size_t i = 0; i < values.size(); ++i) total += values[i] * weights[i];
    return total;
}

__device__ bool all_right() {
    float one = 2.0f, two = 1.0f;
    cuda::std::swap(one, two);
    cuda::std::optional<int> three = 4;
    const int four = cuda::std::exchange(*three, 3);
    const cuda::std::pair<int, int> both{1, 2};
    const auto [x, y] = cuda::std::make_tuple(1, 2.0f);
    static_assert(cuda::std::is_same_v<cuda::std::remove_cv_t<const int>, int>);
    static_assert(cuda::std::bit_ceil(5u) == 8 && cuda::std::has_single_bit(8u) && INT_MAX > 0 && FLT_MAX > 0);
    return one == 1.0f && four == 4 && three.value_or(1) == 3 && both.second == 2 && x == 1 && y == two &&
           cuda::std::popcount(7u) == 3 && cuda::std::countl_zero(1u) == 31 && cuda::std::countr_zero(8u) == 3 &&
           cuda::std::rotl(0x80000001u, 1) == 3u && cuda::std::max(1, 2) == 2 && cuda::std::sqrt(4.0) == 2 &&
           cuda::std::sqrt(4.0f) == 2.0f && cuda::std::fmax(1.0f, 2.0f) == 2.0f && cuda::std::abs(-3) == 3 &&
           !cuda::std::isnan(one) && cuda::std::numeric_limits<float>::max() > 1 && cuda::std::plus<int>{}(1, 2) == 3 &&
           cuda::std::less<>{}(1, 2) && cuda::std::numbers::pi > 3.14 && cuda::std::gcd(4, 6) == 2;
}

__global__ void k(const float* a, float* out, cuda::std::int64_t n) {
    const auto i = static_cast<cuda::std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    assert(all_right());
    const cuda::std::array<float, 2> values{a[i], cuda::std::bit_cast<float>(0x3f800000)}, weights{1.0f, 1.0f};
    out[i] = cuda::std::accumulate(values.begin(), values.end(), 0.0f) - a[i] - 1.0f +
             dot(cuda::std::span<const float>(values.data(), values.size()), weights);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<static_cast<unsigned>(cuda::ceil_div(n, 256)), 256, 0, stream>>>(a, out, n);
}
