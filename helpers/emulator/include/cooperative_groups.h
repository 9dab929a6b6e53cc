// The emulator's <cooperative_groups.h>: the grid, the block, tiles and other lanes of a warp, with reductions, scans
// and copies. No clusters. All of it is in this one header, which those of the folder cooperative_groups/ include.
#pragma once
#include "cuda_runtime.h"

#if defined(__CUDA__)  // for the front end, which knows the execution spaces but not the emulator
#pragma clang force_cuda_host_device begin
#define CG_LINE
#define CG_ONLY_LINE
#define CG_AT
#define CG_ONLY_AT
inline void emulator_trace_copied(const void*, const void*, size_t, const void*, int64_t = -1) {}
inline void emulator_trace_commit(const void*) {}
inline void emulator_trace_copies_done(const void*, size_t, bool) {}
#else
#define CG_LINE , int line = __builtin_LINE()
#define CG_ONLY_LINE int line = __builtin_LINE()
#define CG_AT , line
#define CG_ONLY_AT line
#endif

namespace [[gnu::visibility("hidden")]] cooperative_groups {

inline unsigned thread_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned lane_in_warp() { return thread_in_block() % 32; }
inline unsigned lowest(unsigned lanes) { return static_cast<unsigned>(__ffs(static_cast<int>(lanes))) - 1; }
inline unsigned count(unsigned lanes) { return static_cast<unsigned>(__popc(lanes)); }

// ---- groups -------------------------------------------------------------------------------------------------

// Groups are not made by their names alone: only the functions below give them.
struct given {};
// What a thread has written before it arrives can be read by all behind their waits, which is where the emulator waits.
struct arrival {
    arrival(arrival&&) = default;
    explicit arrival(given) {}
};

struct grid_group {
    using arrival_token = arrival;

    explicit grid_group(given) {}
    [[nodiscard]] static arrival_token barrier_arrive() { return arrival_token(given()); }
    static void barrier_wait(arrival_token&& CG_LINE) { sync(CG_ONLY_AT); }
#if !defined(__CUDA__)
    static bool is_valid() { return emulator::self->launch->cooperative; }
    static void sync(CG_ONLY_LINE) { emulator::grid_barrier(line); }
#else
    static bool is_valid();
    static void sync();
#endif
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
    }
    static unsigned threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned long long num_threads() { return num_blocks() * threads_in_block(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() { return block_rank() * threads_in_block() + thread_in_block(); }
    static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static dim3 dim_blocks() { return group_dim(); }
    static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
inline grid_group this_grid() { return grid_group(given()); }

// What tiles of more than a warp need on a GPU.
template <unsigned kThreads = 1024>
struct block_tile_memory {
    char unused[kThreads / 32 * 8];
};

struct thread_block {
    using arrival_token = arrival;

    explicit thread_block(given) {}
    static void sync(CG_ONLY_LINE) { __syncthreads(CG_ONLY_AT); }
    [[nodiscard]] static arrival_token barrier_arrive() { return arrival_token(given()); }
    static void barrier_wait(arrival_token&& CG_LINE) { __syncthreads(CG_ONLY_AT); }
    static unsigned thread_rank() { return thread_in_block(); }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static dim3 dim_threads() { return group_dim(); }
};
inline thread_block this_thread_block() { return thread_block(given()); }
template <unsigned kThreads>
inline thread_block this_thread_block(block_tile_memory<kThreads>&) { return this_thread_block(); }
inline void sync_block() { __syncthreads(); }

// A shuffle of any plain type of up to 32 bytes: by numbers of 8.
template <typename T>
inline T shuffle(unsigned mask, T value, int lane CG_LINE) {
    static_assert(sizeof(T) <= 32, "a group's shuffle moves at most 32 bytes");
    if constexpr (std::is_arithmetic<T>::value) {
        return __shfl_sync(mask, value, lane, 32 CG_AT);
    } else {
        unsigned long long words[(sizeof(T) + 7) / 8] = {};
        memcpy(words, static_cast<const void*>(&value), sizeof value);
        for (auto& word : words) word = __shfl_sync(mask, word, lane, 32 CG_AT);
        memcpy(static_cast<void*>(&value), words, sizeof value);
        return value;
    }
}

// Lanes of one warp that work together: a tile (neighbours, a power of two of them), or any others.
struct lanes {
    unsigned mask = 0;
    unsigned meta_rank = 0, meta_size = 1;  // which of the groups that its parent was divided into

    unsigned thread_rank() const { return count(mask & ((1u << lane_in_warp()) - 1)); }
    unsigned num_threads() const { return count(mask); }
    unsigned size() const { return num_threads(); }
    unsigned meta_group_rank() const { return meta_rank; }
    unsigned meta_group_size() const { return meta_size; }
    void sync(CG_ONLY_LINE) const { __syncwarp(mask CG_AT); }
    int lane_of(unsigned rank) const {  // the lane with this rank
        unsigned left = mask;
        while (rank-- && left) left &= left - 1;
        return static_cast<int>(left ? lowest(left) : lane_in_warp());
    }
    unsigned by_rank(unsigned of_lanes) const {  // lanes, in the order of their ranks
        unsigned ranks = 0, rank = 0;
        for (unsigned left = mask; left; left &= left - 1) ranks |= (of_lanes >> lowest(left) & 1u) << rank++;
        return ranks;
    }
    template <typename T>
    T shfl(T value, unsigned rank CG_LINE) const {
        return shuffle(mask, value, lane_of(rank % num_threads()) CG_AT);
    }
    template <typename T>
    T shfl_down(T value, unsigned delta CG_LINE) const {
        const unsigned rank = thread_rank();
        return shuffle(mask, value, lane_of(rank + delta < num_threads() ? rank + delta : rank) CG_AT);
    }
    template <typename T>
    T shfl_up(T value, unsigned delta CG_LINE) const {
        const unsigned rank = thread_rank();
        return shuffle(mask, value, lane_of(rank >= delta ? rank - delta : rank) CG_AT);
    }
    template <typename T>
    T shfl_xor(T value, unsigned bits CG_LINE) const {
        const unsigned rank = thread_rank();
        return shuffle(mask, value, lane_of((rank ^ bits) < num_threads() ? rank ^ bits : rank) CG_AT);
    }
    int any(int p CG_LINE) const { return __any_sync(mask, p CG_AT); }
    int all(int p CG_LINE) const { return __all_sync(mask, p CG_AT); }
    unsigned ballot(int p CG_LINE) const { return by_rank(__ballot_sync(mask, p CG_AT)); }
    template <typename T>
    unsigned match_any(T value CG_LINE) const {
        return by_rank(__match_any_sync(mask, value CG_AT));
    }
    template <typename T>
    unsigned match_all(T value, int& all CG_LINE) const {
        return by_rank(__match_all_sync(mask, value, &all CG_AT));
    }
};
// Several whole warps that work together: neighbours in the block.
template <unsigned kSize>
struct warps {
    static unsigned thread_rank() { return thread_in_block() % kSize; }
    unsigned meta_rank = 0, meta_size = 1;  // which of the tiles that its parent was divided into
    unsigned meta_group_rank() const { return meta_rank; }
    unsigned meta_group_size() const { return meta_size; }
#if !defined(__CUDA__)
    EMULATOR_UNTRACED static void sync(CG_ONLY_LINE) {
        if (thread_block::num_threads() % kSize) {
            emulator::fault({719, emulator::Rule::barrier}, "a tile of %u threads (line %d) in a block of %u: whole tiles are meant",
                            kSize, line, thread_block::num_threads());
        }
        // The barriers of the tiles of 1024 threads, of 512, ... follow each other.
        emulator::meet_at(emulator::kNamed + 1024 / kSize - 1 + thread_in_block() / kSize, kSize, true);
    }
    template <typename T>
    EMULATOR_UNTRACED static T shfl(T value, unsigned rank CG_LINE) {
        static_assert(sizeof(T) <= 8, "a tile of more than 32 threads moves at most 8 bytes a thread");
        static thread_local char given[1024][8];
        sync(line);
        memcpy(given[thread_in_block()], static_cast<const void*>(&value), sizeof value);
        sync(line);
        memcpy(static_cast<void*>(&value), given[thread_in_block() / kSize * kSize + rank % kSize], sizeof value);
        return value;
    }
#else
    static void sync();
    template <typename T>
    static T shfl(T value, unsigned rank);
#endif
    static int any(int p CG_LINE) { return votes(p CG_AT) != 0; }
    static int all(int p CG_LINE) { return votes(p CG_AT) == kSize; }
    static unsigned votes(int p CG_LINE) {
        unsigned sum = 0;
        for (unsigned rank = 0; rank < kSize; ++rank) sum += shfl(p != 0, rank CG_AT);
        return sum;
    }
};
template <unsigned kSize, typename Parent = void>
struct thread_block_tile : std::conditional_t<(kSize > 32), warps<kSize>, lanes> {
    using Base = std::conditional_t<(kSize > 32), warps<kSize>, lanes>;
    static_assert(kSize >= 1 && kSize <= 1024 && (kSize & (kSize - 1)) == 0, "a tile has 1, 2, 4, ... 1024 threads");
    static constexpr unsigned num_threads() { return kSize; }
    static constexpr unsigned size() { return kSize; }

    __host__ __device__ explicit thread_block_tile(given) {}
    // A tile of any group is a thread_block_tile<kSize>: most kernels declare it so.
    template <typename Other, typename = std::enable_if_t<std::is_void<Parent>::value && !std::is_void<Other>::value>>
    __host__ __device__ thread_block_tile(const thread_block_tile<kSize, Other>& tile) : Base(tile) {}
};
struct coalesced_group : lanes {
    explicit coalesced_group(const lanes& group) : lanes(group) {}
};

// Any group of one block, when its kind is known at run time only.
struct thread_group {
    bool whole_block = true;
    lanes some;

    thread_group(const thread_block&) {}
    thread_group(const lanes& group) : whole_block(false), some(group) {}
    void sync(CG_ONLY_LINE) const { whole_block ? __syncthreads(CG_ONLY_AT) : __syncwarp(some.mask CG_AT); }
    unsigned thread_rank() const { return whole_block ? thread_in_block() : some.thread_rank(); }
    unsigned num_threads() const { return whole_block ? thread_block::num_threads() : some.num_threads(); }
    unsigned size() const { return num_threads(); }
};

// ---- partitions: of a block into tiles, of tiles into smaller ones, of lanes by a label ------------------------

// `size` neighbours by rank of the lanes `of`, or of the whole warp.
inline lanes tile_of(unsigned size, unsigned rank, unsigned parent_size, unsigned of) {
    lanes tile;
    tile.meta_rank = rank / size;
    tile.meta_size = (parent_size + size - 1) / size;
    unsigned at = 0, first = rank / size * size;
    for (unsigned left = of; left; left &= left - 1, ++at) {
        if (at >= first && at < first + size) tile.mask |= 1u << lowest(left);
    }
    return tile;
}
inline lanes tile_of(unsigned size, const thread_block&) {
    lanes tile = tile_of(size, lane_in_warp(), 32, ~0u);
    tile.meta_rank = thread_in_block() / size;
    tile.meta_size = (thread_block::num_threads() + size - 1) / size;
    return tile;
}
template <unsigned kSize>
inline lanes tile_of(unsigned size, const warps<kSize>& parent) {
    lanes tile = tile_of(size, lane_in_warp(), 32, ~0u);
    tile.meta_rank = parent.thread_rank() / size;
    tile.meta_size = kSize / size;
    return tile;
}
inline lanes tile_of(unsigned size, const lanes& parent) {
    return tile_of(size, parent.thread_rank(), count(parent.mask), parent.mask);
}
inline lanes tile_of(unsigned size, const thread_group& parent) {
    return parent.whole_block ? tile_of(size, this_thread_block()) : tile_of(size, parent.some);
}
template <typename Group>
constexpr unsigned kStaticSize = ~0u;
template <unsigned kSize, typename Group>
constexpr unsigned kStaticSize<thread_block_tile<kSize, Group>> = kSize;
template <unsigned kSize, typename Group>
inline thread_block_tile<kSize, Group> tiled_partition(const Group& group) {
    static_assert(kSize < kStaticSize<Group>, "a tile is smaller than the tile that it is a part of");
    thread_block_tile<kSize, Group> tile{given()};
    if constexpr (kSize > 32) {
        tile.meta_rank = group.thread_rank() / kSize;
        tile.meta_size = group.num_threads() / kSize;
    } else {
        static_cast<lanes&>(tile) = tile_of(kSize, group);
    }
    return tile;
}
inline thread_group tiled_partition(const thread_block& group, unsigned size) { return tile_of(size, group); }
inline thread_group tiled_partition(const thread_group& group, unsigned size) { return tile_of(size, group); }
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size) { return coalesced_group(tile_of(size, group)); }

inline coalesced_group coalesced_threads(CG_ONLY_LINE) {
    lanes group;
    group.mask = __activemask(CG_ONLY_AT);
    return coalesced_group(group);
}
// A group of one thread.
inline thread_block_tile<1> this_thread() {
    thread_block_tile<1> one{given()};
    one.mask = 1u << lane_in_warp();
    return one;
}
template <typename Label>
inline coalesced_group labeled_partition(const lanes& group, Label label CG_LINE) {
    lanes part;
    part.mask = __match_any_sync(group.mask, label CG_AT);
    const unsigned first = lowest(part.mask);
    const unsigned firsts = __ballot_sync(group.mask, first == lane_in_warp() CG_AT);
    part.meta_rank = count(firsts & ((1u << first) - 1));
    part.meta_size = count(firsts);
    return coalesced_group(part);
}
inline coalesced_group binary_partition(const lanes& group, bool which CG_LINE) {
    lanes part;
    const unsigned yes = __ballot_sync(group.mask, which CG_AT);
    part.mask = which ? yes : group.mask & ~yes;
    part.meta_rank = which ? 0 : 1;
    part.meta_size = 2;
    return coalesced_group(part);
}

template <typename Group>
inline void sync(const Group& group CG_LINE) { group.sync(CG_ONLY_AT); }
template <typename Group, typename Function>
inline void invoke_one(const Group& group, Function&& function) {
    if (group.thread_rank() == 0) function();
}

template <typename Group, typename Function>
inline auto invoke_one_broadcast(const Group& group, Function&& function) {
    using Result = std::decay_t<decltype(function())>;
    Result result{};
    if (group.thread_rank() == 0) result = function();
    return group.shfl(result, 0);
}

// ---- reductions and scans -------------------------------------------------------------------------------------

#define CG_OPERATOR(name, expression) \
    template <typename T = void> \
    struct name { \
        T operator()(T a, T b) const { return expression; } \
    };
CG_OPERATOR(plus, a + b)
CG_OPERATOR(less, b < a ? b : a)
CG_OPERATOR(greater, a < b ? b : a)
CG_OPERATOR(bit_and, a& b)
CG_OPERATOR(bit_or, a | b)
CG_OPERATOR(bit_xor, a ^ b)
#undef CG_OPERATOR

template <typename Group, typename T, typename Op>
inline T reduce(const Group& group, T value, Op op CG_LINE) {
    const unsigned size = group.num_threads(), rank = group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        const T other = group.shfl(value, rank + step < size ? rank + step : rank CG_AT);
        if (rank % (2 * step) == 0 && rank + step < size) value = op(value, other);
    }
    return group.shfl(value, 0 CG_AT);
}
template <typename Group, typename T, typename Op>
inline T inclusive_scan(const Group& group, T value, Op op CG_LINE) {
    const unsigned size = group.num_threads(), rank = group.thread_rank();
    for (unsigned step = 1; step < size; step *= 2) {
        const T other = group.shfl(value, rank >= step ? rank - step : rank CG_AT);
        if (rank >= step) value = op(other, value);
    }
    return value;
}
template <typename Group, typename T>
inline T inclusive_scan(const Group& group, T value CG_LINE) {
    return inclusive_scan(group, value, plus<T>() CG_AT);
}
// The first thread gets T(), as CUDA leaves it undefined but for sums.
template <typename Group, typename T, typename Op>
inline T exclusive_scan(const Group& group, T value, Op op CG_LINE) {
    const unsigned rank = group.thread_rank();
    const T before = group.shfl(inclusive_scan(group, value, op CG_AT), rank ? rank - 1 : 0 CG_AT);
    return rank ? before : T();
}
template <typename Group, typename T>
inline T exclusive_scan(const Group& group, T value CG_LINE) {
    return exclusive_scan(group, value, plus<T>() CG_AT);
}

// ---- copies: done at once, by all threads of the group; `wait` is the barrier that makes them visible -------------

template <typename Group, typename T, typename Size>
inline void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
    const size_t whole = static_cast<size_t>(bytes) / sizeof(T);
#if !defined(__CUDA__)
    if constexpr (std::is_class_v<Size>) emulator::must_be_aligned_both(to, from, Size::align);
#endif
    for (size_t i = group.thread_rank(); i < whole; i += group.num_threads()) {
        to[i] = from[i];
        emulator_trace_copied(to + i, from + i, sizeof(T), nullptr);
    }
    emulator_trace_commit(nullptr);
}
template <typename Group, typename T, typename ToLayout, typename FromLayout>
inline void memcpy_async(const Group& group, T* to, const ToLayout& room, const T* from, const FromLayout& there) {
    const size_t elements = static_cast<size_t>(room) < static_cast<size_t>(there) ? room : there;
    memcpy_async(group, to, from, elements * sizeof(T));
}
template <typename Group>
inline void wait(const Group& group CG_LINE) {
    emulator_trace_copies_done(nullptr, 0, false);
    group.sync(CG_ONLY_AT);
}
template <unsigned kStages, typename Group>
inline void wait_prior(const Group& group CG_LINE) {
    emulator_trace_copies_done(nullptr, kStages, false);
    group.sync(CG_ONLY_AT);
}

}  // namespace cooperative_groups

#undef CG_LINE
#undef CG_ONLY_LINE
#undef CG_AT
#undef CG_ONLY_AT
#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
