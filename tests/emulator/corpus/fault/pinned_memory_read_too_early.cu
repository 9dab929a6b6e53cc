// The host reads pinned memory before an asynchronous copy into it has ended.
#include <cuda_runtime.h>
__global__ void add(const float* a, float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    float *host, *t;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&host, n * sizeof(float));
    cudaMalloc(&t, n * sizeof(float));
    for (int i = 0; i < n; ++i) host[i] = -1;
    add<<<(n + 255) / 256, 256, 0, s>>>(a, t, n);
    cudaMemcpyAsync(host, t, n * sizeof(float), cudaMemcpyDeviceToHost, s);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += host[i];
    cudaStreamSynchronize(s);
    cudaMemcpy(out, host, n * sizeof(float), cudaMemcpyHostToDevice);
    if (sum < 0) cudaMemset(out, 0, n * sizeof(float));
    cudaFreeHost(host);
    cudaFree(t);
    cudaStreamDestroy(s);
}
