// A named barrier of 48 threads is no multiple of the warp size.
#include <cuda_runtime.h>
__device__ __forceinline__ void named_barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__global__ void k(const float* a, float* out, int n) {
    __shared__ float s[96];
    const int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s[t] = i < n ? a[i] : 0.f;
    if (t < 48) named_barrier(1, 48);
    else named_barrier(2, 48);
    if (i < n) out[i] = s[t] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 95) / 96, 96>>>(a, out, n); }
