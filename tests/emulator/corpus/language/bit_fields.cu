// Bit fields of several widths.
#include <cstdint>

struct Flags {
    unsigned low : 3;
    bool on : 1;
    int neg : 2;
    unsigned : 0;
    unsigned next : 5;
};
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    Flags f{};
    f.low = i & 7;
    f.on = true;
    f.neg = -1;
    out[i] = a[i] + (f.on ? 1 : 0) + f.neg + 1 + (f.low != (i & 7));
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
