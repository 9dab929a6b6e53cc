// cuda::atomic cannot be copied.
#include <cuda/atomic>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    cuda::atomic<int> one(1);
    auto other = one;
    if (i < n) out[i] = a[i] + float(other.load());
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
