// cudaMemPrefetchAsync with a device's number, as before CUDA 13.
#include <cuda_runtime.h>
__global__ void k(const float* a, const float* bias, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + bias[0];
}
extern "C" void launch(const float* a, float* out, int n) {
    float* bias;
    cudaMallocManaged(&bias, sizeof(float));
    *bias = 1;
    int device;
    cudaGetDevice(&device);
    cudaMemPrefetchAsync(bias, sizeof(float), device, 0);
    k<<<(n + 255) / 256, 256>>>(a, bias, out, n);
    cudaDeviceSynchronize();
    cudaFree(bias);
}
