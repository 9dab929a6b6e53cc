// cudaMalloc fails, nobody asks, and cudaMemset and cudaMemcpy are given no memory: errors, no crash.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float* none = nullptr;
    cudaMalloc(&none, size_t{1} << 50);
    const bool set = cudaMemset(none, 0, 16) == cudaErrorInvalidValue;
    const bool copied = cudaMemcpy(none, a, 16, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue;
    cudaGetLastError();
    if (set && copied) k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
