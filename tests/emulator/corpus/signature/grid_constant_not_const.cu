// A __grid_constant__ parameter that is not const.
#include <cstdint>

struct One { float v; };
__global__ void k(const float* a, float* out, int64_t n, __grid_constant__ One one) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + one.v;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, One{1.0f});
}
