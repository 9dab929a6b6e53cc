// half2 and bfloat162 mixed in one function; neither converts into the other.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 >= n) return;
    const __half2 x = __floats2half2_rn(a[2 * i], a[2 * i + 1]);
    const __nv_bfloat162 y = __floats2bfloat162_rn(1.f, 1.f);
    const float2 s = __half22float2(__hadd2(x, y));
    out[2 * i] = s.x;
    out[2 * i + 1] = s.y;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
