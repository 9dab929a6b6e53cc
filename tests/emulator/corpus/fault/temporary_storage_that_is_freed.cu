// CUB sorts with temporary storage that was freed before.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, int n, const float* sorted) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (i == 0 || sorted[i - 1] <= sorted[i] ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    float* sorted;
    cudaMalloc(&sorted, n * sizeof(float));
    void* temp = nullptr;
    size_t bytes = 0;
    cub::DeviceRadixSort::SortKeys(temp, bytes, a, sorted, n);
    cudaMalloc(&temp, bytes);
    cudaFree(temp);
    cub::DeviceRadixSort::SortKeys(temp, bytes, a, sorted, n);
    add<<<(n + 255) / 256, 256>>>(a, out, n, sorted);
    cudaDeviceSynchronize();
    cudaFree(sorted);
}
