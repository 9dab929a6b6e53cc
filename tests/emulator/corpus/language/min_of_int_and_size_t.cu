// std::min of an int and a size_t in the launcher.
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    std::vector<int> parts(4);
    const int grid = std::min(n, parts.size() * 64);
    k<<<grid, 256>>>(a, out, n);
}
