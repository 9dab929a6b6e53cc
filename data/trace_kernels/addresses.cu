// Addresses that lanes share, or that lie in odd places: broadcasts, 2-D blocks, structs of 24 bytes, halos, a search.
#include <cuda_runtime.h>

#include <cstdint>

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

struct Vector3 {
    double x, y, z;
};

__global__ void broadcast_kernel(const float* x, const float* scale, const float* bias, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n) out[i] = x[i] * scale[i / 10] + bias[0];
}

// Blocks of 16 x 8 threads: a warp covers two rows of 16.
__global__ void columns_kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    const int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    const int64_t col = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = x[row * cols + col];
}

__global__ void lengths_kernel(const Vector3* x, double* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    const Vector3 v = x[i];
    out[i] = v.x * v.x + v.y * v.y + v.z * v.z;
}

__global__ void blur_kernel(const int16_t* x, int16_t* out, int64_t rows, int64_t cols) {
    const int64_t i = thread_in_grid();
    if (i >= rows * cols) return;
    const int64_t row = i / cols, col = i % cols;
    int sum = 4 * x[i];
    if (row > 0) sum += x[i - cols];
    if (row + 1 < rows) sum += x[i + cols];
    if (col > 0) sum += x[i - 1];
    if (col + 1 < cols) sum += x[i + 1];
    out[i] = static_cast<int16_t>(sum / 8);
}

// Where x[i] stands in the sorted table: the lanes' steps lead to other places, and end at other times.
__global__ void search_kernel(const int* x, const int* table, int* out, int64_t n, int64_t m) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    const int wanted = x[i];
    int low = 0, high = static_cast<int>(m);
#pragma unroll 1
    while (low < high) {
        const int middle = (low + high) / 2;
        if (table[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[i] = low;
}

// Two elements a thread by one load; the last one alone.
__global__ void pairs_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = 2 * thread_in_grid();
    if (i + 1 < n) {
        const float2 pair = *reinterpret_cast<const float2*>(x + i);
        *reinterpret_cast<float2*>(out + i) = make_float2(pair.y, pair.x);
    } else if (i < n) {
        out[i] = x[i];
    }
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void broadcast(const float* x,      // [n]
                          const float* scale,  // [n]
                          const float* bias,   // [1]
                          float* out,          // [n]
                          int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    broadcast_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, scale, bias, out, n);
}
extern "C" void columns(const float* x,  // [rows, cols]
                        float* out,      // [cols, rows]
                        int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const dim3 blocks(blocks_for(cols, 16), blocks_for(rows, 8));
    columns_kernel<<<blocks, dim3(16, 8), 0, stream>>>(x, out, rows, cols);
}
extern "C" void lengths(const double* x,  // [n, 3]
                        double* out,      // [n]
                        int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    lengths_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(reinterpret_cast<const Vector3*>(x), out, n);
}
extern "C" void blur(const int16_t* x,  // [rows, cols]
                     int16_t* out,      // [rows, cols]
                     int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    blur_kernel<<<blocks_for(rows * cols, 128), 128, 0, stream>>>(x, out, rows, cols);
}
extern "C" void search(const int* x,      // [n]
                       const int* table,  // [m]
                       int* out,          // [n]
                       int64_t n, int64_t m, int block_size = 64, cudaStream_t stream = 0) {
    search_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, table, out, n, m);
}
extern "C" void pairs(const float* x,  // [n] 8-byte aligned
                      float* out,      // [n] 8-byte aligned
                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    pairs_kernel<<<blocks_for((n + 1) / 2, block_size), block_size, 0, stream>>>(x, out, n);
}
