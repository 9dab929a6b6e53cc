// By ptxas: an addition of a type that PTX does not have.
#include <cuda_runtime.h>
__device__ unsigned add(unsigned x, unsigned y) {
    unsigned r;
    asm("add.u31 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    return r;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + add(1, 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
