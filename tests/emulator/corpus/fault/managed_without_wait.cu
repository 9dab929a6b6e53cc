// The host reads managed memory that a kernel has just been given.
#include <cuda_runtime.h>
__global__ void total(const float* a, float* sum, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, a[i]);
}
__global__ void add(const float* a, float x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + x;
}
extern "C" void launch(const float* a, float* out, int n) {
    float* sum;
    cudaMallocManaged(&sum, 4);
    *sum = 0;
    total<<<1, 256>>>(a, sum, n);
    const float x = *sum - *sum + 1;
    add<<<(n + 255) / 256, 256>>>(a, x, out, n);
    cudaFree(sum);
}
