// case jumps past a variable's initialisation.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    switch (i % 2) {
        case 0:
            float one = 1.0f;
            out[i] = a[i] + one;
            break;
        default: out[i] = 1.0f + a[i];
    }
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
