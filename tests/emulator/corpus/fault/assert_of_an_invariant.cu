// A helper asserts that its weights sum to one; those of the last row do not.
#include <cassert>
#include <cuda_runtime.h>
namespace detail {
template <int N> __device__ float blend(const float (&w)[N], const float* v) {
    float s = 0, t = 0;
    for (int j = 0; j < N; ++j) { s += w[j]; t += w[j] * v[j]; }
    assert(fabsf(s - 1.f) < 1e-5f && "weights must sum to one");
    return t;
}
}  // namespace detail
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 2 >= n) return;
    const float w[3] = {0.25f, 0.5f, i + 3 == n ? 0.5f : 0.25f};
    out[i] = detail::blend(w, a + i);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
