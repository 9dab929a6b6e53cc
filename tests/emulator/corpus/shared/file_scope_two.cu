// Two shared variables outside of functions, one declaration.
#include <cstdint>

__shared__ float x[256], y;
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    x[threadIdx.x] = y = 1.0f;
    if (i < n) out[i] = a[i] + x[threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
