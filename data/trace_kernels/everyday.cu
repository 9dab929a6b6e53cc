// What kernels of every day do: grid strides in one and two dimensions, a padded transpose, packs in shared memory, a
// histogram of each warp's own, a scan in place, shuffles of a part of a warp, a switch, loops of the lanes' own length.
#include <cuda_runtime.h>

#include <cstdint>

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void grid2d_kernel(const float* x, float* out, int rows, int cols) {
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y) {
        for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += gridDim.x * blockDim.x) {
            out[r * cols + c] = 2.0f * x[r * cols + c];
        }
    }
}

__global__ void grid_stride_kernel(const float* x, float* out, int64_t n) {
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = thread_in_grid(); i < n; i += stride) out[i] = x[i] * x[i];
}

// 32 x 8 threads move a tile of 32 x 32.
__global__ void transpose_kernel(const float* x, float* out, int rows, int cols) {
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    int r = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        if (r + k < rows && c < cols) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * cols + c];
    }
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        if (r + k < cols && c < rows) out[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
    }
}

// Packs go in, columns come out.
__global__ void packs_kernel(const float4* x, float* out) {
    __shared__ float4 packs[32][8];
    packs[threadIdx.x / 8][threadIdx.x % 8] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    const float* rows = &packs[0][0].x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        out[blockIdx.x * 1024 + k * 256 + threadIdx.x] = rows[threadIdx.x % 32 * 32 + threadIdx.x / 32 * 4 + k];
    }
}

// Each warp counts for itself; the block adds up.
__global__ void private_bins_kernel(const int* x, int* out, int64_t n) {
    __shared__ int bins[8][64];
    int* const flat = &bins[0][0];
    for (int b = threadIdx.x; b < 8 * 64; b += blockDim.x) flat[b] = 0;
    __syncthreads();
    const int64_t i = thread_in_grid();
    if (i < n) atomicAdd(&bins[threadIdx.x / 32][x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        int sum = 0;
#pragma unroll
        for (int w = 0; w < 8; ++w) sum += bins[w][threadIdx.x];
        if (sum > 0) atomicAdd(&out[threadIdx.x], sum);
    }
}

// Blelloch's exclusive scan of 256 numbers, by 128 threads, in place.
__global__ void blelloch_kernel(const float* x, float* out) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * 256;
    sums[2 * t] = x[first + 2 * t];
    sums[2 * t + 1] = x[first + 2 * t + 1];
    int step = 1;
#pragma unroll 1
    for (int threads = 128; threads > 0; threads /= 2) {
        __syncthreads();
        if (t < threads) sums[step * (2 * t + 2) - 1] += sums[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0) sums[255] = 0.0f;
#pragma unroll 1
    for (int threads = 1; threads < 256; threads *= 2) {
        step /= 2;
        __syncthreads();
        if (t < threads) {
            const int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
            const float before = sums[left];
            sums[left] = sums[right];
            sums[right] += before;
        }
    }
    __syncthreads();
    out[first + t] = sums[t];
    out[first + t + 128] = sums[t + 128];
}

// The first 20 lanes of a warp add up in fives.
__global__ void fives_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    const int lane = threadIdx.x % 32;
    if (lane < 20) {
        const float mine = i < n ? x[i] : 0.0f;
        float sum = mine;
#pragma unroll
        for (int k = 1; k < 5; ++k) sum += __shfl_sync(0x000fffff, mine, lane / 5 * 5 + (lane + k) % 5);
        if (i < n && lane % 5 == 0) out[i] = sum;
    }
}

__global__ void opcodes_kernel(const int* x, const float* a, float* out, int* seen, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    switch (x[i] % 5) {
        case 0: out[i] = a[i]; break;
        case 1: seen[i] = 1;  // falls through
        case 2: out[i] = a[i / 4] - 1.0f; break;
        case 3: return;
        default: seen[i] = 2;
    }
    out[n - 1 - i] = 0.5f;
}

// Row i of a triangle: i % 37 numbers, in each of i % 3 rounds.
__global__ void triangle_kernel(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int round = 0; round < i % 3 + 1; ++round) {
        for (int k = 0; k < i % 37; ++k) sum += x[i + 32 * k];
        sum *= 0.5f;
    }
    out[i] = sum;
}

__global__ void returns_kernel(const int* x, float* out, int* count, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    const int value = x[i];
    if (value < -100) return;
    if (value > 90) {
        atomicAdd(&count[value & 3], 1);
        return;
    }
    if (threadIdx.x % 4 == 3) return;
    out[i] = static_cast<float>(value);
}

__global__ void far_gather_kernel(const float* x, const int* index, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i * 3 < n) out[i] = x[index[i * 3]] + x[(i * 40) % n];
}

// A sparse matrix by rows: row r has the numbers begin[r] to begin[r + 1].
__global__ void rows_kernel(const int* begin, const float* values, const int* column, const float* x, float* out,
                            int rows) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int k = begin[r]; k < begin[r + 1]; ++k) sum += values[k] * x[column[k]];
    out[r] = sum;
}

// A warp a row.
__global__ void norms_kernel(const float* x, float* out, int rows, int cols) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += x[row * cols + c] * x[row * cols + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = sqrtf(sum);
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void grid2d(const float* x,  // [rows, cols]
                       float* out,      // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    grid2d_kernel<<<dim3(2, 3), dim3(16, 8), 0, stream>>>(x, out, static_cast<int>(rows), static_cast<int>(cols));
}
extern "C" void grid_stride(const float* x,  // [n]
                            float* out,      // [n]
                            int64_t n, int blocks, int block_size = 192, cudaStream_t stream = 0) {
    grid_stride_kernel<<<blocks, block_size, 0, stream>>>(x, out, n);
}
extern "C" void transpose(const float* x,  // [rows, cols]
                          float* out,      // [cols, rows]
                          int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const dim3 tiles(blocks_for(cols, 32), blocks_for(rows, 32));
    transpose_kernel<<<tiles, dim3(32, 8), 0, stream>>>(x, out, static_cast<int>(rows), static_cast<int>(cols));
}
extern "C" void packs(const float* x,  // [blocks, 1024] 16-byte aligned
                      float* out,      // [blocks, 1024]
                      int64_t blocks, cudaStream_t stream = 0) {
    packs_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(reinterpret_cast<const float4*>(x), out);
}
extern "C" void private_bins(const int* x,  // [n]
                             int* out,      // [bins]
                             int64_t n, int64_t bins, cudaStream_t stream = 0) {
    private_bins_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, n);
}
extern "C" void blelloch(const float* x,  // [blocks, 256]
                         float* out,      // [blocks, 256]
                         int64_t blocks, cudaStream_t stream = 0) {
    blelloch_kernel<<<static_cast<unsigned>(blocks), 128, 0, stream>>>(x, out);
}
extern "C" void fives(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    fives_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
extern "C" void opcodes(const int* x,    // [n]
                        const float* a,  // [n]
                        float* out,      // [n]
                        int* seen,       // [n]
                        int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    opcodes_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, a, out, seen, n);
}
extern "C" void triangle(const float* x,  // [m]
                         float* out,      // [n]
                         int64_t m, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    triangle_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, static_cast<int>(n));
}
extern "C" void returns(const int* x,  // [n]
                        float* out,    // [n]
                        int* count,    // [4]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    returns_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, count, n);
}
extern "C" void far_gather(const float* x,    // [n]
                           const int* index,  // [n]
                           float* out,        // [n]
                           int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    far_gather_kernel<<<blocks_for((n + 2) / 3, block_size), block_size, 0, stream>>>(x, index, out, n);
}
extern "C" void rows(const int* begin,     // [starts]
                     const float* values,  // [cells]
                     const int* column,    // [cells]
                     const float* x,       // [cells]
                     float* out,           // [rows]
                     int64_t starts, int64_t cells, int64_t rows, int block_size = 64, cudaStream_t stream = 0) {
    rows_kernel<<<blocks_for(rows, block_size), block_size, 0, stream>>>(begin, values, column, x, out,
                                                                         static_cast<int>(rows));
}
extern "C" void norms(const float* x,  // [rows, cols]
                      float* out,      // [rows]
                      int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    norms_kernel<<<blocks_for(rows * 32, block_size), block_size, 0, stream>>>(x, out, static_cast<int>(rows),
                                                                               static_cast<int>(cols));
}
