// An array of pointers to rows of the host, copied to the GPU.
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, int n, float** rows) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + rows[i % 4][i / 4 % 8];
}
extern "C" void launch(const float* a, float* out, int n) {
    float* rows[4];
    for (auto& r : rows) {
        r = new float[8];
        for (int i = 0; i < 8; ++i) r[i] = 1;
    }
    float** dev;
    cudaMalloc(&dev, sizeof rows);
    cudaMemcpy(dev, rows, sizeof rows, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, out, n, dev);
    cudaFree(dev);
    for (auto& r : rows) delete[] r;
}
