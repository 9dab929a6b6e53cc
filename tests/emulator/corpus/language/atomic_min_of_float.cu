// atomicMin and atomicMax know no float; only atomicAdd and atomicExch do.
#include <cuda_runtime.h>
#include <cfloat>
__global__ void k(const float* a, float* out, int n) {
    __shared__ float low, high;
    if (threadIdx.x == 0) { low = FLT_MAX; high = -FLT_MAX; }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { atomicMin(&low, a[i]); atomicMax(&high, a[i]); }
    __syncthreads();
    if (i < n) out[i] = (a[i] - low) / (high - low);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
