// A union of a float and its bits.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    union {
        float f;
        unsigned u;
        struct {
            unsigned m : 23, e : 8, s : 1;
        } b;
    } x;
    x.f = 1.0f;
    x.b.e += 1;
    out[i] = a[i] + x.f - 1.0f;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
