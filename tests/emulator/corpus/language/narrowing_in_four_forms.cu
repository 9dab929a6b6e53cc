// Braces that narrow: an argument, an aggregate's argument, an assignment and a return.
#include <cuda_runtime.h>
struct P { float x, y; };
__device__ float first(float x) { return x; }
__device__ float both(P p) { return p.x + p.y; }
__device__ float back(int i) { return {i}; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = 0;
    v = {i};
    out[i] = a[i] + 1 + (first({i}) - v) + (both(P{i, i}) - 2 * back(i));
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
