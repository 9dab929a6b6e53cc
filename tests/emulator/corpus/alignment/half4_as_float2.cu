// half r[4], read as a float2.
#include <cstdint>
#include <cuda_fp16.h>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    half r[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    const float2 v = *reinterpret_cast<const float2*>(r);
    if (i < n) out[i] = a[i] + __low2float(*reinterpret_cast<const half2*>(&v.x));
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
