// Scales have no operators.
#include <cuda_fp8.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const __nv_fp8_e8m0 one(1.0f), two(2.0f);
    if (i < n) out[i] = a[i] + float(one + two);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
