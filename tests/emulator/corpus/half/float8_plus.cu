// Eight bits have no arithmetic: an addition of two.
#include <cuda_fp8.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const __nv_fp8_e4m3 half_of_one(0.5f);
    if (i < n) out[i] = a[i] + float(half_of_one + half_of_one);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
