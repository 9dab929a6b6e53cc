// Loads and stores with cache hints, of vectors and of halves, aligned by an assumption.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void spread(const float* a, float4* t, __half2* h, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 >= n) return;
    const float* p = static_cast<const float*>(__builtin_assume_aligned(a, 16));
    const float4 v = __ldcs(reinterpret_cast<const float4*>(p) + i);
    __stcg(t + i, make_float4(v.w, v.z, v.y, v.x));
    __stwt(h + 2 * i, __floats2half2_rn(0.5f, 0.25f));
    __stwb(h + 2 * i + 1, __float2half2_rn(0.25f));
}
__global__ void k(const float4* t, const __half2* h, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 >= n) return;
    __builtin_assume(i >= 0);
    const float4 v = __ldcg(&t[i]), w = __ldcv(&t[i]);
    const __half2 x = __ldlu(h + 2 * i), y = __ldca(h + 2 * i + 1);
    const float one = __low2float(x) + __high2float(x) + __low2float(y);
    const bool same = v.x == w.x && __builtin_expect(v.y == w.y, 1);
    __stcs(reinterpret_cast<float2*>(out) + 2 * i, make_float2(v.w + one, v.z + one));
    if (same) __stcs(reinterpret_cast<float2*>(out) + 2 * i + 1, make_float2(v.y + one, v.x + one));
}
extern "C" void launch(const float* a, float* out, int n) {
    float4* t; __half2* h;
    cudaMalloc(&t, (n + 3) / 4 * sizeof(float4));
    cudaMalloc(&h, (n + 3) / 4 * 2 * sizeof(__half2));
    spread<<<(n / 4 + 63) / 64, 64>>>(a, t, h, n);
    k<<<(n / 4 + 63) / 64, 64>>>(t, h, out, n);
    cudaFree(t); cudaFree(h);
}
