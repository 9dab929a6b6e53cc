// atomicCAS of a struct of 16 bytes that is aligned to 8.
#include <cuda_runtime.h>
struct Pair { double sum; unsigned long long count; };
__device__ Pair total;
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicCAS(&total, Pair{0, 0}, Pair{1, 1});
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
