// 64 KB of dynamic shared memory without asking for it: refused.
#include <cstdint>

__global__ void add_one(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    add_one<<<unsigned((n + 255) / 256), 256, 65536, stream>>>(a, out, n);
}
