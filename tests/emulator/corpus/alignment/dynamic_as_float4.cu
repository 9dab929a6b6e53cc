// Dynamic shared memory as float4.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    extern __shared__ char s[];
    reinterpret_cast<float4*>(s)[threadIdx.x] = make_float4(1, 1, 1, 1);
    if (i < n) out[i] = a[i] + reinterpret_cast<float4*>(s)[threadIdx.x].x;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 4096, stream>>>(a, out, n);
}
