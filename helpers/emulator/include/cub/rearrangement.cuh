// CUB's collectives in which elements change places, or are compared with their neighbours: BlockExchange,
// BlockDiscontinuity, BlockAdjacentDifference, BlockMergeSort, WarpMergeSort, WarpExchange, WarpLoad, WarpStore.
#pragma once
#include "collectives.cuh"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace [[gnu::visibility("hidden")]] cub {

template <typename T, int kX, int kItems, bool = false, int kY = 1, int kZ = 1>
class BlockExchange {
    static constexpr int kThreads = kX * kY * kZ;

 public:
    struct TempStorage {
        T of[kThreads * kItems];
    };
    BlockExchange() : storage_(own_storage<BlockExchange>()) {}
    explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

    template <typename To>
    void StripedToBlocked(const T (&from)[kItems], To (&to)[kItems]) { move(from, to, striped, blocked); }
    template <typename To>
    void BlockedToStriped(const T (&from)[kItems], To (&to)[kItems]) { move(from, to, blocked, striped); }
    template <typename To>
    void BlockedToWarpStriped(const T (&from)[kItems], To (&to)[kItems]) { move_in_warp(from, to, blocked, warp_striped); }
    template <typename To>
    void WarpStripedToBlocked(const T (&from)[kItems], To (&to)[kItems]) { move_in_warp(from, to, warp_striped, blocked); }
    template <typename To, typename Rank>
    void ScatterToBlocked(const T (&from)[kItems], To (&to)[kItems], Rank (&ranks)[kItems]) {
        move(from, to, [&](int i) { return static_cast<int>(ranks[i]); }, blocked);
    }
    template <typename To, typename Rank>
    void ScatterToStriped(const T (&from)[kItems], To (&to)[kItems], Rank (&ranks)[kItems]) {
        move(from, to, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }
    void StripedToBlocked(T (&items)[kItems]) { StripedToBlocked(items, items); }
    void BlockedToStriped(T (&items)[kItems]) { BlockedToStriped(items, items); }
    void BlockedToWarpStriped(T (&items)[kItems]) { BlockedToWarpStriped(items, items); }
    void WarpStripedToBlocked(T (&items)[kItems]) { WarpStripedToBlocked(items, items); }
    template <typename Rank>
    void ScatterToBlocked(T (&items)[kItems], Rank (&ranks)[kItems]) { ScatterToBlocked(items, items, ranks); }
    template <typename Rank>
    void ScatterToStriped(T (&items)[kItems], Rank (&ranks)[kItems]) { ScatterToStriped(items, items, ranks); }

 private:
    static int me() { return static_cast<int>(cooperative_groups::thread_in_block()); }
    static int blocked(int i) { return me() * kItems + i; }
    static int striped(int i) { return i * kThreads + me(); }
    static int warp_striped(int i) {
        constexpr int kLanes = kThreads < 32 ? kThreads : 32;
        return me() / kLanes * kLanes * kItems + i * kLanes + me() % kLanes;
    }
    // A warp keeps to its own part of the storage, and waits for itself only.
    template <typename To, typename Put, typename Take>
    void move_in_warp(const T (&from)[kItems], To (&to)[kItems], Put put, Take take) {
        check_block(kThreads);
        for (int i = 0; i < kItems; ++i) leave(storage_.of[put(i)], from[i]);
        __syncwarp(lanes_of_part<32>());
        for (int i = 0; i < kItems; ++i) to[i] = storage_.of[take(i)];
    }
    template <typename To, typename Put, typename Take>
    void move(const T (&from)[kItems], To (&to)[kItems], Put put, Take take) {
        check_block(kThreads);
        for (int i = 0; i < kItems; ++i) leave(storage_.of[put(i)], from[i]);
        __syncthreads();
        for (int i = 0; i < kItems; ++i) to[i] = storage_.of[take(i)];
    }
    TempStorage& storage_;
};

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM,
                             WARP_EXCHANGE_SHUFFLE };
template <typename T, int kItems, int kLanes = 32, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
 public:
    struct TempStorage {
        T of[kLanes * kItems];
    };
    explicit WarpExchange(TempStorage& storage) : storage_(storage) {}

    template <typename To>
    void BlockedToStriped(const T (&from)[kItems], To (&to)[kItems]) { move(from, to, blocked, striped); }
    template <typename To>
    void StripedToBlocked(const T (&from)[kItems], To (&to)[kItems]) { move(from, to, striped, blocked); }
    template <typename To, typename Rank>
    void ScatterToStriped(const T (&from)[kItems], To (&to)[kItems], Rank (&ranks)[kItems]) {
        move(from, to, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }
    template <typename Rank>
    void ScatterToStriped(T (&items)[kItems], Rank (&ranks)[kItems]) { ScatterToStriped(items, items, ranks); }

 private:
    static int me() { return static_cast<int>(cooperative_groups::lane_in_warp() % kLanes); }
    static int blocked(int i) { return me() * kItems + i; }
    static int striped(int i) { return i * kLanes + me(); }
    template <typename To, typename Put, typename Take>
    void move(const T (&from)[kItems], To (&to)[kItems], Put put, Take take) {
        for (int i = 0; i < kItems; ++i) leave(storage_.of[put(i)], from[i]);
        __syncwarp(lanes_of_part<kLanes>());
        for (int i = 0; i < kItems; ++i) to[i] = storage_.of[take(i)];
    }
    TempStorage& storage_;
};

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT,
                         WARP_LOAD_STRIPED,
                         WARP_LOAD_VECTORIZE,
                         WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT,
                          WARP_STORE_STRIPED,
                          WARP_STORE_VECTORIZE,
                          WARP_STORE_TRANSPOSE };
// Which element of a warp is a lane's i-th.
template <int kItems, int kLanes, bool kStriped>
inline int place_in_warp(int i) {
    const int me = static_cast<int>(cooperative_groups::lane_in_warp() % kLanes);
    return kStriped ? i * kLanes + me : me * kItems + i;
}
template <typename T, int kItems, WarpLoadAlgorithm kHow = WARP_LOAD_DIRECT, int kLanes = 32>
class WarpLoad {
 public:
    struct TempStorage {};
    WarpLoad() = default;
    explicit WarpLoad(TempStorage&) {}

    template <typename From>
    void Load(From from, T (&to)[kItems], int count = kItems * kLanes) {
        for (int i = 0; i < kItems; ++i) {
            const int place = place_in_warp<kItems, kLanes, kHow == WARP_LOAD_STRIPED>(i);
            if (place < count) to[i] = from[place];
        }
    }
    template <typename From, typename Default>
    void Load(From from, T (&to)[kItems], int count, Default other) {
        for (T& one : to) one = static_cast<T>(other);
        Load(from, to, count);
    }
};
template <typename T, int kItems, WarpStoreAlgorithm kHow = WARP_STORE_DIRECT, int kLanes = 32>
class WarpStore {
 public:
    struct TempStorage {};
    WarpStore() = default;
    explicit WarpStore(TempStorage&) {}

    template <typename To>
    void Store(To to, T (&from)[kItems], int count = kItems * kLanes) {
        for (int i = 0; i < kItems; ++i) {
            const int place = place_in_warp<kItems, kLanes, kHow == WARP_STORE_STRIPED>(i);
            if (place < count) to[place] = from[i];
        }
    }
};

// Each thread's first and last element, for its neighbours.
template <typename T, int kThreads>
struct Ends {
    T first[kThreads], last[kThreads];

    CUB_OF_CALLER void put(const T& front, const T& back) {
        check_block(kThreads);
        const unsigned me = cooperative_groups::thread_in_block();
        leave(first[me], front), leave(last[me], back);
        __syncthreads();
    }
};

// Whether two neighbours differ, by an operator that may ask for the second one's number, too.
template <typename Op, typename T>
inline auto differs(Op& op, const T& left, const T& right, int place) -> decltype(bool(op(left, right, place))) {
    return op(left, right, place);
}
template <typename Op, typename T, typename... Place>
inline auto differs(Op& op, const T& left, const T& right, Place...) -> decltype(bool(op(left, right))) {
    return op(left, right);
}

template <typename T, int kX, int kY = 1, int kZ = 1>
class BlockDiscontinuity {
    static constexpr int kThreads = kX * kY * kZ;

 public:
    using TempStorage = Ends<T, kThreads>;
    BlockDiscontinuity() : storage_(own_storage<BlockDiscontinuity>()) {}
    explicit BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}

    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void FlagHeads(Flag (&heads)[kItems], T (&items)[kItems], Op op) {
        storage_.put(items[0], items[kItems - 1]);
        flag_heads(heads, items, op, nullptr);
    }
    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void FlagHeads(Flag (&heads)[kItems], T (&items)[kItems], Op op, T before) {
        storage_.put(items[0], items[kItems - 1]);
        flag_heads(heads, items, op, &before);
    }
    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void FlagTails(Flag (&tails)[kItems], T (&items)[kItems], Op op) {
        storage_.put(items[0], items[kItems - 1]);
        flag_tails(tails, items, op, nullptr);
    }
    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void FlagTails(Flag (&tails)[kItems], T (&items)[kItems], Op op, T behind) {
        storage_.put(items[0], items[kItems - 1]);
        flag_tails(tails, items, op, &behind);
    }
    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void FlagHeadsAndTails(Flag (&heads)[kItems], Flag (&tails)[kItems], T (&items)[kItems], Op op) {
        storage_.put(items[0], items[kItems - 1]);
        flag_heads(heads, items, op, nullptr);
        flag_tails(tails, items, op, nullptr);
    }

 private:
    static int me() { return static_cast<int>(cooperative_groups::thread_in_block()); }
    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void flag_heads(Flag (&heads)[kItems], T (&items)[kItems], Op& op, const T* before) {
        if (me()) before = &storage_.last[me() - 1];
        for (int i = kItems - 1; i > 0; --i) heads[i] = differs(op, items[i - 1], items[i], me() * kItems + i);
        heads[0] = !before || differs(op, *before, items[0], me() * kItems);
    }
    template <int kItems, typename Flag, typename Op>
    CUB_OF_CALLER void flag_tails(Flag (&tails)[kItems], T (&items)[kItems], Op& op, const T* behind) {
        if (me() + 1 < kThreads) behind = &storage_.first[me() + 1];
        for (int i = 0; i + 1 < kItems; ++i) tails[i] = differs(op, items[i], items[i + 1], me() * kItems + i + 1);
        tails[kItems - 1] = !behind || differs(op, items[kItems - 1], *behind, (me() + 1) * kItems);
    }
    TempStorage& storage_;
};

template <typename T, int kX, int kY = 1, int kZ = 1>
class BlockAdjacentDifference {
    static constexpr int kThreads = kX * kY * kZ;

 public:
    using TempStorage = Ends<T, kThreads>;
    BlockAdjacentDifference() : storage_(own_storage<BlockAdjacentDifference>()) {}
    explicit BlockAdjacentDifference(TempStorage& storage) : storage_(storage) {}

    // An element without a neighbour on that side, and those from `valid` on, are copied.
    template <int kItems, typename To, typename Op>
    void SubtractLeft(T (&items)[kItems], To (&to)[kItems], Op op) { left(items, to, op, kThreads * kItems, nullptr); }
    template <int kItems, typename To, typename Op>
    void SubtractLeft(T (&items)[kItems], To (&to)[kItems], Op op, T before) {
        left(items, to, op, kThreads * kItems, &before);
    }
    template <int kItems, typename To, typename Op>
    void SubtractLeftPartialTile(T (&items)[kItems], To (&to)[kItems], Op op, int valid) {
        left(items, to, op, valid, nullptr);
    }
    template <int kItems, typename To, typename Op>
    void SubtractLeftPartialTile(T (&items)[kItems], To (&to)[kItems], Op op, int valid, T before) {
        left(items, to, op, valid, &before);
    }
    template <int kItems, typename To, typename Op>
    void SubtractRight(T (&items)[kItems], To (&to)[kItems], Op op) { right(items, to, op, kThreads * kItems, nullptr); }
    template <int kItems, typename To, typename Op>
    void SubtractRight(T (&items)[kItems], To (&to)[kItems], Op op, T behind) {
        right(items, to, op, kThreads * kItems, &behind);
    }
    template <int kItems, typename To, typename Op>
    void SubtractRightPartialTile(T (&items)[kItems], To (&to)[kItems], Op op, int valid) {
        right(items, to, op, valid, nullptr);
    }

 private:
    static int me() { return static_cast<int>(cooperative_groups::thread_in_block()); }
    template <int kItems, typename To, typename Op>
    void left(T (&items)[kItems], To (&to)[kItems], Op& op, int valid, const T* before) {
        storage_.put(items[0], items[kItems - 1]);
        if (me()) before = &storage_.last[me() - 1];
        for (int i = kItems - 1; i >= 0; --i) {
            const T* other = i ? &items[i - 1] : before;
            to[i] = other && me() * kItems + i < valid ? op(items[i], *other) : items[i];
        }
    }
    template <int kItems, typename To, typename Op>
    void right(T (&items)[kItems], To (&to)[kItems], Op& op, int valid, const T* behind) {
        storage_.put(items[0], items[kItems - 1]);
        if (me() + 1 < kThreads) behind = &storage_.first[me() + 1];
        for (int i = 0; i < kItems; ++i) {
            const T* other = i + 1 < kItems ? &items[i + 1] : behind;
            const bool is_last = me() * kItems + i + 1 >= valid && valid < kThreads * kItems;
            to[i] = other && !is_last ? op(items[i], *other) : items[i];
        }
    }
    TempStorage& storage_;
};

// A stable sort by a comparison: a key's place is how many come before it.
template <typename Key, typename Value, int kThreads, int kItems>
class MergeSort {
 public:
    struct TempStorage {
        Key keys[kThreads * kItems];
        Value values[kThreads * kItems];
    };
    MergeSort(TempStorage& storage, int me, unsigned lanes) : storage_(storage), me_(me), lanes_(lanes) {}

    template <typename Less>
    CUB_OF_CALLER void Sort(Key (&keys)[kItems], Less less) { sort(keys, none_, less); }
    template <typename Less>
    CUB_OF_CALLER void Sort(Key (&keys)[kItems], Less less, int valid, Key other) { sort(filled(keys, valid, other), none_, less); }
    template <typename Less>
    CUB_OF_CALLER void Sort(Key (&keys)[kItems], Value (&values)[kItems], Less less) { sort(keys, values, less); }
    template <typename Less>
    CUB_OF_CALLER void Sort(Key (&keys)[kItems], Value (&values)[kItems], Less less, int valid, Key other) {
        sort(filled(keys, valid, other), values, less);
    }
    template <typename... Given>
    CUB_OF_CALLER void StableSort(Given&&... given) { Sort(static_cast<Given&&>(given)...); }

 private:
    using Keys = Key (&)[kItems];
    Keys filled(Keys keys, int valid, const Key& other) {
        for (int i = 0; i < kItems; ++i) {
            if (me_ * kItems + i >= valid) keys[i] = other;
        }
        return keys;
    }
    CUB_OF_CALLER void wait() {
        if (lanes_)
            __syncwarp(lanes_);
        else
            __syncthreads();
    }
    template <typename Less>
    CUB_OF_CALLER void sort(Keys keys, Value (&values)[kItems], Less& less) {
        if (!lanes_) check_block(kThreads);
        const int first = me_ * kItems;
        int place[kItems];
        const auto given = [this](int i) -> Key& { return storage_.keys[(i + kItems) % (kThreads * kItems)]; };  // as a radix sort's
        for (int i = 0; i < kItems; ++i) leave(given(first + i), keys[i]);
        wait();
        for (int i = 0; i < kItems; ++i) {
            place[i] = 0;
            for (int other = 0; other < kThreads * kItems; ++other) {
                const Key& key = given(other);
                place[i] += other < first + i ? !less(keys[i], key) : less(key, keys[i]);
            }
        }
        wait();
        for (int i = 0; i < kItems; ++i) storage_.keys[place[i]] = keys[i], storage_.values[place[i]] = values[i];
        wait();
        for (int i = 0; i < kItems; ++i) keys[i] = storage_.keys[first + i], values[i] = storage_.values[first + i];
    }
    TempStorage& storage_;
    int me_;
    unsigned lanes_;  // of a warp's sort; 0: the whole block
    Value none_[kItems] = {};
};

template <typename Key, int kX, int kItems, typename Value = NullType, int kY = 1, int kZ = 1>
class BlockMergeSort : public MergeSort<Key, Value, kX * kY * kZ, kItems> {
    using Base = MergeSort<Key, Value, kX * kY * kZ, kItems>;

 public:
    BlockMergeSort() : BlockMergeSort(own_storage<Base>()) {}
    explicit BlockMergeSort(typename Base::TempStorage& storage)
        : Base(storage, static_cast<int>(cooperative_groups::thread_in_block()), 0) {}
};

template <typename Key, int kItems, int kLanes = 32, typename Value = NullType>
class WarpMergeSort : public MergeSort<Key, Value, kLanes, kItems> {
    using Base = MergeSort<Key, Value, kLanes, kItems>;

 public:
    explicit WarpMergeSort(typename Base::TempStorage& storage)
        : Base(storage, static_cast<int>(cooperative_groups::lane_in_warp() % kLanes), lanes_of_part<kLanes>()) {}
};

}  // namespace cub

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
