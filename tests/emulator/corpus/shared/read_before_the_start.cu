// A read before the start of a shared array of the kernel.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n, int zero) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ float s[256];
    if (i < n) out[i] = a[i] + 1.0f + (s[static_cast<int>(threadIdx.x) - 1] == 0.5f ? zero : 0);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, int(n >> 40));
}
