// consteval needs C++20; constexpr would do.
#include <cuda_runtime.h>
consteval int padded(int n) { return (n + 31) / 32 * 33; }
__global__ void k(const float* a, float* out, int n) {
    __shared__ float s[padded(256)];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t + t / 32] = i < n ? a[i] : 0.f;
    __syncthreads();
    if (i < n) out[i] = s[t + t / 32] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
