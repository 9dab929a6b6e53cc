// Pairs of halves through functions seldom used: relu'd products, complex products, atomics, NaN maxima.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__device__ __half2 sums;
__device__ __nv_bfloat16 total;
__device__ bool near(float x, float y) { return fabsf(x - y) < 0.02f; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 x = __floats2half2_rn(1.5f, -2.0f), y = __half2half2(__float2half(2.0f));
    const __half2 r = __hfma2_relu(x, y, __float2half2_rn(0.5f));
    bool ok = near(__low2float(r), 3.5f) && near(__high2float(r), 0.0f);
    const __half2 c = __hcmadd(__floats2half2_rn(0, 1), __floats2half2_rn(0, 1), __floats2half2_rn(2, 0));
    ok = ok && near(__low2float(c), 1.0f) && near(__high2float(c), 0.0f);
    const float2 e = __half22float2(h2exp2(x));
    ok = ok && near(e.x, 2.828f) && near(e.y, 0.25f) && near(__half2float(hrcp(__float2half(4.0f))), 0.25f);
    ok = ok && __hisnan(__hmax_nan(__ushort_as_half(0x7e00), __float2half(1))) && __hbgt2(y, x);
    const __nv_bfloat162 b = __float22bfloat162_rn(make_float2(3.0f, 4.0f));
    const float2 f = __bfloat1622float2(__hmul2(b, b));
    ok = ok && f.x == 9 && f.y == 16 && __bfloat162float(__low2bfloat16(__habs2(__hneg2(b)))) == 3;
    ok = ok && __half2int_rz(__hdiv(__float2half(7), __float2half(2))) == 3 && __half2uint_ru(__float2half(2.25f)) == 3;
    ok = ok && __half_as_ushort(__hadd_sat(__float2half(0.75f), __float2half(0.5f))) == 0x3c00;
    if (i < 8) atomicAdd(&sums, __floats2half2_rn(1, 2)), atomicAdd(&total, __float2bfloat16(0.5f));
    if (i < n) out[i] = a[i] + ok;
}
__global__ void check(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool ok = __low2float(sums) == 8 && __high2float(sums) == 16 && __bfloat162float(total) == 4;
    if (i < n && !ok) out[i] = -1;
}
extern "C" void launch(const float* a, float* out, int n) {
    const __half2 none = __floats2half2_rn(0, 0);
    const __nv_bfloat16 zero = __float2bfloat16(0.0f);
    cudaMemcpyToSymbol(sums, &none, sizeof none);
    cudaMemcpyToSymbol(total, &zero, sizeof zero);
    k<<<(n + 255) / 256, 256>>>(a, out, n);
    check<<<(n + 255) / 256, 256>>>(out, n);
}
