// A block that asks for 100 KB of shared memory without having raised the limit.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    extern __shared__ float tile[];
    tile[threadIdx.x] = i < n ? x[i] : 0.0f;
    if (i < n) out[i] = tile[threadIdx.x];
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    fault_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 100 << 10, stream>>>(x, out, n);
}
