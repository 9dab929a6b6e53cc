// Texture references went with CUDA 12; a kernel reads by an object, or by __ldg.
#include <cuda_runtime.h>
texture<float, cudaTextureType1D, cudaReadModeElementType> source;
__global__ void k(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch(source, i) + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaBindTexture(nullptr, source, a, n * sizeof(float));
    k<<<(n + 255) / 256, 256>>>(out, n);
    cudaUnbindTexture(source);
}
