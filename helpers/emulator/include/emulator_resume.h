// Kernels whose threads leave their call at a barrier and are called again behind it (resumed.py): no thread
// needs a stack of its own meanwhile. What it keeps lies in an array of small structs.
#pragma once

#include "emulator_device.h"

namespace [[gnu::visibility("hidden")]] emulator {

template <typename T>
using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

// The place of the thread behind this one.
EMULATOR_INLINED inline void step(uint3& place, const dim3& size) {
    if (++place.x < size.x) return;
    place.x = 0;
    if (++place.y < size.y) return;
    place.y = 0;
    ++place.z;
}

// The calls of one kernel for the threads of a block, one after another: as long as nothing happens but that one ends
// like the one before it. Anything else is left to run_threads().
template <typename Kept, bool kWithLoops = false>
struct Calls {
    static_assert(std::is_trivially_copyable_v<Kept> && sizeof(Kept) <= kMostKept, "a thread keeps too much");
    static constexpr size_t kBytes = (sizeof(Kept) + 15) / 16 * 16;
    Worker& w;
    uint3* const index;
    const dim3 size;
    const int threads;
    const bool again, in_order;
    int thread;
    char* place;

    EMULATOR_INLINED explicit Calls(Worker* of)
        : w(*of), index(thread_index()), size(w.launch->block), threads(w.threads), again(w.round != 0), in_order(w.launch->mode == 0 && w.all_again), thread(w.current) {
        if (__builtin_expect(w.store_bytes != kBytes, 0)) w.keep(kBytes);
        place = w.store + static_cast<size_t>(thread) * kBytes;
    }
    Calls(const Calls&) = delete;
    // What the thread keeps. `emulator_where` says behind which barrier it goes on.
    EMULATOR_INLINED Kept& kept() const { return *static_cast<Kept*>(__builtin_assume_aligned(place, 16)); }
    EMULATOR_INLINED int where() const { return again ? kept().emulator_where : 0; }
    // Whether the next thread's call follows. left: this one's ended at a barrier.
    EMULATOR_INLINED bool next(bool left) {
        w.in_thread.store(false, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        const bool alike = (w.first != kNone) & (left == w.first_left);
        if (__builtin_expect(!alike | !in_order | (thread + 1 == threads), 0)) {
            w.left = left;
            if (w.first != kNone) {
                w.calls_first = std::exchange(w.first, kNone);
                w.ran_through = true;
            }
            return false;
        }
        w.current = ++thread;
        w.started = thread + 1;
        place += kBytes;
        step(*index, size);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        w.in_thread.store(true, std::memory_order_relaxed);
        return true;
    }
};

}  // namespace emulator

#define EMULATOR_KEPT(name) struct name
#define EMULATOR_ARRAY(type) alignas(type) alignas(::emulator::vector_alignment(sizeof(type))) type
