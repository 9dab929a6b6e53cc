// C = A + B in float32, four elements a thread one after another, with and without a promise.
//   add_may_overlap   promises nothing: `out` could be `a` shifted by one, so each element must be stored
//                     before the next one is loaded;
//   add_no_overlap    says __restrict__: nobody writes what is read, so all loads can go first.
//
//   a thread's share   4 elements
//   global loads       four 4-byte loads from a, four from b
//   block size         256 threads (1,024 elements)
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kWidth = 4;

__global__ void may_overlap(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
#pragma unroll
        for (int k = 0; k < kWidth; ++k) out[i + k] = a[i + k] + b[i + k];
    } else {
#pragma unroll 1
        for (int64_t k = i; k < n; ++k) out[k] = a[k] + b[k];
    }
}

__global__ void no_overlap(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                           int64_t n) {
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
#pragma unroll
        for (int k = 0; k < kWidth; ++k) out[i + k] = a[i + k] + b[i + k];
    } else {
#pragma unroll 1
        for (int64_t k = i; k < n; ++k) out[k] = a[k] + b[k];
    }
}

static unsigned blocks_for(int64_t n, int block_size) {
    const int64_t per_block = static_cast<int64_t>(block_size) * kWidth;
    return static_cast<unsigned>((n + per_block - 1) / per_block);
}

extern "C" void add_may_overlap(const float* a,  // [n]
                                const float* b,  // [n]
                                float* out,      // [n]
                                int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    may_overlap<<<blocks_for(n, block_size), block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void add_no_overlap(const float* a,  // [n]
                               const float* b,  // [n]
                               float* out,      // [n]
                               int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    no_overlap<<<blocks_for(n, block_size), block_size, 0, stream>>>(a, b, out, n);
}
