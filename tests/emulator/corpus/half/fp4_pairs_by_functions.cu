// Pairs of fp4 by the functions of <cuda_fp4.h>: from float, half and bfloat16, and back as half.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>

__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 two = make_float2(1.4f, -5.2f);  // 1.5 and -6 are the nearest
    const __nv_fp4x2_storage_t f = __nv_cvt_float2_to_fp4x2(two, __NV_E2M1, cudaRoundNearest);
    const __nv_fp4x2_storage_t h = __nv_cvt_halfraw2_to_fp4x2(__float22half2_rn(two), __NV_E2M1, cudaRoundNearest);
    const __nv_fp4_storage_t b = __nv_cvt_bfloat16raw_to_fp4(__float2bfloat16(1.4f), __NV_E2M1, cudaRoundNearest);
    const float2 back = __half22float2(__half2(__nv_cvt_fp4x2_to_halfraw2(f, __NV_E2M1)));
    out[i] = a[i] + (f == h && (f & 15) == b && back.x == 1.5f && back.y == -6.f);
}

extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
