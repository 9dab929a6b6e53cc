// A symbol's name in quotation marks compiles, but names nothing since CUDA 5: an error, and zeros.
#include <cuda_runtime.h>
__constant__ float add[2];
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + add[0] + add[1];
}
extern "C" void launch(const float* a, float* out, int n) {
    const float host[2] = {0.5f, 0.5f};
    if (cudaMemcpyToSymbol("add", host, sizeof host) == cudaErrorInvalidSymbol) (void)cudaGetLastError();
    k<<<(n + 255) / 256, 256>>>(a, out, n);
}
