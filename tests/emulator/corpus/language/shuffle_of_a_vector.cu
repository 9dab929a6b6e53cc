// __shfl_down_sync of a float4.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = make_float4(i < n ? a[i] : 0.0f, 1, 0, 0);
    for (int d = 16; d; d /= 2) {
        const float4 w = __shfl_down_sync(0xffffffff, v, d);
        v.y = fmaxf(v.y, w.y);
    }
    if (i < n) out[i] = v.x + v.y;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
