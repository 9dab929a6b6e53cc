// A copy of a matrix that moves what a transpose moves, tile by tile, but puts each tile back where it was.
// So it tells what a transpose owes to its 128-byte pieces, and what to the order in which its tiles come.
//
//   down = 0   neighbouring blocks take neighbouring tiles of a row of tiles, as the reads of a transpose do
//   down = 1   neighbouring blocks take neighbouring tiles of a column, as its writes do
//   a thread's share   4 elements, one 4-byte load each, through shared memory
//   block size         32 x 8 threads, a tile of 32 x 32
#include <cuda_runtime.h>

#include <cstdint>

constexpr int TILE = 32;
constexpr int ROWS = 8;  // rows of threads in a block, so a thread has TILE / ROWS elements

__global__ void tile_copy_kernel(const float* x, float* out, int64_t rows, int64_t cols, int64_t tiles_down,
                                 int64_t tiles_across, int down) {
    __shared__ float tile[TILE][TILE];
    const int64_t block = blockIdx.x;
    const int64_t first_row = (down ? block % tiles_down : block / tiles_across) * TILE;
    const int64_t first_col = (down ? block / tiles_down : block % tiles_across) * TILE;
    const int64_t col = first_col + threadIdx.x;

    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int64_t row = first_row + y;
        if (row < rows && col < cols) tile[y][threadIdx.x] = x[row * cols + col];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int64_t row = first_row + y;
        if (row < rows && col < cols) out[row * cols + col] = tile[y][threadIdx.x];
    }
}

extern "C" void tile_copy(const float* x,  // [rows, cols]
                          float* out,      // [rows, cols]
                          int64_t rows, int64_t cols, int down = 0, cudaStream_t stream = 0) {
    const int64_t across = (cols + TILE - 1) / TILE;
    const int64_t tiles_down = (rows + TILE - 1) / TILE;
    const dim3 block(TILE, ROWS);
    const unsigned blocks = static_cast<unsigned>(across * tiles_down);
    tile_copy_kernel<<<blocks, block, 0, stream>>>(x, out, rows, cols, tiles_down, across, down);
}
