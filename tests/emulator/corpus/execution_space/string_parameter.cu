// A std::string goes to a kernel, which asks for its size.
#include <cuda_runtime.h>
#include <string>
__global__ void k(const float* a, float* out, int n, std::string name) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + name.size();
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n, "k"); }
