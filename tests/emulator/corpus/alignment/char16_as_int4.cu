// char r[16], written as an int4.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    char r[16];
    *reinterpret_cast<int4*>(r) = make_int4(0, 0, 0, 0);
    if (i < n) out[i] = a[i] + r[15] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
