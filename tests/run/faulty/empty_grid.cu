// Forgets to round the number of blocks up: fewer elements than a block has threads give no block.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i];
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    fault_kernel<<<static_cast<unsigned>(n / 2048), 256, 0, stream>>>(x, out, n);
}
