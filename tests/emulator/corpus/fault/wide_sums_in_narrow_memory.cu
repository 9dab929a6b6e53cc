// CUB's sums are written as doubles into memory of as many floats.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, int n, const double* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (sums[i] >= 0.0 ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    double* sums;
    cudaMalloc(&sums, n * sizeof(float));
    void* temp = nullptr;
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(temp, bytes, a, sums, n, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceScan::InclusiveSum(temp, bytes, a, sums, n, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n, sums);
    cudaStreamSynchronize(stream);
    cudaFree(temp), cudaFree(sums);
}
