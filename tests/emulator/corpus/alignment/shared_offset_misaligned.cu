// A float4 at an odd float of a shared array.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ float s[260];
    if (threadIdx.x < 64) *reinterpret_cast<float4*>(s + 4 * threadIdx.x + 1) = make_float4(1, 1, 1, 1);
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
