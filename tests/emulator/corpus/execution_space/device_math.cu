// The math functions are on both sides.
#include <cmath>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = sqrtf(a[i] * a[i]) * copysignf(1.0f, a[i]) + fabsf(-1.0f) * cosf(0.0f) + std::sqrt(0.0f) + fmaxf(0.0f, -1.0f) + pow(0.0, 2.0);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
