// Kernels in nested and unnamed namespaces with default arguments, launched by a pack of settings and by a member.
#include <cuda_runtime.h>
#include <tuple>
#include <utility>
namespace outer::inner {
inline namespace v2 {
template <class T = float, int Unroll = 2> __global__ void add(const T* __restrict__ a, T* __restrict__ out, int n, T by) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * Unroll;
#pragma unroll Unroll
    for (int j = 0; j < Unroll; ++j) if (first + j < n) out[first + j] = a[first + j] + by;
}
}
}
namespace {
struct Settings {
    dim3 grid, block;
    std::size_t bytes = 0;
    cudaStream_t stream = nullptr;
    template <class... Ps, class... As> void run(void (*kernel)(Ps...), As&&... as) const {
        kernel<<<grid, block, bytes, stream>>>(std::forward<As>(as)...);
    }
};
template <int... Us, class F> void for_each_width(std::integer_sequence<int, Us...>, F f) {
    (f(std::integral_constant<int, Us>{}), ...);
}
__global__ void copy(const float* from, float* to, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];
}
}
extern "C" {
static int blocks(int n, int of) { return n / of + (n % of != 0); }
__attribute__((visibility("default"))) void launch(const float* a, float* out, int n) {
    namespace o = outer::inner;
    Settings{dim3(1), dim3(1024)}.run(copy, a, out, n);
    for_each_width(std::integer_sequence<int, 1, 2, 4, 8>{}, [&](auto width) {
        constexpr int u = decltype(width)::value;
        const Settings s{dim3(blocks(n, 64 * u)), dim3(64)};
        s.run(&o::add<float, u>, out, out, n, 0.125f);
    });
    const auto [kernel, by] = std::make_pair(&o::add<>, 0.5f);
    kernel<<<blocks(n, 128), 64>>>(out, out, n, by);
}
}
