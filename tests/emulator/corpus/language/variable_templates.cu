// Variable templates, inline and static constants of device code, and a class's static device function.
#include <cuda_runtime.h>
template <class T> __device__ T zero = T(0);
template <class T> constexpr T half_of = T(1) / T(2);
template <int N> __constant__ float weights[N] = {0.25f, 0.25f};
static __device__ float scale = 1.0f;
static __constant__ float quarter = 0.25f;
namespace deep { inline namespace v1 { __device__ constexpr int kCount[3] = {1, 2, 3}; } }
template <class T> struct Traits { static __device__ __forceinline__ T one() { return T(1); } static constexpr bool kWide = sizeof(T) > 4; };
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float w = weights<2>[i & 1] + quarter + half_of<float>;
    out[i] = a[i] * scale + (Traits<float>::kWide ? 5.f : zero<float>) + w * Traits<float>::one() * (deep::kCount[i % 3] == i % 3 + 1);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
