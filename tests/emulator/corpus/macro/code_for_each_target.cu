// Code by target: NV_IF_TARGET, __CUDA_ARCH__, versions of compiler and runtime, __has_include.
#include <cuda_runtime.h>
#include <nv/target>
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define CASE_HALF 1
#endif
#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 12 || CUDART_VERSION < 12000
#error "too old"
#endif
__host__ __device__ inline float where() {
    float r = 0;
    NV_IF_TARGET(NV_IS_HOST, (r = 2.f; r += 1.f;), (r = 0.5f;))
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70, (r += 0.25f;), (r += 4.f;))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_80, (r += 0.25f;), NV_IS_DEVICE, (r += 8.f;), NV_ANY_TARGET, (r += 1.f;))
    return r;  // 1 on the device, 8 on the host
}
template <class T> __host__ __device__ T twice(T x) {
#ifdef __CUDA_ARCH__
    return __fadd_rn(x, x);
#else
    return 2 * x;
#endif
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "this is for Volta"
#endif
__global__ void k(const float* a, float* out, int n, float host) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if CASE_HALF && __CUDA_ARCH__ >= 800
    const __half one = __float2half(where());
    out[i] = twice(a[i]) - a[i] + __half2float(one) + (host == 8.f ? 0.f : 1.f);
#else
    out[i] = 0;
#endif
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n, where()); }
