// Each warp loops as often as its rows want, with a barrier in the loop.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    __shared__ float tile[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, rounds = 1 + t / 32;
    float s = 0;
    for (int r = 0; r < rounds; ++r) {
        tile[t] = i < n ? a[i] : 0.0f;
        __syncthreads();
        s += tile[t ^ 1];
        __syncthreads();
    }
    if (i < n) out[i] = a[i] + (s >= 0 ? 1 : 0);
    if (t < 64) __syncthreads();
    if (t < 64 && i < n) out[i] += tile[t ^ 64] * 0;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 127) / 128, 128>>>(a, out, n); }
