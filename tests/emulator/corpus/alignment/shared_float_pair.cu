// Two shared float arrays, the first of odd length.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ float u[33], s[256];
    u[threadIdx.x % 33] = 0.0f;
    if (threadIdx.x < 64) reinterpret_cast<float4*>(s)[threadIdx.x] = make_float4(1, 1, 1, 1);
    __syncthreads();
    if (i < n) out[i] = a[i] + s[threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
