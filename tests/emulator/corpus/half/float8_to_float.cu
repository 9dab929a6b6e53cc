// Eight bits become a float only where it is said.
#include <cuda_fp8.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const __nv_fp8_e5m2 one(1.0f);
    const float wide = one;
    if (i < n) out[i] = a[i] + wide;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
