// A volatile float4 in shared memory is copied; its class has no such constructor.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    __shared__ volatile float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    tile[threadIdx.x].x = a[4 * i];
    const float4 v = tile[threadIdx.x];
    out[4 * i] = v.x + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n / 4 + 63) / 64, 64>>>(a, out, n); }
