// A copy of a matrix, tile by tile, like tile_copy.cu: what costs time there, the narrow pieces or the barrier?
//
//   width     columns of a tile: a block moves pieces of 4 * width neighbouring bytes, a row apart; 32 to 1,024, a
//             power of two. A tile always has 1,024 elements.
//   barrier   1: through shared memory, with __syncthreads() between a thread's loads and its stores; 0: without
//   a thread's share   4 elements, one 4-byte load each
//   block size         256 threads
#include <cuda_runtime.h>

#include <cstdint>

constexpr int THREADS = 256;
constexpr int SHARE = 4;  // elements a thread
constexpr int TILE = THREADS * SHARE;

template <bool BARRIER>
__global__ void piece_copy_kernel(const float* x, float* out, int64_t rows, int64_t cols, int64_t tiles_across,
                                  int width) {
    __shared__ float tile[BARRIER ? TILE : 1];
    float kept[SHARE];
    const int64_t first_row = blockIdx.x / tiles_across * (TILE / width);
    const int64_t first_col = blockIdx.x % tiles_across * width;
#pragma unroll
    for (int k = 0; k < SHARE; ++k) {
        const int at = k * THREADS + threadIdx.x;
        const int64_t row = first_row + at / width, col = first_col + at % width;
        if (row < rows && col < cols) kept[k] = x[row * cols + col];
        if (BARRIER) tile[at] = kept[k];
    }
    if (BARRIER) __syncthreads();
#pragma unroll
    for (int k = 0; k < SHARE; ++k) {
        const int at = k * THREADS + threadIdx.x;
        const int64_t row = first_row + at / width, col = first_col + at % width;
        if (row < rows && col < cols) out[row * cols + col] = BARRIER ? tile[at] : kept[k];
    }
}

extern "C" void piece_copy(const float* x,  // [rows, cols]
                           float* out,      // [rows, cols]
                           int64_t rows, int64_t cols, int width = 32, int barrier = 0, cudaStream_t stream = 0) {
    const int64_t across = (cols + width - 1) / width, height = TILE / width;
    const auto blocks = static_cast<unsigned>(across * ((rows + height - 1) / height));
    const auto kernel = barrier ? piece_copy_kernel<true> : piece_copy_kernel<false>;
    kernel<<<blocks, THREADS, 0, stream>>>(x, out, rows, cols, across, width);
}
