// A union of two views in shared memory.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ union { float f[256]; unsigned u[256]; } s;
    s.u[threadIdx.x] = 0x3f800000u;
    if (i < n) out[i] = a[i] + s.f[threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
