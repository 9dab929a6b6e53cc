// A helper that scales in place gets the const input of the kernel.
#include <cuda_runtime.h>
__device__ void scale_in_place(float* row, int count, float by) { for (int j = 0; j < count; ++j) row[j] *= by; }
__global__ void k(const float* __restrict__ a, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 + 3 >= n) return;
    scale_in_place(a + i * 4, 4, 2.f);
    for (int j = 0; j < 4; ++j) out[i * 4 + j] = a[i * 4 + j];
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
