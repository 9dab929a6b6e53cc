// A std::vector goes to a kernel, which calls its operator[], a function of the host.
#include <cuda_runtime.h>
#include <vector>
__global__ void k(const float* a, float* out, int n, std::vector<float> bias) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + bias[i % bias.size()];
}
extern "C" void launch(const float* a, float* out, int n) {
    std::vector<float> bias(4, 1.f);
    k<<<(n + 255) / 256, 256>>>(a, out, n, bias);
}
