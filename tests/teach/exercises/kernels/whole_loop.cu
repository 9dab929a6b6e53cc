// out = 2 * x in float32, as one writes it in Python: every thread goes through all elements.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void scale_all(const float* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = 2.0f * x[i];
}

extern "C" void scale(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    scale_all<<<2, 64, 0, stream>>>(x, out, n);
}
