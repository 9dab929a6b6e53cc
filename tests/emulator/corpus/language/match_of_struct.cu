// __match_any_sync of a struct.
#include <cstdint>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        int2 s = {1, 1}; out[i] = a[i] + (__match_any_sync(~0u, s) != 0);
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
