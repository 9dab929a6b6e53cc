// cudaMemcpy2D copies one row more than its target has.
#include <cuda_runtime.h>
__global__ void k(const float* a, const float* t, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = t[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    const int width = 50, height = n / width;
    float* t;
    cudaMalloc(&t, n * sizeof(float));
    cudaMemcpy2D(t, width * sizeof(float), a, width * sizeof(float), width * sizeof(float), height + 1, cudaMemcpyDeviceToDevice);
    k<<<(n + 255) / 256, 256>>>(a, t, out, n);
    cudaFree(t);
}
