// select_both of divergence.cu with two stores, one for each side: what does a second store of a warp cost?
//
// Both ways for every element, as select_both, but each result has a store of its own, made by the lanes that want it.
// So a warp that holds both kinds of elements stores twice, as with `branch`, and no lane ends before the others.
//   a thread's share   1 element, one 4-byte load, one 4-byte store
//   block size         any, 256 by default
#include <cuda_runtime.h>

#include <cstdint>

// STEPS > 0 is known to the compiler, which unrolls it; STEPS = 0 takes the count at run time.
template <int STEPS>
__global__ void two_stores_kernel(const float* x, float* out, int64_t n, int steps) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float value = x[i];
    const int count = STEPS > 0 ? STEPS : steps;
    float if_long = value;
    for (int s = 0; s < count; ++s) if_long = if_long * 0.75f + 0.5f;
    if (value >= 0.0f) out[i] = if_long;
    __syncwarp();  // else the compiler makes a branch of it again, at whose end lanes leave
    if (!(value >= 0.0f)) out[i] = value + 1.0f;
    __syncwarp();
}

extern "C" void two_stores(const float* x,  // [n]
                           float* out,      // [n]
                           int64_t n, int steps = 4, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + block_size - 1) / block_size);
    switch (steps) {  // the counts that are compiled in; every other one takes the last line
        case 1: two_stores_kernel<1><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 2: two_stores_kernel<2><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        case 4: two_stores_kernel<4><<<blocks, block_size, 0, stream>>>(x, out, n, steps); break;
        default: two_stores_kernel<0><<<blocks, block_size, 0, stream>>>(x, out, n, steps);
    }
}
