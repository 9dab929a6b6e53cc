// Two threads free one buffer of malloc.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    __shared__ float* buffer;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) buffer = static_cast<float*>(malloc(blockDim.x * sizeof(float)));
    __syncthreads();
    if (buffer == nullptr) return;
    buffer[t] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = buffer[t] + 1;
    __syncthreads();
    if (t % 128 == 0) free(buffer);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
