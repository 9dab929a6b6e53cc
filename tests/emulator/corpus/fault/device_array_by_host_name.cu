// A __device__ array given to a kernel by its name, which in host code is that of the host's copy.
#include <cuda_runtime.h>
__device__ float ones[1024];
__global__ void add_one(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i % 1024] + 1.0f;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, ones, out, n); }
