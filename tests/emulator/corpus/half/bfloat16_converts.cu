// Conversions of bfloat16.
#include <cstdint>
#include <cuda_bf16.h>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __nv_bfloat16 x = 1.0f;
    float y = x;
    x = y;
    if (i < n) out[i] = a[i] + float(x);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
