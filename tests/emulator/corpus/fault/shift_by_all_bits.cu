// A mask of the first lanes, of which there may be 32: 1 shifted by 32.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const unsigned lanes = static_cast<unsigned>(n - i < 32 ? n - i : 32);
    const unsigned mask = (1u << lanes) - 1;
    out[i] = a[i] + static_cast<float>(mask & 1);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream = 0) {
    k<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n);
}
