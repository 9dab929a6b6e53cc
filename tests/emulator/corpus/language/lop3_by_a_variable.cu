// An "n" operand of PTX must be a constant, here the table of lop3 that is a function's argument.
#include <cuda_runtime.h>
__device__ unsigned lop3(unsigned x, unsigned y, unsigned z, int lut) {
    unsigned r;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z), "n"(lut));
    return r;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (lop3(i, i, i, 0x96) == i);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
