// reinterpret_cast from const float* to float4* casts away const.
#include <cuda_runtime.h>
__global__ void k(const float* __restrict__ a, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    const float4 v = *reinterpret_cast<float4*>(a + 4 * i);
    *reinterpret_cast<float4*>(out + 4 * i) = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n / 4 + 63) / 64, 64>>>(a, out, n); }
