// C = A B for float32, four ways. What changes is how often global memory is asked for the same element,
// and how much work and how many registers a thread has:
//
//   launcher          block          a thread makes   global loads per product   shared memory
//   matmul_plain      16 x 16        1 result         2                          none
//   matmul_tile16     16 x 16        1 result         2 / 16                     2 KB
//   matmul_tile32     32 x 32        1 result         2 / 32                     8 KB, `padding` more columns
//   matmul_registers  256            8 x 8 results    2 / 128                    8.25 KB
//
// (The last column counts what a block of full tiles loads; a product is one multiply-add.)
// All loads from global memory are 4 bytes wide. Any m, n and k: what lies outside counts as zero.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void plain_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    const int64_t col = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

// Each block brings one TILE x TILE piece of A and of B into shared memory; each of its threads then
// uses TILE elements of both. PADDING makes the rows longer in memory than they are.
template <int TILE, int PADDING>
__global__ void tile_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    __shared__ float tile_a[TILE][TILE + PADDING];
    __shared__ float tile_b[TILE][TILE + PADDING];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int64_t row = static_cast<int64_t>(blockIdx.y) * TILE + y;
    const int64_t col = static_cast<int64_t>(blockIdx.x) * TILE + x;
    float sum = 0.0f;
    for (int64_t start = 0; start < k; start += TILE) {
        tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
        tile_b[y][x] = col < n && start + y < k ? b[(start + y) * n + col] : 0.0f;
        __syncthreads();  // nobody reads before all have written
#pragma unroll
        for (int i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();  // nobody writes the next piece before all have read this one
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

// A block makes 128 x 128 results, a thread 8 x 8 of them: four squares of 4 x 4, 64 rows and columns
// apart, so that neighbouring threads read neighbouring 16-byte pieces of shared memory. Each number
// that comes from shared memory is used 8 times from a register.
constexpr int SIDE = 128;       // results per block, down and across
constexpr int DEPTH = 8;        // columns of A and rows of B in shared memory at a time
constexpr int THREADS = 256;    // 16 x 16 threads
constexpr int PITCH = SIDE + 4;  // 4 more: else the writes of A's columns would meet in the same banks

// At least two blocks per multiprocessor: at most 65536 / (2 x 256) = 128 registers a thread.
__global__ void __launch_bounds__(THREADS, 2)
    registers_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    __shared__ alignas(16) float tile_a[DEPTH][PITCH];  // transposed: one column of A is one row here
    __shared__ alignas(16) float tile_b[DEPTH][PITCH];
    const int t = threadIdx.x;
    const int x = t % 16 * 4;  // this thread's first column and row in the block's square
    const int y = t / 16 * 4;

    // From here on rows and columns count from the block's own corner, so that they fit an int.
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * SIDE;
    const int64_t first_col = static_cast<int64_t>(blockIdx.x) * SIDE;
    const int rows = m - first_row < SIDE ? static_cast<int>(m - first_row) : SIDE;
    const int cols = n - first_col < SIDE ? static_cast<int>(n - first_col) : SIDE;
    c += first_row * n + first_col;

    // Each thread brings 4 elements of A, neighbours along a row of 8, and 4 of B, along a row of 128.
    constexpr int PIECES = SIDE * DEPTH / THREADS;
    const int a_row = t / DEPTH, a_col = t % DEPTH;
    const int b_row = t / SIDE, b_col = t % SIDE;
    a += (first_row + a_row) * k + a_col;
    b += b_row * n + first_col + b_col;

    float sum[8][8] = {};
    for (int64_t start = 0; start < k; start += DEPTH) {
#pragma unroll
        for (int piece = 0; piece < PIECES; ++piece) {
            const int row = a_row + piece * (THREADS / DEPTH);
            const int i = b_row + piece * (THREADS / SIDE);
            tile_a[a_col][row] = row < rows && start + a_col < k ? a[piece * (THREADS / DEPTH) * k] : 0.0f;
            tile_b[i][b_col] = b_col < cols && start + i < k ? b[piece * (THREADS / SIDE) * n] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float of_a[8], of_b[8];
#pragma unroll
            for (int r = 0; r < 8; ++r) of_a[r] = tile_a[i][y + r % 4 + r / 4 * 64];
#pragma unroll
            for (int s = 0; s < 8; ++s) of_b[s] = tile_b[i][x + s % 4 + s / 4 * 64];
#pragma unroll
            for (int r = 0; r < 8; ++r) {
#pragma unroll
                for (int s = 0; s < 8; ++s) sum[r][s] += of_a[r] * of_b[s];
            }
        }
        __syncthreads();
        a += DEPTH;
        b += DEPTH * n;
    }

#pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int row = y + r % 4 + r / 4 * 64;
#pragma unroll
        for (int s = 0; s < 8; ++s) {
            const int col = x + s % 4 + s / 4 * 64;
            if (row < rows && col < cols) c[row * n + col] = sum[r][s];
        }
    }
}

static dim3 grid_of(int64_t m, int64_t n, int side) {
    return dim3(static_cast<unsigned>((n + side - 1) / side), static_cast<unsigned>((m + side - 1) / side));
}

extern "C" void matmul_plain(const float* a,  // [m, k]
                             const float* b,  // [k, n]
                             float* c,        // [m, n]
                             int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const dim3 grid = grid_of(m, n, 16);
    plain_kernel<<<grid, dim3(16, 16), 0, stream>>>(a, b, c, m, n, k);
}

extern "C" void matmul_tile16(const float* a,  // [m, k]
                              const float* b,  // [k, n]
                              float* c,        // [m, n]
                              int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const dim3 grid = grid_of(m, n, 16);
    tile_kernel<16, 0><<<grid, dim3(16, 16), 0, stream>>>(a, b, c, m, n, k);
}

extern "C" void matmul_tile32(const float* a,  // [m, k]
                              const float* b,  // [k, n]
                              float* c,        // [m, n]
                              int64_t m, int64_t n, int64_t k, int padding = 1, cudaStream_t stream = 0) {
    const dim3 grid = grid_of(m, n, 32);
    if (padding) {
        tile_kernel<32, 1><<<grid, dim3(32, 32), 0, stream>>>(a, b, c, m, n, k);
    } else {
        tile_kernel<32, 0><<<grid, dim3(32, 32), 0, stream>>>(a, b, c, m, n, k);
    }
}

extern "C" void matmul_registers(const float* a,  // [m, k]
                                 const float* b,  // [k, n]
                                 float* c,        // [m, n]
                                 int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const dim3 grid = grid_of(m, n, SIDE);
    registers_kernel<<<grid, THREADS, 0, stream>>>(a, b, c, m, n, k);
}
