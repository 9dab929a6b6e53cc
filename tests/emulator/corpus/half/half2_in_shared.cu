// half2 in shared memory.
#include <cstdint>
#include <cuda_fp16.h>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ half2 s[256];
    s[threadIdx.x] = __float2half2_rn(1.0f);
    if (i < n) out[i] = a[i] + __low2float(s[threadIdx.x]);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
