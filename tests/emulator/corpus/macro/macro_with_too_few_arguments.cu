// A macro of three parameters is called with two.
#include <cuda_runtime.h>
#define FOR_ALL(i, n, body) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { body }
__global__ void k(const float* a, float* out, int n) {
    FOR_ALL(i, n) { out[i] = a[i] + 1; }
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
