// alignas(16) float r[4].
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    alignas(16) float r[4];
    *reinterpret_cast<float4*>(r) = make_float4(1, 1, 1, 1);
    if (i < n) out[i] = a[i] + r[3];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
