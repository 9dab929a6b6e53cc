// 089 is no octal number, and 0x1.8 has no exponent.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr int lanes = 089;
    constexpr float one = 0x1.0;
    if (i < n) out[i] = a[i] + one + lanes - lanes;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
