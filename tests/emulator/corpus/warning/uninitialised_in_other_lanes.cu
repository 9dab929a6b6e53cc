// One lane sets a variable, and a shuffle hands it to the others: nvcc says nothing.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    float one;
    if (threadIdx.x % 32 == 0) one = 1.0f;
    one = __shfl_sync(0xffffffffu, one, 0);
    if (i < n) out[i] = a[i] + one;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
