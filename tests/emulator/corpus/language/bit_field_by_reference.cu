// A reference to a bit field.
#include <cstdint>

struct F {
    unsigned low : 3;
};
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    F f{};
    unsigned& r = f.low;
    r = 1;
    out[i] = a[i] + f.low;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
