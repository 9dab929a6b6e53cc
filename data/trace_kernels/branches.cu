// Threads of a warp that go different ways: loops of different length, nested ones, and four ways.
#include <cuda_runtime.h>

#include <cstdint>

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void collatz_kernel(const int* x, int* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    int steps = 0;
#pragma unroll 1
    for (unsigned v = static_cast<unsigned>(x[i] & 1023) + 1; v != 1; ++steps) {
        if (v % 2) {
            v = 3 * v + 1;
        } else {
            v /= 2;
        }
    }
    out[i] = steps;
}

// Row i has i % 7 + 1 numbers of x[i % 5 + 1] steps each: two loops, each of another length in each lane.
__global__ void nested_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < i % 5 + 1; ++j) {
#pragma unroll 1
        for (int k = 0; k < (i + j) % 4; ++k) sum += x[(i + 32 * k) % n];
        sum *= 0.5f;
    }
    out[i] = sum;
}

__global__ void four_ways_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    float v = x[i];
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        switch ((i + k) % 4) {
            case 0: v = sinf(v); break;
            case 1: v = sqrtf(fabsf(v)); break;
            case 2: v = expf(v); break;
            default: v = v / (1.0f + v * v);
        }
    }
    out[i] = v;
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void collatz(const int* x,  // [n]
                        int* out,      // [n]
                        int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    collatz_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
extern "C" void nested(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    nested_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
extern "C" void four_ways(const float* x,  // [n]
                          float* out,      // [n]
                          int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    four_ways_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
