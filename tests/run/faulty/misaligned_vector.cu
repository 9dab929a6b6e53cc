// A float4 at an address that is no multiple of 16 bytes.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void fault_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (4 * i + 4 < n) {
        *reinterpret_cast<float4*>(out + 1 + 4 * i) = make_float4(x[4 * i], 0.0f, 0.0f, 0.0f);
    }
}

extern "C" void fault(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 255) / 256;
    fault_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, out, n);
}
