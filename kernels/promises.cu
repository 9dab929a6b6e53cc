// What can one tell the compiler about a number that it does not know? Three kernels with one loop:
//   row_sums_plain    says nothing;
//   row_sums_assume   promises that the row's length is a multiple of 4. Nothing checks a promise, and a
//                     kernel that breaks it may do anything;
//   row_sums_assert   checks the same at run time, and stops the whole program if it does not hold.
// The launchers keep the promise: any other length goes to the plain kernel.
// A thread's share: one row, 4 bytes per load. Block: any size, 256 by default.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>

#if !defined(__CUDACC__) && !defined(__clang__)
#define __builtin_assume(condition) ((void)0)  // g++ has no such promise, and needs none to be right
#endif

__device__ float row_sum(const float* x, int64_t row, int length) {
    float sum = 0.0f;
    for (int i = 0; i < length; ++i) sum += x[row * length + i];
    return sum;
}

__global__ void plain_kernel(const float* x, float* out, int64_t m, int length) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < m) out[row] = row_sum(x, row, length);
}

__global__ void assume_kernel(const float* x, float* out, int64_t m, int length) {
    __builtin_assume(length > 0 && length % 4 == 0);
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < m) out[row] = row_sum(x, row, length);
}

__global__ void assert_kernel(const float* x, float* out, int64_t m, int length) {
    assert(length > 0 && length % 4 == 0);
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < m) out[row] = row_sum(x, row, length);
}

static bool promise_holds(int64_t length) { return length > 0 && length % 4 == 0; }

static unsigned blocks_for(int64_t m, int block_size) {
    return static_cast<unsigned>((m + block_size - 1) / block_size);
}

extern "C" void row_sums_plain(const float* x,  // [m, n]
                               float* out,      // [m]
                               int64_t m, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (m == 0) return;
    plain_kernel<<<blocks_for(m, block_size), block_size, 0, stream>>>(x, out, m, static_cast<int>(n));
}

extern "C" void row_sums_assume(const float* x,  // [m, n]
                                float* out,      // [m]
                                int64_t m, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (!promise_holds(n)) return row_sums_plain(x, out, m, n, block_size, stream);
    assume_kernel<<<blocks_for(m, block_size), block_size, 0, stream>>>(x, out, m, static_cast<int>(n));
}

extern "C" void row_sums_assert(const float* x,  // [m, n]
                                float* out,      // [m]
                                int64_t m, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (!promise_holds(n)) return row_sums_plain(x, out, m, n, block_size, stream);
    assert_kernel<<<blocks_for(m, block_size), block_size, 0, stream>>>(x, out, m, static_cast<int>(n));
}
