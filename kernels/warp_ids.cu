// Which warp, and which lane of it, does the hardware give to each thread of a block?
//
// A thread's share: itself. Each thread asks the hardware (not arithmetic on threadIdx) three things:
//   lane    its place in its warp, from the special register %laneid;
//   leader  the linear thread id of lane 0 of its warp, handed over by a warp shuffle:
//           threads that answer the same leader sit in the same warp;
//   slot    %warpid, the warp's slot on its multiprocessor. It may differ from run to run, and equals
//           the warp's number in the block only by chance.
// Loads: none. Block: (bx, by, bz), any shape of up to 1,024 threads; as many blocks as n threads need.
#include <cuda_runtime.h>

#include <cstdint>

__device__ int hardware_lane() {
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ int hardware_slot() {
    int slot;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    return slot;
}

__global__ void warp_ids_kernel(int* lane, int* leader, int* slot, int64_t n) {
    // The rule that this kernel puts to the test: x runs fastest, then y, then z.
    const int linear = static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    const int64_t threads = static_cast<int64_t>(blockDim.x) * blockDim.y * blockDim.z;
    const int64_t i = blockIdx.x * threads + linear;

    // The mask of a shuffle names the lanes that take part: all of this warp, of which the last one of a
    // block may have fewer than 32. __activemask() would only say who happens to be here by now.
    const int in_warp = min(static_cast<int>(threads) - (linear - linear % 32), 32);
    const unsigned members = 0xffffffffu >> (32 - in_warp);
    const int first = __shfl_sync(members, linear, 0);

    if (i < n) {
        lane[i] = hardware_lane();
        leader[i] = first;
        slot[i] = hardware_slot();
    }
}

extern "C" void warp_ids(int* lane,    // [n]
                         int* leader,  // [n]
                         int* slot,    // [n]
                         int64_t n, int bx, int by = 1, int bz = 1, cudaStream_t stream = 0) {
    if (n == 0) return;
    const dim3 block(bx, by, bz);
    const int64_t threads = static_cast<int64_t>(bx) * by * bz;
    const int64_t blocks = threads > 0 ? (n + threads - 1) / threads : 1;
    warp_ids_kernel<<<static_cast<unsigned>(blocks), block, 0, stream>>>(lane, leader, slot, n);
}
