// The word typeof of GNU C++.
#include <cuda_runtime.h>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __typeof__(a[i] + 1.0f) x = a[i] + 1.0f;
        typeof(x) y = x;
        out[i] = y;
    }
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
