// cuda::is_power_of_two and next_power_of_two are not in CUDA 13.0, bitmask cannot find its type.
#include <cuda/bit>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/cstdint>
#include <cuda/std/numeric>
#include <cuda/std/utility>
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const auto u = cuda::std::bit_cast<cuda::std::uint32_t>(1.0f);
    bool good = u == 0x3f800000u && cuda::ceil_div(10, 4) == 3 && cuda::round_up(10, 4) == 12 && cuda::round_down(10, 4) == 8;
    good &= cuda::ilog2(1000) == 9 && cuda::is_power_of_two(64u) && cuda::next_power_of_two(65u) == 128u;
    good &= cuda::maximum<int>{}(3, 5) == 5 && cuda::minimum<>{}(3.f, 5.f) == 3.f;
    good &= cuda::std::midpoint(2, 8) == 5 && cuda::std::gcd(12, 18) == 6 && cuda::std::lcm(4, 6) == 12;
    good &= cuda::bitmask(4, 8) == 0xff0 && cuda::bitfield_extract(0xabcdu, 4, 8) == 0xbcu;
    int x = i, y = cuda::std::exchange(x, 7);
    cuda::std::swap(x, y);
    good &= x == i && y == 7 && cuda::std::cmp_less(-1, 1u) && cuda::std::has_single_bit(8u);
    out[i] = a[i] + good;
}
extern "C" void launch(const float* a, float* out, int n) {
    const int block = 96;
    k<<<cuda::ceil_div(n, block), block>>>(a, out, n);
}
