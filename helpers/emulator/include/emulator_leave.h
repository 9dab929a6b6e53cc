// Kernels whose threads leave their call also at a loop of shuffles, as at a barrier (warp_loops.py). When all lanes that
// its mask names have left there, the last of them runs the loop for all, on what they keep; then each is called again
// behind it. Where they do not all come, each is called again before it, and runs it by itself.
#pragma once

#include "emulator_resume.h"

// Compiled once for all loops.
#define EMULATOR_ONCE EMULATOR_UNCHECKED __attribute__((noinline))

namespace [[gnu::visibility("hidden")]] emulator {

// How a call ends.
enum class Ends { with_thread,
                  at_barrier,
                  at_loop };

// What the lanes of a warp keep, of which `there` run a loop together.
template <typename Kept>
struct KeptLanes {
    static constexpr size_t kBytes = (sizeof(Kept) + 15) / 16 * 16;
    char* const first;
    const unsigned there;

    EMULATOR_INLINED Kept& lane(int i) const { return *static_cast<Kept*>(__builtin_assume_aligned(first + static_cast<size_t>(i) * kBytes, 16)); }
    // The lanes that are not there have some number, too.
    template <typename T>
    EMULATOR_ONCE bool get(T Kept::* member, Plain<T>* to) const {
        for (int i = 0; i < kWarp; ++i) memcpy(static_cast<void*>(to + i), &(lane(i).*member), sizeof(T));
        return true;
    }
    template <typename T>
    EMULATOR_ONCE void put(T Kept::* member, const Plain<T>* from) const {
        if (there == ~0u) {
            for (int i = 0; i < kWarp; ++i) lane(i).*member = from[i];
        } else {
            for (int i = 0; i < kWarp; ++i) {
                if (there >> i & 1) lane(i).*member = from[i];
            }
        }
    }
    // What each lane reads. False if one reads from a lane that is not there.
    template <Shuffle kKind, typename T>
    EMULATOR_ONCE bool take(T* to, const T* from, int by, int width = kWarp) const {
        if (there == ~0u && width == kWarp && by >= 0 && by < kWarp) {
            if constexpr (kKind == Shuffle::exclusive_or) {
                for (int i = 0; i < kWarp; ++i) to[i] = from[i ^ by];
            } else if constexpr (kKind == Shuffle::down) {
                for (int i = 0; i < kWarp; ++i) to[i] = from[i + by < kWarp ? i + by : i];
            } else if constexpr (kKind == Shuffle::up) {
                for (int i = 0; i < kWarp; ++i) to[i] = from[i >= by ? i - by : i];
            } else {
                for (int i = 0; i < kWarp; ++i) to[i] = from[by];
            }
            return true;
        }
        return take_some<kKind>(to, from, by, width);
    }
    template <Shuffle kKind, typename T>
    EMULATOR_UNCHECKED __attribute__((noinline)) bool take_some(T* to, const T* from, int by, int width) const {
        if (width < 1 || width > kWarp || (width & (width - 1))) return false;
        unsigned read = 0;
        for (int i = 0; i < kWarp; ++i) {
            const int source = shuffle_source(kKind, i, by, width);
            to[i] = from[source];
            read |= (there >> i & 1) << source;
        }
        return !(read & ~there);
    }
};

// The calls of a kernel with such loops. As long as all goes in order, a warp's lanes are called again and again until
// each has ended its call at a barrier or with the thread; then come those of the next warp.
struct WarpCalls {
    Worker& w;
    uint3* const index;
    const dim3 size;
    const int threads;
    const bool in_order;
    bool again;
    int thread;
    int begin;  // the first of its warp

    WarpCalls(Worker* of, size_t bytes);
    WarpCalls(const WarpCalls&) = delete;
    // Whether the thread may end its call at a loop.
    EMULATOR_INLINED bool leaves() const { return in_order & (w.first != kNone) & w.all_again & ((thread | (kWarp - 1)) < threads); }
    // Whether it does. It is now to go on at `place`.
    EMULATOR_INLINED bool leave(unsigned mask, int place, int& where) {
        w.in_thread.store(false, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (__builtin_expect(!leaves(), 0)) {  // it was interrupted meanwhile, and others were here
            w.in_thread.store(true, std::memory_order_relaxed);
            return false;
        }
        OfWarp& its = w.of_warp;
        where = place;
        its.open = true;
        if (!its.at_loop) its.place = place, its.mask = mask;
        if (place != its.place || mask != its.mask) its.mask = 0;
        its.at_loop |= 1u << thread % kWarp;
        return true;
    }
    // Whether another thread's call follows.
    EMULATOR_INLINED bool next(Ends how) {
        w.in_thread.store(false, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        OfWarp& its = w.of_warp;
        const bool left = how == Ends::at_barrier;
        if (__builtin_expect(!in_order | (w.first == kNone) | !w.all_again, 0)) return end(left, w.all_again ? w.first : kNone);
        if (how != Ends::at_loop) {
            if (__builtin_expect(left != w.first_left, 0) && !turn(left)) return false;
            its.done |= 1u << thread % kWarp;
        }
        if (__builtin_expect(!its.to_call, 0) && !finish()) return false;
        const int lane = __builtin_ctz(its.to_call);
        its.to_call &= its.to_call - 1;
        const int before = thread;
        thread = begin + lane;
        w.current = thread;
        if (!its.once_more) w.started = thread + 1;
        if (__builtin_expect(thread == before + 1, 1)) {
            step(*index, size);
        } else {
            *index = position(thread, size);
        }
        std::atomic_signal_fence(std::memory_order_seq_cst);
        w.in_thread.store(true, std::memory_order_relaxed);
        return true;
    }

 private:
    bool end(bool left, int first) const;
    bool turn(bool left) const;
    bool finish();
};

template <typename Kept>
struct Calls<Kept, true> : WarpCalls {
    static_assert(std::is_trivially_copyable_v<Kept> && sizeof(Kept) <= kMostKept, "a thread keeps too much");
    static constexpr size_t kBytes = KeptLanes<Kept>::kBytes;

    EMULATOR_INLINED explicit Calls(Worker* of) : WarpCalls(of, kBytes) {}
    // What the thread keeps. `where` says where it goes on.
    EMULATOR_INLINED Kept& kept() const { return *static_cast<Kept*>(__builtin_assume_aligned(w.store + static_cast<size_t>(thread) * kBytes, 16)); }
    EMULATOR_INLINED int where() const { return again ? kept().emulator_where : 0; }
    // Whether the thread ends its call here. `loop` runs it for all lanes, if this is the last one that the mask names;
    // they go on at `behind`.
    template <typename Loop>
    EMULATOR_INLINED bool leave(unsigned mask, int place, int behind, const Loop& loop) {
        if (!WarpCalls::leave(mask, place, kept().emulator_where)) return false;
        if (w.of_warp.at_loop == w.of_warp.mask) run(behind, loop);
        return true;
    }
    template <typename Loop>
    EMULATOR_UNCHECKED __attribute__((noinline)) void run(int behind, const Loop& loop) const {
        OfWarp& its = w.of_warp;
        const KeptLanes<Kept> lanes{w.store + static_cast<size_t>(begin) * kBytes, its.at_loop};
        if (!loop(lanes)) {
            its.mask = 0;
            return;
        }
        for (uint32_t left = its.at_loop; left; left &= left - 1) lanes.lane(__builtin_ctz(left)).emulator_where = behind;
        its.behind_loop |= std::exchange(its.at_loop, 0);
    }
};

#ifndef EMULATOR_RUNTIME_APART
WarpCalls::WarpCalls(Worker* of, size_t bytes)
    : w(*of), index(thread_index()), size(w.launch->block), threads(w.threads), in_order(w.launch->mode == 0 && w.all_again), again(w.round != 0 || w.current < w.running->begun), thread(w.current), begin(thread / kWarp * kWarp) {
    const OneStep step;
    if (__builtin_expect(w.store_bytes != bytes, 0)) w.keep(bytes);
    if (__builtin_expect(w.first == kNone, 0)) return;  // it was parked before this, and `of_warp` is others'
    const int done = w.first > begin ? w.first - begin : 0;
    const uint32_t before = (1u << thread % kWarp) - 1;
    w.of_warp = {};
    w.of_warp.to_call = w.existing(thread / kWarp) & ~before & ~(1u << thread % kWarp);
    w.of_warp.done = before & ~0u << done;
}
// run_threads() goes on.
bool WarpCalls::end(bool left, int first) const {
    w.left = left;
    w.first = kNone;
    if (first != kNone) {
        w.calls_first = first;
        w.ran_through = true;
    }
    return false;
}
// The call has ended unlike those before it. Whether all goes in order nevertheless.
bool WarpCalls::turn(bool left) const {
    OfWarp& its = w.of_warp;
    if (!its.done) {
        w.note_until(begin);
        w.first_left = left;
        return true;
    }
    if (!its.open) return end(left, w.first);
    w.part();
    return end(left, kNone);
}
// All lanes of a warp have been called. Whether some are called again, or those of the next warp.
bool WarpCalls::finish() {
    OfWarp& its = w.of_warp;
    if (its.at_loop) {
        w.part();
        return end(w.first_left, w.started);
    }
    if (its.behind_loop) {
        its.to_call = std::exchange(its.behind_loop, 0);
        its.once_more = again = true;
        w.started = std::min(begin + kWarp, threads);
        return true;
    }
    if (begin + kWarp >= threads) {
        w.started = threads;
        its.open = false;
        return end(w.first_left, w.first);
    }
    its = {};
    begin += kWarp;
    its.to_call = w.existing(begin / kWarp);
    again = w.round != 0;
    thread = begin - 1;
    *index = position(thread, size);
    return true;
}
#endif

}  // namespace emulator

#define EMULATOR_OF_KEPT [&](const ::emulator::KeptLanes<emulator_Kept>& emulator_l) EMULATOR_INLINED->bool  // it has no accesses of the kernel's
