// A float4 at an address that is no multiple of 16.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (4 * i + 5 < n) *reinterpret_cast<float4*>(out + 4 * i + 1) = make_float4(1, 1, 1, 1);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
