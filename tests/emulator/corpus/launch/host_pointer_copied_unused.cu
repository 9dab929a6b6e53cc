// Structs with a pointer of the host that the kernel does not follow, but moves, and hands back.
#include <cuda_runtime.h>
struct Params {
    float* host;
    float* dev;
    int n;
};
__global__ void add(const float* a, float* out, Params* p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->n) out[i] = a[i] + p->dev[i];
    if (i == 0) ++p->host;
}
extern "C" void launch(const float* a, float* out, int n) {
    float* ones = new float[n];
    for (int i = 0; i < n; ++i) ones[i] = 1;
    Params p{ones, nullptr, n}, *dev;
    cudaMalloc(&p.dev, n * 4);
    cudaMemcpy(p.dev, p.host, n * 4, cudaMemcpyHostToDevice);
    cudaMalloc(&dev, sizeof p);
    cudaMemcpy(dev, &p, sizeof p, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, out, dev);
    cudaMemcpy(&p, dev, sizeof p, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    if (p.host != ones + 1) cudaMemset(out, 0, n * 4);
    delete[] ones;
    cudaFree(p.dev);
    cudaFree(dev);
}
