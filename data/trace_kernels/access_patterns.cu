// Ways to walk through global memory, one launcher each; every one copies or adds one element a thread.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void strided_kernel(const float* x, float* out, int64_t n, int64_t stride) {
    const int64_t i = thread_in_grid();
    if (i < n) out[i] = x[i * stride];
}

__global__ void shifted_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n) out[i] = x[i + 1];  // a warp's 128 bytes begin 4 bytes into a line
}

__global__ void gather_kernel(const float* x, const int* index, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n) out[i] = x[index[i]];
}

__global__ void reversed_kernel(const double* x, double* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n) out[n - 1 - i] = x[i];
}

__global__ void every_other_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n && i % 2 == 0) out[i] = 2.0f * x[i];  // half of each warp works
}

__global__ void column_sums_kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    const int64_t row = thread_in_grid();
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int64_t c = 0; c < cols; ++c) sum += x[row * cols + c];
    out[row] = sum;
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void strided(const float* x,  // [m]
                        float* out,      // [n]
                        int64_t m, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    strided_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n, m / n);
}

extern "C" void shifted(const float* x,  // [m]
                        float* out,      // [n]
                        int64_t m, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    shifted_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, m - 1 < n ? m - 1 : n);
}

extern "C" void gather(const float* x,    // [n]
                       const int* index,  // [n]
                       float* out,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    gather_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, index, out, n);
}

extern "C" void reversed(const double* x,  // [n]
                         double* out,      // [n]
                         int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    reversed_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void every_other(const float* x,  // [n]
                            float* out,      // [n]
                            int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    every_other_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void row_sums(const float* x,  // [rows, cols]
                         float* out,      // [rows]
                         int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0) {
    column_sums_kernel<<<blocks_for(rows, block_size), block_size, 0, stream>>>(x, out, rows, cols);
}
