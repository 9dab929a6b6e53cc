// More dynamic shared memory than a block can have is asked for by attribute, and the error is lost.
#include <cuda_runtime.h>
__global__ void deep_tile(const float* a, float* out, int n) {
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = tile[threadIdx.x] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    const int bytes = 256 * 1024;
    cudaFuncSetAttribute(deep_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaGetLastError();
    deep_tile<<<(n + 255) / 256, 256, bytes>>>(a, out, n);
}
