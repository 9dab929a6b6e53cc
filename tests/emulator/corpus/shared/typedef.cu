// __shared__ in a typedef, which nvcc ignores.
#include <cstdint>

typedef __shared__ float tile[4];
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    tile s;
    s[threadIdx.x % 4] = 1;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
