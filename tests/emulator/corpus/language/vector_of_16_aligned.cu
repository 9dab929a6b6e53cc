// CUDA 13 has double4 with either alignment.
#include <cstdint>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        double4_16a f = make_double4_16a(1, 1, 1, 1); out[i] = a[i] + f.x;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
