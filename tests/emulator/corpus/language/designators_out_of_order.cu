// Designated members in another order than the struct's.
#include <cuda_runtime.h>
struct Params { int n; float scale, bias; };
__global__ void k(const float* a, float* out, Params p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) out[i] = a[i] * p.scale + p.bias;
}
extern "C" void launch(const float* a, float* out, int n) {
    k<<<(n + 255) / 256, 256>>>(a, out, Params{.scale = 1.0f, .n = n, .bias = 1.0f});
}
