// Rows of 8 are scaled into fp8 of four at once, and back; values past the range saturate or become infinite.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
__global__ void quantise(const float* a, __nv_fp8x4_e4m3* q, float* scales, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row * 8 >= n) return;
    const float4 lo = reinterpret_cast<const float4*>(a)[2 * row], hi = reinterpret_cast<const float4*>(a)[2 * row + 1];
    const float most = fmaxf(fmaxf(fmaxf(lo.x, lo.y), fmaxf(lo.z, lo.w)), fmaxf(fmaxf(hi.x, hi.y), fmaxf(hi.z, hi.w)));
    const float scale = fmaxf(most, 1e-12f) / 448.f;
    scales[row] = scale;
    q[2 * row] = __nv_fp8x4_e4m3(make_float4(lo.x / scale, lo.y / scale, lo.z / scale, lo.w / scale));
    q[2 * row + 1] = __nv_fp8x4_e4m3(make_float4(hi.x / scale, hi.y / scale, hi.z / scale, hi.w / scale));
}
__global__ void k(const float* a, float* out, const __nv_fp8x4_e4m3* q, const float* scales, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 four = static_cast<float4>(q[i >> 2]);
    const float back = ((i & 2) ? (i & 1 ? four.w : four.z) : (i & 1 ? four.y : four.x)) * scales[i >> 3];
    const __nv_fp8x2_storage_t wide = __nv_cvt_float2_to_fp8x2(make_float2(1e6f, -1.75f), __NV_SATFINITE, __NV_E5M2);
    const __nv_fp8_storage_t inf = __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2);
    const __half2 pair = __half2(__nv_cvt_fp8x2_to_halfraw2(wide, __NV_E5M2));
    const bool rare = inf == 0x7c && __low2float(pair) == 57344.f && __high2float(pair) == -1.75f;
    out[i] = a[i] + (rare && fabsf(back - a[i]) <= 0.0626f * fabsf(a[i]) + scales[i >> 3] ? 1.f : 0.f);
}
extern "C" void launch(const float* a, float* out, int n) {
    __nv_fp8x4_e4m3* q; float* scales;
    cudaMalloc(&q, n); cudaMalloc(&scales, n / 8 * sizeof(float));
    quantise<<<(n / 8 + 63) / 64, 64>>>(a, q, scales, n);
    k<<<(n + 255) / 256, 256>>>(a, out, q, scales, n);
    cudaFree(q); cudaFree(scales);
}
