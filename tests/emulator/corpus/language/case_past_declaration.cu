// case jumps past a variable without a value, and past nothing in braces.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    switch (i % 3) {
        case 0:
            float one;
            one = 1.0f;
            out[i] = a[i] + one;
            break;
        case 1: {
            const float two = 2.0f;
            out[i] = a[i] + two - 1.0f;
            break;
        }
        default: out[i] = 1.0f + a[i];
    }
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
