// Thrust is told to sort on the GPU, and the numbers are the host's.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
__global__ void add(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}
extern "C" void launch(const float* a, float* out, int n) {
    int* const numbers = new int[100];
    for (int i = 0; i < 100; ++i) numbers[i] = i * 37 % 100;
    thrust::sort(thrust::device, numbers, numbers + 100);
    add<<<(n + 255) / 256, 256>>>(a, out, n);
    cudaDeviceSynchronize();
    delete[] numbers;
}
