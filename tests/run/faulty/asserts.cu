// An assertion that thread 3 does not keep.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    assert(i < 3);
    if (i < n) out[i] = x[i];
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 255) / 256;
    fault_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, out, n);
}
