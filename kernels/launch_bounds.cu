// Subtracts from every column of a 40-row matrix its largest value: four kernels with one body, each with a
// different promise to the compiler. A thread keeps its whole column in registers, so that it reads it once.
//   plain                no promise
//   for_4, for_6, for_8  __launch_bounds__(256, 4), (256, 6), (256, 8): at most 256 threads a block, at least
//                        4, 6, 8 blocks on a multiprocessor. The compiler caps the registers to make it true.
//
//   a thread's share   one column: 40 elements
//   global loads       forty 4-byte loads
//   block size         256 threads at most
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kRows = 40;
constexpr int kMaxThreads = 256;

__device__ void subtract_max(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float column[kRows];
#pragma unroll
    for (int k = 0; k < kRows; ++k) column[k] = x[k * n + i];
    float largest = column[0];
#pragma unroll
    for (int k = 1; k < kRows; ++k) largest = fmaxf(largest, column[k]);
#pragma unroll
    for (int k = 0; k < kRows; ++k) out[k * n + i] = column[k] - largest;
}

__global__ void plain(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    subtract_max(x, out, n);
}

__global__ void __launch_bounds__(kMaxThreads, 4)
    for_4(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    subtract_max(x, out, n);
}

__global__ void __launch_bounds__(kMaxThreads, 6)
    for_6(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    subtract_max(x, out, n);
}

__global__ void __launch_bounds__(kMaxThreads, 8)
    for_8(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
    subtract_max(x, out, n);
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void subtract_max_plain(const float* x,  // [40, n]
                                   float* out,      // [40, n]
                                   int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    plain<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void subtract_max_4(const float* x,  // [40, n]
                               float* out,      // [40, n]
                               int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    for_4<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void subtract_max_6(const float* x,  // [40, n]
                               float* out,      // [40, n]
                               int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    for_6<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}

extern "C" void subtract_max_8(const float* x,  // [40, n]
                               float* out,      // [40, n]
                               int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    for_8<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
