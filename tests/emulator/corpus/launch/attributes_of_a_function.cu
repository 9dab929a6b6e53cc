// Asks the runtime for a kernel's attributes, and for a size of blocks.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    cudaFuncAttributes attributes;
    int grid = 0, block = 0;
    cudaFuncGetAttributes(&attributes, k);
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, k, [](int) { return size_t{0}; });
    if (block > attributes.maxThreadsPerBlock) block = attributes.maxThreadsPerBlock;
    k<<<unsigned((n + block - 1) / block), block, 0, stream>>>(a, out, n);
}
