// warpSize is no compile-time constant.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    __shared__ float ones[warpSize];
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    ones[threadIdx.x % warpSize] = 1.0f;
    __syncthreads();
    if (i < n) out[i] = a[i] + ones[0];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
