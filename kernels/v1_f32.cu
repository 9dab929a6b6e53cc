// V1 float32: the plainest kernel. One thread adds one element.
//
//   a thread's share   1 element
//   global loads       one 4-byte load from a, one from b
//   block size         256 threads (256 elements)
#include <cuda_runtime.h>

#include <cstdint>

__global__ void add_f32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                        int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" void add(const float* a,  // [n]
                    const float* b,  // [n]
                    float* out,      // [n]
                    int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    add_f32<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);
}
