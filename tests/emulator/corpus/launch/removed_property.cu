// A member of cudaDeviceProp that CUDA 13 has no more.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    k<<<4, 256>>>(a, out, n + 0 * p.clockRate);
}
