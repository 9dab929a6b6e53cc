// cudaMemcpyToSymbol of more bytes than the symbol has fails, nobody looks, and the table stays zero.
#include <cuda_runtime.h>
__constant__ float coefficients[4];
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (float c : coefficients) s += c;
    out[i] = a[i] + s;
}
extern "C" void launch(const float* a, float* out, int n) {
    const double host[4] = {0.25, 0.25, 0.25, 0.25};
    cudaMemcpyToSymbol(coefficients, host, sizeof host);
    cudaGetLastError();
    k<<<(n + 255) / 256, 256>>>(a, out, n);
}
