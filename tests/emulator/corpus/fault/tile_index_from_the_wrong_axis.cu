// In a block of 32 by 8 a tile is indexed by the axes the wrong way round.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    __shared__ float tile[8][32];
    const int t = threadIdx.y * 32 + threadIdx.x, i = blockIdx.x * 256 + t;
    tile[threadIdx.x][threadIdx.y] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = tile[threadIdx.x][threadIdx.y] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, dim3(32, 8)>>>(a, out, n); }
