// Compares bytes in a kernel: nvcc 13.0 has memcpy and memset there, memcmp not.
#include <cstdint>
#include <cstring>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (memcmp(a + i, a + i, sizeof(float)) == 0 ? 1.0f : 0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
