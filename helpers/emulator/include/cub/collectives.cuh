// A part of CUB for the emulator: BlockReduce, WarpReduce, BlockScan, WarpScan, BlockLoad, BlockStore,
// BlockRadixSort, BlockHistogram, and what rearrangement.cuh has. Sums are made in the order of the threads.
#pragma once
#include <cuda/functional>
#include <type_traits>

#include "../cooperative_groups.h"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace [[gnu::visibility("hidden")]] cub {

namespace emulated {  // since CUDA 13, CUB has no operators of its own for sums and limits
struct Plus {
    template <typename T>
    constexpr T operator()(const T& a, const T& b) const { return a + b; }
};
}  // namespace emulated

template <typename Key, typename Value>
struct KeyValuePair {
    KeyValuePair() = default;
    KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
    bool operator!=(const KeyValuePair& other) const { return value != other.value || key != other.key; }

    Key key;
    Value value;
};
// Of equal values, the one with the smaller key.
struct ArgMax {
    template <typename Pair>
    constexpr Pair operator()(const Pair& a, const Pair& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename Pair>
    constexpr Pair operator()(const Pair& a, const Pair& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING,
                          BLOCK_SCAN_RAKING_MEMOIZE,
                          BLOCK_SCAN_WARP_SCANS };

#if defined(__CUDA__)
inline void check_block(int) {}
#else
inline void check_block(int threads) {
    const int here = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    if (here != threads) {
        emulator::fault({719, emulator::Rule::barrier}, "a CUB collective for blocks of %d threads in a block of %d", threads, here);
    }
}
#endif

// In a trace, what a large collective does is its caller's, whose line is then known; g++ would not put all of it there.
#ifdef EMULATOR_TRACE
#define CUB_OF_CALLER __attribute__((always_inline)) inline
#else
#define CUB_OF_CALLER
#endif

// What CUB leaves undefined: NaN, or -1.
template <typename T>
inline T undefined() {
    T value;
    memset(static_cast<void*>(&value), 0xff, sizeof value);
    return value;
}

// What a thread leaves for the others. A write of what is there already is none for a trace, but another collective,
// even of the same numbers, would find other things in the same storage.
#ifdef EMULATOR_TRACE
EMULATOR_UNTRACED inline void make_unlike(volatile char* byte) { *byte = static_cast<char>(~*byte); }
#else
inline void make_unlike(volatile char*) {}
#endif
template <typename T>
inline void leave(T& place, const T& value) {
    make_unlike(reinterpret_cast<volatile char*>(&place));
    place = value;
}

// Of a collective that is given none: one for all of its type.
template <typename Collective>
inline typename Collective::TempStorage& own_storage() {
    using Storage = typename Collective::TempStorage;
#if defined(__CUDA__)
    __shared__ Storage one;
    return one;
#else
    return emulator::StaticShared<Storage, 1, 0, Collective>::get("of CUB");
#endif
}

// Of how many lanes a part of a warp is; where kLanes is no power of two, the first of a whole warp are meant.
template <int kLanes>
constexpr int kPart = kLanes & (kLanes - 1) ? 32 : kLanes;
// The lanes of the part of a warp that the calling lane belongs to.
template <int kLanes>
inline unsigned lanes_of_part() {
    return kLanes == 32 ? ~0u : ((1u << kLanes % 32) - 1) << cooperative_groups::lane_in_warp() / kPart<kLanes> * kPart<kLanes>;
}
template <int kLanes>
inline int rank_in_part() { return static_cast<int>(cooperative_groups::lane_in_warp() % kPart<kLanes>); }
// The value of the lane that is `step` behind; one's own where the part ends before.
template <int kLanes, typename T>
inline T from_behind(T value, int step) {
    if constexpr (kPart<kLanes> == kLanes) {
        return __shfl_down_sync(lanes_of_part<kLanes>(), value, step, kLanes);
    } else {
        const int rank = rank_in_part<kLanes>();
        return __shfl_sync(lanes_of_part<kLanes>(), value, rank + step < kLanes ? rank + step : rank);
    }
}

// The storage of a warp's collective, which needs none here. A trace is told of each use: who uses it again without a
// __syncwarp() between meets the use before.
struct WarpStorage {
    char uses[2];
};
#ifdef EMULATOR_TRACE
inline void use(WarpStorage& storage, int rank) {
    if (char* const written = emulator_trace_lent(storage.uses, rank == 0)) make_unlike(written);
}
#else
inline void use(WarpStorage&, int) {}
#endif

template <typename T, int kX, BlockReduceAlgorithm kAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1, int kZ = 1, int = 0>
class BlockReduce {
 public:
    struct TempStorage {
        T of[kX * kY * kZ];
    };
    BlockReduce() : storage_(own_storage<BlockReduce>()) {}
    explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

    // The result is the first thread's; the others' is undefined. `valid` may count items, of which a thread has several.
    template <typename Op>
    T Reduce(T value, Op op, int valid) {
        if (!is_smaller_block(valid)) check_block(kX * kY * kZ);
        const int threads = valid < kX * kY * kZ ? valid : kX * kY * kZ;
        const unsigned me = cooperative_groups::thread_in_block();
        leave(storage_.of[me], value);
        __syncthreads();
        if (me) return undefined<T>();
        T total = value;
        for (int i = 1; i < threads; ++i) total = op(total, storage_.of[i]);
        return total;
    }
    template <typename Op>
    T Reduce(T value, Op op) { return Reduce(value, op, kX * kY * kZ); }
    template <int kItems, typename Op>
    T Reduce(T (&values)[kItems], Op op) {
        T mine = values[0];
        for (int i = 1; i < kItems; ++i) mine = op(mine, values[i]);
        return Reduce(mine, op);
    }
    T Sum(T value) { return Reduce(value, emulated::Plus()); }
    T Sum(T value, int valid) { return Reduce(value, emulated::Plus(), valid); }
    template <int kItems>
    T Sum(T (&values)[kItems]) { return Reduce(values, emulated::Plus()); }

 private:
    // Libraries take 1024 for any block and give its number of threads: a reduction by warps reads those alone.
    static bool is_smaller_block(int valid) {
#if defined(__CUDA__)
        return true;
#else
        const int here = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
        return kAlgorithm == BLOCK_REDUCE_WARP_REDUCTIONS && valid <= here && here < kX * kY * kZ;
#endif
    }

    TempStorage& storage_;
};

template <typename T, int kLanes = 32, int = 0>
class WarpReduce {
 public:
    using TempStorage = WarpStorage;
    explicit WarpReduce(TempStorage& storage) : storage_(storage) {}

    // The result is the first lane's; the others' is undefined.
    template <typename Op>
    T Reduce(T value, Op op, int valid) {
        use(storage_, rank());
        for (int step = 1; step < kLanes; step *= 2) {
            const T other = from_behind<kLanes>(value, step);
            if (rank() + step < valid && rank() + step < kLanes) value = op(value, other);
        }
        return rank() ? undefined<T>() : value;
    }
    template <typename Op>
    T Reduce(T value, Op op) { return Reduce(value, op, kLanes); }
    T Sum(T value) { return Reduce(value, emulated::Plus()); }
    T Sum(T value, int valid) { return Reduce(value, emulated::Plus(), valid); }

    // Of segments that begin at a lane with a flag, or end at one: each result is that of its segment's first lane.
    template <typename Op, typename Flag>
    T HeadSegmentedReduce(T value, Flag head, Op op) { return segmented(value, heads(head != 0), op); }
    template <typename Op, typename Flag>
    T TailSegmentedReduce(T value, Flag tail, Op op) { return segmented(value, heads(tail != 0) << 1, op); }
    template <typename Flag>
    T HeadSegmentedSum(T value, Flag head) { return HeadSegmentedReduce(value, head, emulated::Plus()); }
    template <typename Flag>
    T TailSegmentedSum(T value, Flag tail) { return TailSegmentedReduce(value, tail, emulated::Plus()); }

 private:
    static int rank() { return rank_in_part<kLanes>(); }
    static unsigned long long heads(bool is_flagged) {
        const unsigned all = lanes_of_part<kLanes>();
        return (__ballot_sync(all, is_flagged) & all) >> (cooperative_groups::lane_in_warp() - static_cast<unsigned>(rank()));
    }
    template <typename Op>
    T segmented(T value, unsigned long long begins, Op op) {
        use(storage_, rank());
        const unsigned long long behind = begins >> rank() >> 1 << 1 << rank();
        const int end = behind ? min(__ffsll(static_cast<long long>(behind)) - 1, kLanes) : kLanes;
        for (int step = 1; step < kLanes; step *= 2) {
            const T other = from_behind<kLanes>(value, step);
            if (rank() + step < end) value = op(value, other);
        }
        return rank() && !(begins >> rank() & 1) ? undefined<T>() : value;
    }
    TempStorage& storage_;
};

template <typename T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1, int = 0>
class BlockScan {
 public:
    struct TempStorage {
        T of[kX * kY * kZ], before;
    };
    BlockScan() : storage_(own_storage<BlockScan>()) {}
    explicit BlockScan(TempStorage& storage) : storage_(storage) {}
    // A functor that is given the sum of the block, and returns what precedes it: its first thread's counts.
    template <typename Prefix, typename Op = Prefix>
    using IfPrefix = std::enable_if_t<std::is_class_v<Prefix> && !std::is_arithmetic_v<Op>, int>;

    template <typename Op>
    void InclusiveScan(T value, T& result, Op op, T& total) {
        check_block(kX * kY * kZ);
        const unsigned me = cooperative_groups::thread_in_block();
        leave(storage_.of[me], value);
        __syncthreads();
        T sum = storage_.of[0];
        for (unsigned i = 1; i < kX * kY * kZ; ++i) {
            if (i == me + 1) result = sum;
            sum = op(sum, storage_.of[i]);
        }
        if (me + 1 == kX * kY * kZ) result = sum;
        total = sum;
    }
    template <typename Op>
    void ExclusiveScan(T value, T& result, T first, Op op, T& total) {
        check_block(kX * kY * kZ);
        const unsigned me = cooperative_groups::thread_in_block();
        leave(storage_.of[me], value);
        __syncthreads();
        result = first;
        for (unsigned i = 0; i < me; ++i) result = op(result, storage_.of[i]);
        total = storage_.of[0];
        for (unsigned i = 1; i < kX * kY * kZ; ++i) total = op(total, storage_.of[i]);
    }
    template <typename Op>
    void InclusiveScan(T value, T& result, Op op) {
        T total;
        InclusiveScan(value, result, op, total);
    }
    template <typename Op>
    void ExclusiveScan(T value, T& result, T first, Op op) {
        T total;
        ExclusiveScan(value, result, first, op, total);
    }
    void InclusiveSum(T value, T& result) { InclusiveScan(value, result, emulated::Plus()); }
    void InclusiveSum(T value, T& result, T& total) { InclusiveScan(value, result, emulated::Plus(), total); }
    void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(), emulated::Plus()); }
    void ExclusiveSum(T value, T& result, T& total) { ExclusiveScan(value, result, T(), emulated::Plus(), total); }
    template <typename Op, typename Prefix, IfPrefix<Prefix, Op> = 0>
    void ExclusiveScan(T value, T& result, Op op, Prefix& prefix) {
        T sum, total;
        InclusiveScan(value, sum, op, total);
        const unsigned me = cooperative_groups::thread_in_block();
        const T before = me < 32 ? prefix(total) : total;
        __syncthreads();
        storage_.of[me] = sum;
        if (!me) storage_.before = before;
        __syncthreads();
        result = me ? op(storage_.before, storage_.of[me - 1]) : before;
    }
    template <typename Op, typename Prefix, IfPrefix<Prefix, Op> = 0>
    void InclusiveScan(T value, T& result, Op op, Prefix& prefix) {
        T before;
        ExclusiveScan(value, before, op, prefix);
        result = op(before, value);
    }
    template <typename Prefix, IfPrefix<Prefix> = 0>
    void InclusiveSum(T value, T& result, Prefix& prefix) { InclusiveScan(value, result, emulated::Plus(), prefix); }
    template <typename Prefix, IfPrefix<Prefix> = 0>
    void ExclusiveSum(T value, T& result, Prefix& prefix) { ExclusiveScan(value, result, emulated::Plus(), prefix); }

    // Of several elements a thread: `more` is a total to fill in, a prefix, or nothing.
    template <int kItems, typename Op, typename... More>
    void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], T first, Op op, More&... more) {
        T before;
        ExclusiveScan(folded(values, op), before, first, op, more...);
        go_on(values, results, before, op, false);
    }
    template <int kItems, typename Op, typename Prefix, IfPrefix<Prefix, Op> = 0>
    void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], Op op, Prefix& prefix) {
        T before;
        ExclusiveScan(folded(values, op), before, op, prefix);
        go_on(values, results, before, op, false);
    }
    template <int kItems, typename Op>
    void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Op op) {
        T total;
        InclusiveScan(values, results, op, total);
    }
    template <int kItems, typename Op>
    void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Op op, T& total) {
        T sum;
        InclusiveScan(folded(values, op), sum, op, total);
        const unsigned me = cooperative_groups::thread_in_block();
        __syncthreads();
        storage_.of[me] = sum;
        __syncthreads();
        if (me) return go_on(values, results, storage_.of[me - 1], op, true);
        for (int i = 0; i < kItems; ++i) results[i] = i ? op(results[i - 1], values[i]) : values[i];
    }
    template <int kItems, typename Op, typename Prefix, IfPrefix<Prefix, Op> = 0>
    void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Op op, Prefix& prefix) {
        T before;
        ExclusiveScan(folded(values, op), before, op, prefix);
        go_on(values, results, before, op, true);
    }
    template <int kItems, typename Prefix, IfPrefix<Prefix> = 0>
    void InclusiveSum(T (&values)[kItems], T (&results)[kItems], Prefix& prefix) {
        InclusiveScan(values, results, emulated::Plus(), prefix);
    }
    template <int kItems, typename Prefix, IfPrefix<Prefix> = 0>
    void ExclusiveSum(T (&values)[kItems], T (&results)[kItems], Prefix& prefix) {
        ExclusiveScan(values, results, emulated::Plus(), prefix);
    }
    template <int kItems>
    void InclusiveSum(T (&values)[kItems], T (&results)[kItems], T& total) {
        T before;
        ExclusiveSum(folded(values, emulated::Plus()), before, total);
        go_on(values, results, before, emulated::Plus(), true);
    }
    template <int kItems>
    void ExclusiveSum(T (&values)[kItems], T (&results)[kItems], T& total) {
        T before;
        ExclusiveSum(folded(values, emulated::Plus()), before, total);
        go_on(values, results, before, emulated::Plus(), false);
    }
    template <int kItems>
    void InclusiveSum(T (&values)[kItems], T (&results)[kItems]) {
        T total;
        InclusiveSum(values, results, total);
    }
    template <int kItems>
    void ExclusiveSum(T (&values)[kItems], T (&results)[kItems]) {
        T total;
        ExclusiveSum(values, results, total);
    }

 private:
    template <int kItems, typename Op>
    static T folded(T (&values)[kItems], Op op) {
        T mine = values[0];
        for (int i = 1; i < kItems; ++i) mine = op(mine, values[i]);
        return mine;
    }
    // One thread's results, from what comes before its elements.
    template <int kItems, typename Op>
    static void go_on(T (&values)[kItems], T (&results)[kItems], T before, Op op, bool inclusive) {
        for (int i = 0; i < kItems; ++i) {
            const T next = op(before, values[i]);
            results[i] = inclusive ? next : before;
            before = next;
        }
    }
    TempStorage& storage_;
};

template <typename T, int kLanes = 32, int = 0>
class WarpScan {
 public:
    using TempStorage = WarpStorage;
    explicit WarpScan(TempStorage& storage) : storage_(storage) {}

    template <typename Op>
    void InclusiveScan(T value, T& result, Op op) {
        use(storage_, rank());
        for (int step = 1; step < kLanes; step *= 2) {
            const T other = __shfl_up_sync(mask(), value, step, kPart<kLanes>);
            if (rank() >= step) value = op(other, value);
        }
        result = value;
    }
    template <typename Op>
    void InclusiveScan(T value, T& result, Op op, T& total) {
        InclusiveScan(value, result, op);
        total = __shfl_sync(mask(), result, kLanes - 1, kPart<kLanes>);
    }
    template <typename Op>
    void ExclusiveScan(T value, T& result, T first, Op op) {
        InclusiveScan(value, value, op);
        result = before(value, first, op);
    }
    // The total is that of the values, without what precedes them.
    template <typename Op>
    void ExclusiveScan(T value, T& result, T first, Op op, T& total) {
        InclusiveScan(value, value, op, total);
        result = before(value, first, op);
    }
    template <typename Op>
    void InclusiveScan(T value, T& result, T first, Op op) {
        InclusiveScan(value, result, op);
        result = op(first, result);
    }
    // The first lane's result is undefined.
    template <typename Op>
    void ExclusiveScan(T value, T& result, Op op) {
        InclusiveScan(value, value, op);
        result = before(value);
    }
    template <typename Op>
    void Scan(T value, T& inclusive, T& exclusive, Op op) {
        InclusiveScan(value, inclusive, op);
        exclusive = before(inclusive);
    }
    template <typename Op>
    void Scan(T value, T& inclusive, T& exclusive, T first, Op op) {
        InclusiveScan(value, value, op);
        inclusive = op(first, value);
        exclusive = before(value, first, op);
    }
    void InclusiveSum(T value, T& result) { InclusiveScan(value, result, emulated::Plus()); }
    void InclusiveSum(T value, T& result, T& total) { InclusiveScan(value, result, emulated::Plus(), total); }
    void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(), emulated::Plus()); }
    void ExclusiveSum(T value, T& result, T& total) { ExclusiveScan(value, result, T(), emulated::Plus(), total); }
    T Broadcast(T value, unsigned from) { return __shfl_sync(mask(), value, static_cast<int>(from), kPart<kLanes>); }

 private:
    static int rank() { return rank_in_part<kLanes>(); }
    static unsigned mask() { return lanes_of_part<kLanes>(); }
    // What precedes a lane, of the inclusive sums.
    static T before(T inclusive) {
        const T other = __shfl_up_sync(mask(), inclusive, 1, kPart<kLanes>);
        return rank() ? other : undefined<T>();
    }
    template <typename Op>
    static T before(T inclusive, T first, Op op) {
        const T other = __shfl_up_sync(mask(), inclusive, 1, kPart<kLanes>);
        return rank() ? op(first, other) : first;
    }
    TempStorage& storage_;
};

template <int kLanes, typename T>
T ShuffleUp(T value, int by, int first, unsigned mask) {
    const T other = __shfl_up_sync(mask, value, by, kLanes);
    return static_cast<int>(cooperative_groups::lane_in_warp() % kLanes) - by < first ? value : other;
}
template <int kLanes, typename T>
T ShuffleDown(T value, int by, int last, unsigned mask) {
    const T other = __shfl_down_sync(mask, value, by, kLanes);
    return static_cast<int>(cooperative_groups::lane_in_warp() % kLanes) + by > last ? value : other;
}
template <int kLanes, typename T>
T ShuffleIndex(T value, int from, unsigned mask) { return __shfl_sync(mask, value, from, kLanes); }

// ---- sorts and histograms of a block ---------------------------------------------------------------------------------

struct NullType {};

// Keys, and what goes with them, in shared memory; a key's place is how many come before it.
template <typename Key, int kX, int kItems, typename Value = NullType, int = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS>
class BlockRadixSort {
 public:
    struct TempStorage {
        Key keys[kX * kItems];
        Value values[kX * kItems];
    };
    BlockRadixSort() : storage_(own_storage<BlockRadixSort>()) {}
    explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

    // By the bits from `begin` to before `end`.
    static constexpr int kBits = 8 * sizeof(Key);
    CUB_OF_CALLER void Sort(Key (&keys)[kItems], int begin = 0, int end = kBits) { sort(keys, none_, false, false, begin, end); }
    CUB_OF_CALLER void Sort(Key (&keys)[kItems], Value (&values)[kItems], int begin = 0, int end = kBits) { sort(keys, values, false, false, begin, end); }
    CUB_OF_CALLER void SortDescending(Key (&keys)[kItems], int begin = 0, int end = kBits) { sort(keys, none_, true, false, begin, end); }
    CUB_OF_CALLER void SortDescending(Key (&keys)[kItems], Value (&values)[kItems], int begin = 0, int end = kBits) {
        sort(keys, values, true, false, begin, end);
    }
    CUB_OF_CALLER void SortBlockedToStriped(Key (&keys)[kItems], int begin = 0, int end = kBits) { sort(keys, none_, false, true, begin, end); }
    CUB_OF_CALLER void SortBlockedToStriped(Key (&keys)[kItems], Value (&values)[kItems], int begin = 0, int end = kBits) {
        sort(keys, values, false, true, begin, end);
    }
    CUB_OF_CALLER void SortDescendingBlockedToStriped(Key (&keys)[kItems], int begin = 0, int end = kBits) {
        sort(keys, none_, true, true, begin, end);
    }
    CUB_OF_CALLER void SortDescendingBlockedToStriped(Key (&keys)[kItems], Value (&values)[kItems], int begin = 0, int end = kBits) {
        sort(keys, values, true, true, begin, end);
    }

 private:
    // What is compared of a key: all of it, or some bits of an integer, whose order is that of unsigned ones.
    static auto part(Key key, int begin, int end) {
        if constexpr (std::is_integral_v<Key> && !std::is_same_v<Key, bool>) {
            using Bits = std::make_unsigned_t<Key>;
            const auto top = static_cast<unsigned long long>(std::is_signed_v<Key>) << (kBits - 1);
            const unsigned long long bits = (static_cast<Bits>(key) ^ top) >> begin;
            return end - begin < 64 ? bits & ((1ull << (end - begin)) - 1) : bits;
        } else {
            return key;
        }
    }
    CUB_OF_CALLER void sort(Key (&keys)[kItems], Value (&values)[kItems], bool down, bool striped, int begin, int end) {
        check_block(kX);
        const int first = static_cast<int>(cooperative_groups::thread_in_block()) * kItems;
        // Each key lies in its neighbour's place, so that the next use of the storage meets what another thread reads last.
        const auto given = [this](int i) -> Key& { return storage_.keys[(i + kItems) % (kX * kItems)]; };
        for (int i = 0; i < kItems; ++i) leave(given(first + i), keys[i]);
        __syncthreads();
        int place[kItems];
        for (int i = 0; i < kItems; ++i) {
            place[i] = 0;
            const auto mine = part(keys[i], begin, end);
            for (int other = 0; other < kX * kItems; ++other) {
                const auto key = part(given(other), begin, end);
                place[i] += (down ? mine < key : key < mine) || (key == mine && other < first + i);
            }
        }
        __syncthreads();
        for (int i = 0; i < kItems; ++i) storage_.keys[place[i]] = keys[i], storage_.values[place[i]] = values[i];
        __syncthreads();
        for (int i = 0; i < kItems; ++i) {
            const int from = striped ? first / kItems + i * kX : first + i;
            keys[i] = storage_.keys[from], values[i] = storage_.values[from];
        }
    }
    TempStorage& storage_;
    Value none_[kItems] = {};
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT,
                               BLOCK_HISTO_ATOMIC };
template <typename T, int kX, int kItems, int kBins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT>
class BlockHistogram {
 public:
    struct TempStorage {};
    BlockHistogram() = default;
    explicit BlockHistogram(TempStorage&) {}

    template <typename Count>
    void InitHistogram(Count (&counts)[kBins]) {
        for (int i = static_cast<int>(cooperative_groups::thread_in_block()); i < kBins; i += kX) counts[i] = 0;
    }
    template <typename Count>
    void Composite(T (&items)[kItems], Count (&counts)[kBins]) {
        check_block(kX);
        for (const T item : items) atomicAdd(counts + static_cast<unsigned>(item), Count{1});
    }
    template <typename Count>
    void Histogram(T (&items)[kItems], Count (&counts)[kBins]) {
        InitHistogram(counts);
        __syncthreads();
        Composite(items, counts);
    }
};

// ---- loads and stores of several elements a thread ---------------------------------------------------------

// How they go through shared memory, or as wide words, changes their speed alone; STRIPED also who gets which element.
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

// A thread's elements: neighbours (blocked), or one in kThreads of them (striped).
template <typename T, int kItems, typename From>
inline void LoadDirectBlocked(int me, From from, T (&to)[kItems]) {
    for (int i = 0; i < kItems; ++i) to[i] = from[me * kItems + i];
}
template <typename T, int kItems, typename From>
inline void LoadDirectBlocked(int me, From from, T (&to)[kItems], int count) {
    for (int i = 0; i < kItems && me * kItems + i < count; ++i) to[i] = from[me * kItems + i];
}
template <typename T, typename Default, int kItems, typename From>
inline void LoadDirectBlocked(int me, From from, T (&to)[kItems], int count, Default other) {
    for (T& one : to) one = static_cast<T>(other);
    LoadDirectBlocked(me, from, to, count);
}
template <int kThreads, typename T, int kItems, typename From>
inline void LoadDirectStriped(int me, From from, T (&to)[kItems]) {
    for (int i = 0; i < kItems; ++i) to[i] = from[i * kThreads + me];
}
template <int kThreads, typename T, int kItems, typename From>
inline void LoadDirectStriped(int me, From from, T (&to)[kItems], int count) {
    for (int i = 0; i < kItems && i * kThreads + me < count; ++i) to[i] = from[i * kThreads + me];
}
template <int kThreads, typename T, typename Default, int kItems, typename From>
inline void LoadDirectStriped(int me, From from, T (&to)[kItems], int count, Default other) {
    for (T& one : to) one = static_cast<T>(other);
    LoadDirectStriped<kThreads>(me, from, to, count);
}
template <typename T, int kItems, typename To>
inline void StoreDirectBlocked(int me, To to, T (&from)[kItems]) {
    for (int i = 0; i < kItems; ++i) to[me * kItems + i] = from[i];
}
template <typename T, int kItems, typename To>
inline void StoreDirectBlocked(int me, To to, T (&from)[kItems], int count) {
    for (int i = 0; i < kItems && me * kItems + i < count; ++i) to[me * kItems + i] = from[i];
}
template <int kThreads, typename T, int kItems, typename To>
inline void StoreDirectStriped(int me, To to, T (&from)[kItems]) {
    for (int i = 0; i < kItems; ++i) to[i * kThreads + me] = from[i];
}
template <int kThreads, typename T, int kItems, typename To>
inline void StoreDirectStriped(int me, To to, T (&from)[kItems], int count) {
    for (int i = 0; i < kItems && i * kThreads + me < count; ++i) to[i * kThreads + me] = from[i];
}

template <typename T, int kX, int kItems, BlockLoadAlgorithm kHow = BLOCK_LOAD_DIRECT, int kY = 1, int kZ = 1, int = 0>
class BlockLoad {
 public:
    struct TempStorage {};
    BlockLoad() = default;
    explicit BlockLoad(TempStorage&) {}

    template <typename From>
    void Load(From from, T (&to)[kItems]) { Load(from, to, kX * kY * kZ * kItems); }
    // Elements from `count` on are left as they are.
    template <typename From>
    void Load(From from, T (&to)[kItems], int count) {
        check_block(kX * kY * kZ);
        for (int i = 0; i < kItems; ++i) {
            if (place(i) < count) to[i] = from[place(i)];
        }
    }
    template <typename From, typename Default>
    void Load(From from, T (&to)[kItems], int count, Default other) {
        for (T& one : to) one = static_cast<T>(other);
        Load(from, to, count);
    }

 private:
    static int place(int i) {
        const int me = static_cast<int>(cooperative_groups::thread_in_block());
        return kHow == BLOCK_LOAD_STRIPED ? i * kX * kY * kZ + me : me * kItems + i;
    }
};

template <typename T, int kX, int kItems, BlockStoreAlgorithm kHow = BLOCK_STORE_DIRECT, int kY = 1, int kZ = 1, int = 0>
class BlockStore {
 public:
    struct TempStorage {};
    BlockStore() = default;
    explicit BlockStore(TempStorage&) {}

    template <typename To>
    void Store(To to, T (&from)[kItems]) { Store(to, from, kX * kY * kZ * kItems); }
    template <typename To>
    void Store(To to, T (&from)[kItems], int count) {
        check_block(kX * kY * kZ);
        const int me = static_cast<int>(cooperative_groups::thread_in_block());
        for (int i = 0; i < kItems; ++i) {
            const int place = kHow == BLOCK_STORE_STRIPED ? i * kX * kY * kZ + me : me * kItems + i;
            if (place < count) to[place] = from[i];
        }
    }
};

}  // namespace cub

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif

#include "rearrangement.cuh"
