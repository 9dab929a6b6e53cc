// A variable whose class has no default constructor, for the host's copy.
#include <cstdint>
struct P { float v; constexpr P(float x) : v(x) {} };
__device__ P one(1.0f);
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + one.v;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
