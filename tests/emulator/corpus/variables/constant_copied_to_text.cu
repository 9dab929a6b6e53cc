// A text is no symbol: cudaMemcpyToSymbol has not taken one since CUDA 5.
#include <cuda_runtime.h>
__constant__ float one;
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + one;
}
extern "C" void launch(const float* a, float* out, int n) {
    const float x = 1;
    cudaMemcpyToSymbol("one", &x, sizeof x);
    add_one<<<(n + 255) / 256, 256>>>(a, out, n);
}
