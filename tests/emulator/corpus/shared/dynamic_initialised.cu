// An extern array that is initialised.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    extern __shared__ float s[] = {1.0f};
    if (i < n) out[i] = a[i] + s[0];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 256 * sizeof(float), stream>>>(a, out, n);
}
