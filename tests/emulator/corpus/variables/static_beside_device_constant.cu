// static, const and __device__ around __constant__, in each order.
#include <cstdint>

static __device__ __constant__ float a0[1] = {0.5f};
static const __device__ __constant__ float a1[1] = {0.25f};
__device__ static __constant__ float a2[1] = {0.125f};
__constant__ __device__ static float a3[1] = {0.0625f};
__constant__ const static float a4[1] = {0.0625f};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (a0[0] + a1[0] + a2[0] + a3[0] + a4[0]);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
