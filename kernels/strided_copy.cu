// out[i] = x[start + i * stride]: one copy, whose loads can be pulled apart, or begin in the middle of a sector.
//
//   a thread's share   8 elements, a block's width apart, so that neighbouring lanes copy neighbours
//   global loads       eight 4-byte loads before the first store; from lane to lane `stride` elements
//   block size         256 threads (2,048 elements)
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kShare = 8;

__global__ void strided(const float* __restrict__ x, float* __restrict__ out, int64_t n, int64_t stride,
                        int64_t start) {
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kShare * blockDim.x + threadIdx.x;
    float loaded[kShare];
#pragma unroll
    for (int k = 0; k < kShare; ++k) {
        const int64_t i = first + k * blockDim.x;
        if (i < n) loaded[k] = x[start + i * stride];
    }
#pragma unroll
    for (int k = 0; k < kShare; ++k) {
        const int64_t i = first + k * blockDim.x;
        if (i < n) out[i] = loaded[k];
    }
}

extern "C" void copy_strided(const float* x,  // [m]
                             float* out,      // [n]
                             int64_t m, int64_t n, int64_t stride = 1, int64_t start = 0, int block_size = 256,
                             cudaStream_t stream = 0) {
    if (n == 0) return;
    const int64_t per_block = static_cast<int64_t>(block_size) * kShare;
    // A block of 0 threads is refused at launch: so a stride that leads out of x is an error.
    const int threads = start + (n - 1) * stride < m ? block_size : 0;
    strided<<<static_cast<unsigned>((n + per_block - 1) / per_block), threads, 0, stream>>>(x, out, n, stride, start);
}
