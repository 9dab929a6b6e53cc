// A struct holds the host's and the GPU's address of the same numbers; the kernel uses the GPU's.
#include <cuda_runtime.h>
#include <cstdlib>
struct Numbers {
    float* host;
    float* device;
    int count;
    float (*change)(float);
};
__global__ void add(const float* a, Numbers numbers, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < numbers.count && numbers.host) out[i] = a[i] + numbers.change(numbers.device[i]);
}
__device__ float half_of(float x) { return x / 2; }
__device__ float (*half_of_pointer)(float) = half_of;
extern "C" void launch(const float* a, float* out, int n) {
    Numbers numbers{(float*)malloc(n * sizeof(float)), nullptr, n, nullptr};
    for (int i = 0; i < n; ++i) numbers.host[i] = 2;
    cudaMalloc(&numbers.device, n * sizeof(float));
    cudaMemcpy(numbers.device, numbers.host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyFromSymbol(&numbers.change, half_of_pointer, sizeof numbers.change);
    add<<<(n + 255) / 256, 256>>>(a, numbers, out);
    cudaFree(numbers.device);
    free(numbers.host);
}
