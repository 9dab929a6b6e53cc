// A range-for with a variable of its own is C++20, and nvcc only warns of it.
#include <cuda_runtime.h>
__constant__ float weights[4] = {0.25f, 0.25f, 0.25f, 0.25f};
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (float x = a[i]; float w : weights) s += w * (x + 1);
    out[i] = s;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
