// How long does one load take? Follow a chain of indices: no load can start before the last one came back.
//
// One thread follows `steps` links of `next`, starting at next[0], and reads the clock of its multiprocessor
// before and after. cycles / steps is the latency of one load (and of the address arithmetic, a few
// cycles). Where the chain fits decides which memory answers: L1, L2 or DRAM.
// A thread's share: all of it, in 4-byte loads, one in flight. Grid: one block of one thread.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void pointer_chase_kernel(const int* next, int* last, int64_t* cycles, int64_t steps) {
    int at = 0;
    const long long start = clock64();
#pragma unroll 16
    for (int64_t s = 0; s < steps; ++s) at = next[at];
    *last = at;  // the result must be used, or the compiler would drop the loop; it waits for the last load
    *cycles = clock64() - start;
}

extern "C" void pointer_chase(const int* next,  // [n]
                              int* last,        // [1]
                              int64_t* cycles,  // [1]
                              int64_t n, int64_t steps, cudaStream_t stream = 0) {
    if (n == 0) return;
    pointer_chase_kernel<<<1, 1, 0, stream>>>(next, last, cycles, steps);
}
