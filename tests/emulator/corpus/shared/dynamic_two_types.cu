// Two extern arrays of one name and different types.
#include <cstdint>

__device__ float one() {
    extern __shared__ float s[];
    return s[threadIdx.x];
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    extern __shared__ int s[];
    s[threadIdx.x] = __float_as_int(1.0f);
    if (i < n) out[i] = a[i] + one();
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 256 * sizeof(float), stream>>>(a, out, n);
}
