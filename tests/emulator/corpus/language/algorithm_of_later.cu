// <cuda/std/algorithm>, with its sorts, came after CUDA 13.0.
#include <cuda/cmath>
#include <cuda/std/bit>
#include <cuda/std/tuple>
#include <cuda/std/array>
#include <cuda/std/utility>
#include <cuda/std/algorithm>
#include <cuda_runtime.h>
__device__ cuda::std::tuple<int, float, bool> parts(float x) {
    return {static_cast<int>(x * 10), x, x > 0.5f};
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto [tenth, x, is_large] = parts(a[i]);
    cuda::std::array<int, 5> v{5, 1, 4, 2, 3};
    cuda::std::sort(v.begin(), v.end());
    const auto found = cuda::std::lower_bound(v.begin(), v.end(), 4) - v.begin();
    const auto [low, high] = cuda::std::minmax(3, 7);
    bool ok = cuda::ceil_div(n, 256) == (n + 255) / 256 && cuda::round_up(13, 8) == 16 && cuda::round_down(13, 8) == 8;
    ok = ok && cuda::ilog2(1000u) == 9 && cuda::std::bit_ceil(33u) == 64 && cuda::std::popcount(0xf0u) == 4;
    ok = ok && cuda::std::has_single_bit(64u) && cuda::std::countr_zero(8u) == 3 && cuda::std::rotl(1u, 33) == 2;
    ok = ok && found == 3 && cuda::std::exchange(tenth, 3) >= 0 && tenth == 3 && is_large == (a[i] > 0.5f);
    ok = ok && cuda::std::clamp(9, 1, 5) == 5 && low == 3 && high == 7;
    ok = ok && cuda::std::bit_cast<unsigned>(1.0f) == 0x3f800000u;
    out[i] = x + ok;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
