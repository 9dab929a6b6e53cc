// A launch of one of two kernels.
#include <cstdint>

__global__ void k2(const float* a, float* out, int64_t n) {
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] + 1;
}
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    (n > 5000 ? k : k2)<<<1, 1024, 0, stream>>>(a, out, n);
}
