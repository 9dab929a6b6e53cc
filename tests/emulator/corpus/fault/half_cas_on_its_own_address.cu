// A half's address is taken for a word's in atomicCAS, at odd elements.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__device__ __half sums[64];
__device__ void add(__half* where, float x) {
    unsigned* word = reinterpret_cast<unsigned*>(where);
    unsigned old = 0, assumed;
    do {
        assumed = old;
        const float sum = __half2float(__ushort_as_half(assumed & 0xffff)) + x;
        old = atomicCAS(word, assumed, (assumed & 0xffff0000u) | __half_as_ushort(__float2half(sum)));
    } while (assumed != old);
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    add(&sums[i % 64], a[i]);
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
