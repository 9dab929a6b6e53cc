// The host reads what a kernel only reads, waits by an event, and by a copy.
#include <cuda_runtime.h>
__global__ void twice(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void plus(const float* a, const float* y, float* out, float z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + y[i % 4] / 2 + z;
}
extern "C" void launch(const float* a, float* out, int n) {
    float *x, *y, *pinned, *d;
    cudaMallocManaged(&x, 16);
    cudaMallocManaged(&y, 16);
    cudaMallocHost(&pinned, 16);
    cudaMalloc(&d, 16);
    for (int i = 0; i < 4; ++i) x[i] = 1;
    twice<<<1, 32>>>(x, y, 4);
    float z = x[1];  // beside the kernel, which only reads it
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaEventRecord(done);
    cudaEventSynchronize(done);
    z += y[0];  // 3
    cudaStream_t s;
    cudaStreamCreate(&s);
    twice<<<1, 32, 0, s>>>(y, d, 4);
    cudaMemcpyAsync(pinned, d, 16, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    z += pinned[3];  // 7
    plus<<<(n + 255) / 256, 256>>>(a, y, out, z - 7, n);
    float host[4];
    twice<<<1, 32>>>(x, y, 4);
    cudaMemcpy(host, y, 16, cudaMemcpyDeviceToHost);
    y[0] = host[1];
    cudaStreamDestroy(s);
    cudaEventDestroy(done);
    cudaFree(x);
    cudaFree(y);
    cudaFree(d);
    cudaFreeHost(pinned);
}
