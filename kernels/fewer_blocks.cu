// C = A B for float32 without shared memory, as matmul_plain, by a number of blocks that the caller chooses: each
// takes one 16 x 16 square of C after the other. With fewer blocks fewer warps share an SM and its L1; nothing else
// changes, no register and no byte of shared memory.
//
//   a thread's share   one result a square, two 4-byte loads a product
//   block size         16 x 16 threads
#include <cuda_runtime.h>

#include <cstdint>

constexpr int SIDE = 16;

__global__ void product_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                               int64_t across, int64_t squares) {
    for (int64_t square = blockIdx.x; square < squares; square += gridDim.x) {
        const int64_t row = square / across * SIDE + threadIdx.y;
        const int64_t col = square % across * SIDE + threadIdx.x;
        if (row >= m || col >= n) continue;
        float sum = 0.0f;
        for (int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
        c[row * n + col] = sum;
    }
}

extern "C" void matmul_fewer(const float* a,  // [m, k]
                             const float* b,  // [k, n]
                             float* c,        // [m, n]
                             int64_t m, int64_t n, int64_t k, int blocks = 1024, cudaStream_t stream = 0) {
    const int64_t across = (n + SIDE - 1) / SIDE;
    const int64_t squares = across * ((m + SIDE - 1) / SIDE);
    product_kernel<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(a, b, c, m, n, k, across, squares);
}
