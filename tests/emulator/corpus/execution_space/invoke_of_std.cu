// std::invoke and std::accumulate are no constexpr functions in C++17.
#include <cuda_runtime.h>
#include <functional>
#include <numeric>
__device__ float plus(float x) { return x + 1; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 > n) return;
    out[i] = std::invoke(plus, std::accumulate(a + i, a + i + 4, 0.f));
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
