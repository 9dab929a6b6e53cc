// __launch_bounds__ takes constants only, not a variable that could change.
#include <cuda_runtime.h>
static int threads = 256;
__global__ void __launch_bounds__(threads) k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + threads - 1) / threads, threads>>>(a, out, n); }
