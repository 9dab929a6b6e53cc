// Ones at the two ends of a number, by <cuda/std/bit>.
#include <cuda_runtime.h>
#include <cuda/std/bit>

__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (cuda::std::countl_one(0xfe000007u) == 7 && cuda::std::countr_one(0xfe000007u) == 3);
}

extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
