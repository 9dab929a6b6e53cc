// cudaMalloc and cudaFree in a kernel: memory of the kernels' heap.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    float* own = nullptr;
    if (i >= n || cudaMalloc(&own, 2 * sizeof(float)) != cudaSuccess) return;
    own[1] = a[i];
    out[i] = own[1] + 1.0f;
    cudaFree(own);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
