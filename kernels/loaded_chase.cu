// How long does one load take while others keep the memory busy? A pointer chase beside blocks that only read.
//
// Block 0 follows `steps` links of `next` with one thread and reads the clock of its multiprocessor before and
// after, as pointer_chase does. The other blocks read x, 16 bytes a load: `threads` of them, which decides how
// much they have in flight. They should last longer than the chase: give them enough to read.
// A thread's share: n / threads elements, one load at a time; it writes its own sum. Block size: 256 threads.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void __launch_bounds__(256)
    loaded_chase_kernel(const int* next, const float* x, int* last, int64_t* cycles, float* sums, int64_t n,
                        int64_t threads, int64_t steps) {
    if (blockIdx.x == 0) {
        if (threadIdx.x > 0) return;
        int at = 0;
        const long long start = clock64();
#pragma unroll 16
        for (int64_t s = 0; s < steps; ++s) at = next[at];
        *last = at;
        *cycles = clock64() - start;
        return;
    }
    const int64_t thread = (static_cast<int64_t>(blockIdx.x) - 1) * blockDim.x + threadIdx.x;
    if (thread >= threads) return;
    float sum = 0.0f;
    const float4* packs = reinterpret_cast<const float4*>(x);
#pragma unroll 1  // one load in flight a thread
    for (int64_t i = thread; i < n / 4; i += threads) {
        const float4 pack = packs[i];
        sum += (pack.x + pack.y) + (pack.z + pack.w);
    }
    if (thread < n % 4) sum += x[n / 4 * 4 + thread];
    sums[thread] = sum;
}

extern "C" void loaded_chase(const int* next,  // [links]
                             const float* x,   // [n] 16-byte aligned
                             int* last,        // [1]
                             int64_t* cycles,  // [1]
                             float* sums,      // [threads]
                             int64_t links, int64_t n, int64_t threads, int64_t steps, cudaStream_t stream = 0) {
    if (links == 0) return;
    const int64_t blocks = 1 + (threads + 255) / 256;
    loaded_chase_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(next, x, last, cycles, sums, n, threads,
                                                                           steps);
}
