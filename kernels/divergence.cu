// What does a branch cost when the threads of one warp disagree?
//
// Every element goes one of two ways, by its sign: x >= 0 through a chain of `steps` multiply-adds, each
// waiting for the one before it; x < 0 through a single add. Three launchers:
//   branch       if / else, as one would write it;
//   select_both  both ways for every element, then keep the wanted one: nothing diverges;
//   all_long     the long way for every element. It computes something else as soon as one x < 0, so
//                it is no fair partner for `branch`; it is here because such comparisons are published.
// A thread's share: 1 element, one 4-byte load. Block: any size, 256 by default.
#include <cuda_runtime.h>

#include <cstdint>

// STEPS > 0 is known to the compiler, which unrolls it and may then drop a cheap branch by itself.
// STEPS = 0 takes the count at run time, and stays a loop.
template <int STEPS>
__device__ float long_way(float x, int steps) {
    const int count = STEPS > 0 ? STEPS : steps;
    for (int s = 0; s < count; ++s) x = x * 0.75f + 0.5f;
    return x;
}

__device__ float short_way(float x) { return x + 1.0f; }

template <int STEPS>
__global__ void branch_kernel(const float* x, float* out, int64_t n, int steps) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float value = x[i];
    if (value >= 0.0f) {
        out[i] = long_way<STEPS>(value, steps);
    } else {
        out[i] = short_way(value);
    }
}

template <int STEPS>
__global__ void select_kernel(const float* x, float* out, int64_t n, int steps) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float value = x[i];
    const float if_long = long_way<STEPS>(value, steps);
    const float if_short = short_way(value);
    out[i] = value >= 0.0f ? if_long : if_short;
}

template <int STEPS>
__global__ void all_long_kernel(const float* x, float* out, int64_t n, int steps) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = long_way<STEPS>(x[i], steps);
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void branch(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, int steps = 100, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const unsigned blocks = blocks_for(n, block_size);
    switch (steps) {  // the counts that are compiled in; every other one takes the last line
        case 1: branch_kernel<1><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 2: branch_kernel<2><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 4: branch_kernel<4><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 8: branch_kernel<8><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 16: branch_kernel<16><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 32: branch_kernel<32><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 64: branch_kernel<64><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 128: branch_kernel<128><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 256: branch_kernel<256><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 100: branch_kernel<100><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        default: branch_kernel<0><<<blocks, block_size, 0, stream>>>(x, out, n, steps);
    }
}

extern "C" void select_both(const float* x,  // [n]
                            float* out,      // [n]
                            int64_t n, int steps = 100, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const unsigned blocks = blocks_for(n, block_size);
    switch (steps) {
        case 1: select_kernel<1><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 2: select_kernel<2><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 4: select_kernel<4><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 8: select_kernel<8><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 16: select_kernel<16><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 32: select_kernel<32><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 64: select_kernel<64><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 128: select_kernel<128><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 256: select_kernel<256><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 100: select_kernel<100><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        default: select_kernel<0><<<blocks, block_size, 0, stream>>>(x, out, n, steps);
    }
}

extern "C" void all_long(const float* x,  // [n]
                         float* out,      // [n]
                         int64_t n, int steps = 100, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const unsigned blocks = blocks_for(n, block_size);
    if (steps == 100) {
        all_long_kernel<100><<<blocks, block_size, 0, stream>>>(x, out, n, steps);
    } else {
        all_long_kernel<0><<<blocks, block_size, 0, stream>>>(x, out, n, steps);
    }
}
