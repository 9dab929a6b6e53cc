// double4 still compiles; CUDA 13 warns that its alignment will be another one.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double4 v = make_double4(0.25, 0.25, 0.25, 0.25);
    if (i < n) out[i] = a[i] + float(v.x + v.y + v.z + v.w);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
