// What a kernel may call: shared memory, barriers, warp operations, atomics, loads with a hint, clocks, printf.
#pragma once

#include "emulator_launch.h"

namespace emulator __attribute__((visibility("hidden"))) {

// ---- shared memory ----------------------------------------------------------------------------------------

// One static shared array of the source, per worker, between inaccessible pages, its end at the upper one.
// Filled with garbage for every block, as what a block finds there is not defined.
template <typename T, size_t kAlign, uint64_t kSite>
struct StaticShared {
    static inline int index = -1;
    static constexpr size_t kAlignment = kAlign > alignof(T) ? kAlign : alignof(T);
    static constexpr size_t kBytes = (sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    static_assert(sizeof(T) <= kDefaultShared, "static shared memory is limited to 48 KB (49,152 bytes) a block");

    __attribute__((noinline)) static void begin(Worker& w, const char* name) {
        ++w.busy;
        {
            Runtime& all = runtime();
            const std::lock_guard<std::mutex> lock(all.mutex);
            if (index < 0) {
                index = static_cast<int>(shared_sites().size());
                shared_sites().reserve(256);
                shared_sites().push_back({name, kBytes});
            }
        }
        if (w.slots.size() <= static_cast<size_t>(index)) w.slots.resize(static_cast<size_t>(index) + 1);
        SharedSlot& slot = w.slots[static_cast<size_t>(index)];
        if (!slot.memory) slot.memory = map_guarded(kBytes) + whole_pages(kBytes) - kBytes;
        memset(slot.memory, kPoison, kBytes);
        slot.epoch = w.epoch;
        w.static_bytes += kBytes;
        --w.busy;
        if (w.static_bytes + w.launch->shared_bytes > w.launch->shared_limit) {
            fault(1, "too much shared memory: %zu bytes of arrays and %zu of the launch are more than %zu a block",
                  w.static_bytes, w.launch->shared_bytes, w.launch->shared_limit);
        }
    }
    static T& get(const char* name) {
        Worker& w = *self;
        const auto place = static_cast<size_t>(index);
        if (index < 0 || w.slots.size() <= place || w.slots[place].epoch != w.epoch) begin(w, name);
        return *reinterpret_cast<T*>(w.slots[static_cast<size_t>(index)].memory);
    }
};

template <typename T>
inline T* dynamic_shared() {
    return reinterpret_cast<T*>(self->shared_begin());
}

}  // namespace emulator

// ---- barriers and warp operations -------------------------------------------------------------------------

#define EMULATOR_LINE int line = __builtin_LINE()

inline void __syncthreads(EMULATOR_LINE) { emulator::block_operation(emulator::Op::sync, 0, line); }
inline int __syncthreads_count(int p, EMULATOR_LINE) {
    return static_cast<int>(emulator::block_operation(emulator::Op::sync_count, p != 0, line));
}
inline int __syncthreads_and(int p, EMULATOR_LINE) {
    return static_cast<int>(emulator::block_operation(emulator::Op::sync_and, p != 0, line));
}
inline int __syncthreads_or(int p, EMULATOR_LINE) {
    return static_cast<int>(emulator::block_operation(emulator::Op::sync_or, p != 0, line));
}
inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_LINE) {
    emulator::warp_operation(emulator::Op::syncwarp, mask, 0, 0, line);
}
inline unsigned __activemask(EMULATOR_LINE) {
    return static_cast<unsigned>(emulator::warp_operation(emulator::Op::active, 0, 0, 0, line));
}

namespace emulator __attribute__((visibility("hidden"))) {

inline int lane_id() { return self->current % kWarp; }

template <typename T>
inline T shuffle(unsigned mask, T value, int source, int line) {
    static_assert(sizeof(T) <= 8, "a shuffle moves a number of at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_operation(Op::shuffle, mask, bits, source, line);
    memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}
inline void check_width(int width, int line) {
    if (width < 1 || width > kWarp || (width & (width - 1))) {
        fault(719, "a shuffle (line %d) with width %d: a power of two up to 32 is meant", line, width);
    }
}

}  // namespace emulator

// A lane reads from another of its segment of `width` lanes; where there is none it gets its own value back.
template <typename T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATOR_LINE) {
    emulator::check_width(width, line);
    const int lane = emulator::lane_id();
    return emulator::shuffle(mask, value, (lane & ~(width - 1)) + (source & (width - 1)), line);
}
template <typename T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_LINE) {
    emulator::check_width(width, line);
    const int lane = emulator::lane_id();
    const bool inside = delta <= static_cast<unsigned>(lane & (width - 1));
    return emulator::shuffle(mask, value, inside ? lane - static_cast<int>(delta) : lane, line);
}
template <typename T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_LINE) {
    emulator::check_width(width, line);
    const int lane = emulator::lane_id();
    const bool inside = delta < static_cast<unsigned>(width - (lane & (width - 1)));
    return emulator::shuffle(mask, value, inside ? lane + static_cast<int>(delta) : lane, line);
}
template <typename T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, EMULATOR_LINE) {
    emulator::check_width(width, line);
    const int lane = emulator::lane_id(), source = lane ^ lanes;
    // A lane may read from its own segment and from those below, as the hardware does.
    return emulator::shuffle(mask, value, source < (lane & ~(width - 1)) + width && source >= 0 ? source : lane, line);
}

#define EMULATOR_VOTE(name, op, type)                                                                     \
    inline type name(unsigned mask, int predicate, EMULATOR_LINE) {                                        \
        return static_cast<type>(emulator::warp_operation(emulator::Op::op, mask, predicate != 0, 0, line)); \
    }
EMULATOR_VOTE(__all_sync, all, int)
EMULATOR_VOTE(__any_sync, any, int)
EMULATOR_VOTE(__uni_sync, uniform, int)
EMULATOR_VOTE(__ballot_sync, ballot, unsigned)
#undef EMULATOR_VOTE

template <typename T>
inline unsigned __match_any_sync(unsigned mask, T value, EMULATOR_LINE) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return static_cast<unsigned>(emulator::warp_operation(emulator::Op::match_any, mask, bits, 0, line));
}
template <typename T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all, EMULATOR_LINE) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    const auto same = static_cast<unsigned>(emulator::warp_operation(emulator::Op::match_all, mask, bits, 0, line));
    *all = same != 0;
    return same;
}

#define EMULATOR_REDUCE(name, op, type)                                                                    \
    inline type name(unsigned mask, type value, EMULATOR_LINE) {                                           \
        const uint64_t bits = static_cast<uint32_t>(value);                                                \
        return static_cast<type>(emulator::warp_operation(emulator::Op::op, mask, bits, 0, line));         \
    }
EMULATOR_REDUCE(__reduce_add_sync, add, unsigned)
EMULATOR_REDUCE(__reduce_add_sync, add_signed, int)
EMULATOR_REDUCE(__reduce_min_sync, min, unsigned)
EMULATOR_REDUCE(__reduce_min_sync, min_signed, int)
EMULATOR_REDUCE(__reduce_max_sync, max, unsigned)
EMULATOR_REDUCE(__reduce_max_sync, max_signed, int)
EMULATOR_REDUCE(__reduce_and_sync, bit_and, unsigned)
EMULATOR_REDUCE(__reduce_or_sync, bit_or, unsigned)
EMULATOR_REDUCE(__reduce_xor_sync, bit_xor, unsigned)
#undef EMULATOR_REDUCE

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
