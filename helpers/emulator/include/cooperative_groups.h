// The emulator's <cooperative_groups.h>: the block, tiles of it, and the lanes that are active. No grid, no cluster.
#pragma once
#include "cuda_runtime.h"

namespace [[gnu::visibility("hidden")]] cooperative_groups {

inline unsigned thread_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

struct thread_block {
    static void sync(int line = __builtin_LINE()) { __syncthreads(line); }
    static unsigned thread_rank() { return thread_in_block(); }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// Lanes of one warp that work together: a tile (neighbours, a power of two of them) or all active lanes.
struct lanes {
    unsigned mask = 0;
    unsigned first = 0;

    unsigned thread_rank() const {
        return static_cast<unsigned>(__popc(mask & ((1u << emulator::lane_id()) - 1)));
    }
    unsigned num_threads() const { return static_cast<unsigned>(__popc(mask)); }
    unsigned size() const { return num_threads(); }
    unsigned meta_group_rank() const { return thread_in_block() / num_threads(); }
    unsigned meta_group_size() const { return thread_block::size() / num_threads(); }
    void sync(int line = __builtin_LINE()) const { __syncwarp(mask, line); }
    int lane_of(unsigned rank) const {  // the lane with this rank
        unsigned left = mask;
        while (rank-- && left) left &= left - 1;
        return left ? __builtin_ctz(left) : emulator::lane_id();
    }
    template <typename T>
    T shfl(T value, unsigned rank, int line = __builtin_LINE()) const {
        return emulator::shuffle(mask, value, lane_of(rank % num_threads()), line);
    }
    template <typename T>
    T shfl_down(T value, unsigned delta, int line = __builtin_LINE()) const {
        const unsigned rank = thread_rank();
        return emulator::shuffle(mask, value, lane_of(rank + delta < num_threads() ? rank + delta : rank), line);
    }
    template <typename T>
    T shfl_up(T value, unsigned delta, int line = __builtin_LINE()) const {
        const unsigned rank = thread_rank();
        return emulator::shuffle(mask, value, lane_of(rank >= delta ? rank - delta : rank), line);
    }
    template <typename T>
    T shfl_xor(T value, unsigned bits, int line = __builtin_LINE()) const {
        const unsigned rank = thread_rank();
        return emulator::shuffle(mask, value, lane_of((rank ^ bits) < num_threads() ? rank ^ bits : rank), line);
    }
    int any(int p, int line = __builtin_LINE()) const { return __any_sync(mask, p, line); }
    int all(int p, int line = __builtin_LINE()) const { return __all_sync(mask, p, line); }
    unsigned ballot(int p, int line = __builtin_LINE()) const { return __ballot_sync(mask, p, line) >> first; }
};
template <unsigned kSize, typename Parent = void>
struct thread_block_tile : lanes {
    static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0, "a tile has 1, 2, 4, ... 32 threads");
};
template <unsigned kSize, typename Group>
inline thread_block_tile<kSize> tiled_partition(const Group&) {
    thread_block_tile<kSize> tile;
    tile.first = static_cast<unsigned>(emulator::lane_id()) / kSize * kSize;
    tile.mask = (kSize == 32 ? ~0u : (1u << kSize % 32) - 1) << tile.first;
    return tile;
}
struct coalesced_group : lanes {};
inline coalesced_group coalesced_threads(int line = __builtin_LINE()) {
    coalesced_group group;
    group.mask = __activemask(line);
    return group;
}

template <typename T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename Group, typename T, typename Op>
inline T reduce(const Group& group, T value, Op op, int line = __builtin_LINE()) {
    const unsigned size = group.num_threads(), rank = group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        const T other = group.shfl_down(value, step, line);
        if (rank % (2 * step) == 0 && rank + step < size) value = op(value, other);
    }
    return group.shfl(value, 0, line);
}
template <typename Group>
inline void sync(const Group& group, int line = __builtin_LINE()) { group.sync(line); }

}  // namespace cooperative_groups
