// A barrier that only the first half of a block comes to; the others wait for it in a loop of their own.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ volatile int arrived;
    if (threadIdx.x == 0) arrived = 0;
    __syncthreads();
    if (threadIdx.x < 128) {
        __syncthreads();  // threads 128 to 255 never come here
        arrived = 1;
    }
    if (i < n) out[i] = x[i] + arrived;
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 255) / 256;
    fault_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, out, n);
}
