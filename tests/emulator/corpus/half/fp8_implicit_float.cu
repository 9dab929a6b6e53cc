// An 8-bit float as a float, without a cast.
#include <cstdint>
#include <cuda_fp8.h>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const __nv_fp8_e4m3 x(1.0f);
    const float y = x;
    if (i < n) out[i] = a[i] + y;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
