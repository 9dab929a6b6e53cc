// CUB is to write its sum into a variable of the host.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, int n, float one) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + one;
}
extern "C" void launch(const float* a, float* out, int n) {
    float total = 0.0f;
    void* temp = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(temp, bytes, a, &total, n);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Sum(temp, bytes, a, &total, n);
    cudaDeviceSynchronize();
    add<<<(n + 255) / 256, 256>>>(a, out, n, total > 0.0f ? 1.0f : 0.0f);
    cudaFree(temp);
}
