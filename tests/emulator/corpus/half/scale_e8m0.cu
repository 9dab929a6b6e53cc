// The scale of MX formats: powers of two, rounded up.
#include <cuda_fp8.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const __nv_fp8_e8m0 scale(3.0f);
    const float2 two = float2(__nv_fp8x2_e8m0(make_float2(1.0f, 5.0f)));
    const bool ok = float(scale) == 4.0f && scale.__x == 129 && two.x == 1.0f && two.y == 8.0f && __nv_cvt_float_to_e8m0(3.0f, __NV_SATFINITE, cudaRoundZero) == 128;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
