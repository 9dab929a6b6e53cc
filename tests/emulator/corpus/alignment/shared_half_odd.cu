// __shared__ half s[257], written as float4.
#include <cstdint>
#include <cuda_fp16.h>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ half s[257];
    if (threadIdx.x < 32) reinterpret_cast<float4*>(s)[threadIdx.x] = make_float4(0, 0, 0, 0);
    __syncthreads();
    if (i < n) out[i] = a[i] + float(s[threadIdx.x]) + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
