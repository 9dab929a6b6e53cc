// A __device__ variable inside a kernel; it would be a static one, or stand at file scope.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    __device__ unsigned ticket;
    __constant__ float one;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) atomicAdd(&ticket, 1u);
    if (i < n) out[i] = a[i] + one;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
