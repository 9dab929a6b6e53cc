// A sum by shuffles of the whole warp lies in a branch that only the even lanes take.
#include <cuda_runtime.h>
__device__ float sum_of_warp(float x) {
    for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = i < n ? a[i] : 0.f;
    float s = 0;
    if (threadIdx.x % 2 == 0) s = sum_of_warp(x);
    __syncwarp();
    s = __shfl_sync(0xffffffffu, s, 0);
    if (i < n) out[i] = a[i] + (s >= 0 ? 1.f : 0.f);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
