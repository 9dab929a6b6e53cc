// A static array of the launcher given to a kernel.
#include <cuda_runtime.h>
#include <vector>
#include <cstdlib>
__global__ void add_one(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[0] + 1.0f;
}
extern "C" void launch(const float* a, float* out, int n) {
    static float ones[1024];
    add_one<<<(n + 255) / 256, 256>>>(a, ones, out, n);
}
