// Reads one element before the start: the first one has no left neighbour.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] - x[i - 1];
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 255) / 256;
    fault_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, out, n);
}
