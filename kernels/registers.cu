// Subtracts from every column of a 40-row matrix its largest value, as launch_bounds.cu does, in three texts that
// ask for different numbers of registers without a promise to the compiler.
//   subtract_max_kept      keeps the column: 40 values that are needed again;
//   subtract_max_reused    keeps it too, and uses one variable again wherever it can;
//   subtract_max_reloaded  keeps nothing: it reads the column a second time.
//
//   a thread's share   one column: 40 elements
//   global loads       forty 4-byte loads, eighty in subtract_max_reloaded
//   block size         256 threads
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kRows = 40;

__global__ void kept(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float column[kRows];
#pragma unroll
    for (int k = 0; k < kRows; ++k) column[k] = x[k * n + i];
    float largest = column[0];
#pragma unroll
    for (int k = 1; k < kRows; ++k) largest = fmaxf(largest, column[k]);
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
        const float difference = column[k] - largest;
        out[k * n + i] = difference;
    }
}

__global__ void reused(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float column[kRows];
    float value;  // for whatever is needed next
#pragma unroll
    for (int k = 0; k < kRows; ++k) column[k] = x[k * n + i];
    value = column[0];
#pragma unroll
    for (int k = 1; k < kRows; ++k) value = fmaxf(value, column[k]);
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
        column[k] = column[k] - value;
        out[k * n + i] = column[k];
    }
}

__global__ void reloaded(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float largest = x[i];
#pragma unroll 8
    for (int k = 1; k < kRows; ++k) largest = fmaxf(largest, x[k * n + i]);
#pragma unroll 8
    for (int k = 0; k < kRows; ++k) out[k * n + i] = x[k * n + i] - largest;
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void subtract_max_kept(const float* x,  // [40, n]
                                  float* out,      // [40, n]
                                  int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    kept<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void subtract_max_reused(const float* x,  // [40, n]
                                    float* out,      // [40, n]
                                    int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    reused<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void subtract_max_reloaded(const float* x,  // [40, n]
                                      float* out,      // [40, n]
                                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    reloaded<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
