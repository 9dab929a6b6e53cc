// A __device__ variable whose start value a function computes at run time.
#include <cuda_runtime.h>
#include <cmath>
static float from_environment() { return std::sqrt(4.f) / 2; }
__device__ float one = from_environment();
__constant__ float table[2] = {1.f, from_environment()};
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + one * table[1];
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
