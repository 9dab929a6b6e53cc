// CUB is given fewer bytes of temporary storage than it asks for, and nobody looks at its error.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, int n, const float* before) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (before[i] >= 0.0f ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    float* sums;
    cudaMalloc(&sums, n * sizeof(float));
    void* temp;
    size_t bytes = 1;  // "some"
    cudaMalloc(&temp, bytes);
    cub::DeviceScan::ExclusiveSum(temp, bytes, a, sums, n, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n, sums);
    cudaStreamSynchronize(stream);
    cudaFree(temp), cudaFree(sums);
}
