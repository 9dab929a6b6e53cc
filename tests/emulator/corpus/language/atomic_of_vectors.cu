// atomicAdd of float2 and float4, which compute capability 9.0 has.
#include <cstdint>

__device__ float2 v;
__device__ float4 w;
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&v, make_float2(1, 1));
    atomicAdd(&w, make_float4(1, 1, 1, 1));
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
