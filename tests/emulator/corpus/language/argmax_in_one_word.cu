// An argmax by atomicMax of 64 bits, a bitmap by atomicOr, a claim by atomicCAS of 16 bits.
#include <cuda_runtime.h>
__device__ unsigned long long best;
__device__ unsigned long long map[16];
__device__ unsigned short claimed[1000];
__device__ __forceinline__ unsigned ordered(float x) {
    const unsigned u = __float_as_uint(x);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}
__global__ void find(const float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMax(&best, (static_cast<unsigned long long>(ordered(a[i])) << 32) | static_cast<unsigned>(~i));
    atomicOr(&map[i >> 6], 1ull << (i & 63));
    const unsigned short was = atomicCAS(&claimed[i ^ 1], static_cast<unsigned short>(0), static_cast<unsigned short>(i + 1));
    if (was) __trap();
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = ~static_cast<unsigned>(best);
    const bool seen = map[i >> 6] >> (i & 63) & 1;
    out[i] = a[i] + (a[at] >= a[i] && seen && claimed[i] == (i ^ 1) + 1 ? 1.f : 0.f);
}
extern "C" void launch(const float* a, float* out, int n) {
    void* p;
    cudaGetSymbolAddress(&p, best); cudaMemset(p, 0, sizeof best);
    cudaGetSymbolAddress(&p, map); cudaMemset(p, 0, sizeof map);
    cudaGetSymbolAddress(&p, claimed); cudaMemset(p, 0, sizeof claimed);
    find<<<(n + 255) / 256, 256>>>(a, n);
    k<<<(n + 255) / 256, 256>>>(a, out, n);
}
