// case jumps past a variable's initialisation in host code.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    switch (n % 2) {
        case 0:
            int zero = 0;
            n += zero;
            break;
        case 1: break;
    }
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
