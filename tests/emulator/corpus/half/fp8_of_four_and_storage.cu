// Fp8 by fours and by its storage type, the functions of conversion with saturation and by halves.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
__device__ float back(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(x, kind)));
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const __nv_fp8x4_e4m3 q(make_float4(1.0f, -2.0f, 0.5f, 448.0f));
    const float4 f = static_cast<float4>(q);
    bool ok = f.x == 1 && f.y == -2 && f.z == 0.5f && f.w == 448 && sizeof q == 4;
    const __nv_fp8x2_storage_t two = __nv_cvt_float2_to_fp8x2(make_float2(3.0f, 1000.0f), __NV_SATFINITE, __NV_E4M3);
    ok = ok && (two & 0xff) == 0x44 && (two >> 8) == 0x7e;
    ok = ok && back(__nv_cvt_float_to_fp8(-0.25f, __NV_SATFINITE, __NV_E5M2), __NV_E5M2) == -0.25f;
    const __half2 h = __half2(__nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3));
    ok = ok && __low2float(h) == 3 && __high2float(h) == 448;
    __nv_fp8_e5m2 one;
    one.__x = __nv_cvt_double_to_fp8(1.0, __NV_NOSAT, __NV_E5M2);
    out[i] = a[i] + (ok ? static_cast<float>(one) : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
