// Lanes that part: an early return, a switch with loads in its cases, loops of other lengths, a row that ends early.
#include <cuda_runtime.h>

#include <cstdint>

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void early_kernel(const int* x, const float* y, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    if (x[i] < 0) return;
    const float v = y[i];
    if (v < 0.5f) return;
    out[i] = sqrtf(v) * y[n - 1 - i];
}

__global__ void cases_kernel(const int* x, const float* a, const float* b, const float* c, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    float v = 0.0f;
    switch (x[i] & 7) {
        case 0: v = a[i]; break;
        case 1: v = b[i / 2] + 1.0f; break;
        case 2: v = c[n - 1 - i] * 2.0f; break;
        case 5: v = a[i] * b[i]; break;
        default: break;
    }
    out[i] = v;
}

// A row of a sparse matrix a thread: rows are of different lengths, 0 to 12.
__global__ void sparse_kernel(const float* values, const int* column, const float* x, float* out, int64_t rows) {
    const int64_t row = thread_in_grid();
    if (row >= rows) return;
    const int64_t begin = row * 12, end = begin + row * 5 % 13;
    float sum = 0.0f;
#pragma unroll 1
    for (int64_t k = begin; k < end; ++k) sum += values[k] * x[column[k]];
    out[row] = sum;
}

// Ends at the first negative number.
__global__ void until_kernel(const int* x, int* out, int64_t rows, int64_t cols) {
    const int64_t row = thread_in_grid();
    if (row >= rows) return;
    int sum = 0;
#pragma unroll 1
    for (int64_t c = 0; c < cols; ++c) {
        const int value = x[c * rows + row];
        if (value < -60) break;
        if (value % 2) continue;
        sum += value;
    }
    out[row] = sum;
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void early(const int* x,    // [n]
                      const float* y,  // [n]
                      float* out,      // [n]
                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    early_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, y, out, n);
}
extern "C" void cases(const int* x,    // [n]
                      const float* a,  // [n]
                      const float* b,  // [n]
                      const float* c,  // [n]
                      float* out,      // [n]
                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    cases_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, a, b, c, out, n);
}
extern "C" void sparse(const float* values,  // [rows, 12]
                       const int* column,    // [rows, 12]
                       const float* x,       // [cells]
                       float* out,           // [rows]
                       int64_t rows, int64_t cells, int block_size = 64, cudaStream_t stream = 0) {
    sparse_kernel<<<blocks_for(rows, block_size), block_size, 0, stream>>>(values, column, x, out, rows);
}
extern "C" void until(const int* x,  // [cols, rows]
                      int* out,      // [rows]
                      int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0) {
    until_kernel<<<blocks_for(rows, block_size), block_size, 0, stream>>>(x, out, rows, cols);
}
