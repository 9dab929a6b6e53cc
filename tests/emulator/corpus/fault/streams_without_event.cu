// The second stream does not wait for the first: a GPU may run its kernel first.
#include <cuda_runtime.h>

__global__ void twice(const float* a, float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = 2 * a[i];
}
__global__ void half_and_one(const float* t, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = t[i] / 2 + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    float* t;
    cudaMalloc(&t, n * sizeof(float));
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    twice<<<(n + 255) / 256, 256, 0, one>>>(a, t, n);
    half_and_one<<<(n + 255) / 256, 256, 0, two>>>(t, out, n);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(t);
}
