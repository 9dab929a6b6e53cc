// A pointer of the host in a __device__ variable.
#include <cuda_runtime.h>
__device__ float* table;
__global__ void add(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + table[0];
}
float one = 1;
extern "C" void launch(const float* a, float* out, int n) {
    float* p = &one;
    cudaMemcpyToSymbol(table, &p, sizeof p);
    add<<<(n + 255) / 256, 256>>>(a, out, n);
}
