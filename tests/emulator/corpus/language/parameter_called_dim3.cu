// Parameters with the names of CUDA's types.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t dim3, int uint3) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < dim3) out[i] = a[i] + uint3;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, 1);
}
