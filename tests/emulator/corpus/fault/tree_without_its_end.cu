// A recursion over a heap's children forgets the bound of the tree (its index comes round at 0).
#include <cuda_runtime.h>
__device__ __noinline__ float below(const float* a, unsigned node, int n) {
    float pad[8];
    for (int j = 0; j < 8; ++j) pad[j] = a[(node + j) % n];
    const float l = below(a, 2 * node + 1, n), r = below(a, 2 * node + 2, n);
    return fmaxf(pad[node % 8], fmaxf(l, r)) + pad[(node + 3) % 8];
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = below(a, i, n);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
