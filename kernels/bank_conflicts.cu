// Shared memory has 32 banks of 4 bytes, and each serves one word a cycle. What if lanes want the same bank?
//
//   transpose     a matrix through 32 x 32 tiles of shared memory: rows go in, columns come out. With
//                 padding = 0 a column lies in one bank (32 wavefronts), with padding = 1 in 32 banks (one wavefront).
//                 A thread's share: 4 elements, one 4-byte load each. Block: 32 x 8 threads.
//   strided_walk  each lane follows a chain of `rounds` dependent reads in shared memory, and the lanes stay
//                 `stride` words apart (0 to 32): 32 / gcd(stride, 32) banks are in use. Each thread
//                 writes where it ended: (lane * stride + rounds) mod 1024.
//                 A thread's share: its own chain. Block: any size up to 1,024, 256 by default.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int TILE = 32;
constexpr int ROWS = 8;  // rows of threads in a block, so a thread has TILE / ROWS elements

template <int PADDING>
__global__ void transpose_kernel(const float* x, float* out, int64_t rows, int64_t cols, int64_t blocks_across) {
    __shared__ float tile[TILE][TILE + PADDING];
    const int64_t first_row = blockIdx.x / blocks_across * TILE;
    const int64_t first_col = blockIdx.x % blocks_across * TILE;

    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int64_t row = first_row + y, col = first_col + threadIdx.x;
        if (row < rows && col < cols) tile[y][threadIdx.x] = x[row * cols + col];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int64_t row = first_col + y, col = first_row + threadIdx.x;  // of the result
        if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][y];
    }
}

constexpr int WORDS = 1024;

__global__ void strided_walk_kernel(int* out, int64_t n, int stride, int rounds) {
    __shared__ int next[WORDS];
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x) next[w] = (w + 1) % WORDS;
    __syncthreads();
    int at = threadIdx.x % 32 * stride % WORDS;
    for (int r = 0; r < rounds; ++r) at = next[at];
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = at;
}

extern "C" void transpose(const float* x,  // [rows, cols]
                          float* out,      // [cols, rows]
                          int64_t rows, int64_t cols, int padding = 1, cudaStream_t stream = 0) {
    const int64_t across = (cols + TILE - 1) / TILE;
    const unsigned blocks = static_cast<unsigned>(across * ((rows + TILE - 1) / TILE));
    const dim3 block(TILE, ROWS);
    if (padding) {
        transpose_kernel<1><<<blocks, block, 0, stream>>>(x, out, rows, cols, across);
    } else {
        transpose_kernel<0><<<blocks, block, 0, stream>>>(x, out, rows, cols, across);
    }
}

extern "C" void strided_walk(int* out,  // [n]
                             int64_t n, int stride = 1, int rounds = 1000, int block_size = 256,
                             cudaStream_t stream = 0) {
    if (n == 0) return;
    const int64_t blocks = (n + block_size - 1) / block_size;
    strided_walk_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(out, n, stride, rounds);
}
