// A float goes into an "h" operand of PTX, which is of 16 bits.
#include <cuda_runtime.h>
__device__ float faster_max(float x, float y) {
    float r;
    asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "h"(y));
    return r;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = faster_max(a[i], 0.f) + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
