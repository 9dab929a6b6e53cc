// Casts of constants, and variables, are no change of sign for nvcc.
#include <cstdint>

#pragma nv_diag_error integer_sign_change
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const unsigned most = unsigned(-1), all = ~0;
    const int j = threadIdx.x;
    const unsigned back = j;
    if (i < n && most == all && back < blockDim.x) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
