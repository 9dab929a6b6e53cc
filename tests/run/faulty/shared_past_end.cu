// Writes past the end of an array in shared memory.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ float tile[128];
    tile[threadIdx.x * 4096] = 1.0f;  // thread 1 is past it
    __syncthreads();
    if (i < n) out[i] = x[i] + tile[0];
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 255) / 256;
    fault_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, out, n);
}
