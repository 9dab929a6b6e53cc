// A constructor of a shared variable that does nothing.
#include <cstdint>
struct P { float v; __device__ P() {} };
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        __shared__ P p; p.v = 1.0f; out[i] = a[i] + p.v;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
