// Loops of shuffles in which nothing but a thread's own variables changes, such as the sum of a warp. shuffle_loops.py
// puts a call of together() before them: once all lanes of the mask have come there, one thread computes the loop for
// all, on arrays of 32 numbers, without a switch between them. Where that cannot be, each runs the loop by itself.
#pragma once

#include "emulator_resume.h"

#define EMULATOR_LANES(counter) [&](const ::emulator::Lanes& emulator_l, counter) EMULATOR_INLINED  // it has no accesses of the kernel's

namespace [[gnu::visibility("hidden")]] emulator {

// The lanes of a warp that run a loop together.
struct Lanes {
    const Together* const* lane;
    unsigned there;

    // Copies the variable with a number of each lane into an array. False if it is one variable of several lanes.
    template <typename T>
    EMULATOR_INLINED bool get(int number, T (&to)[kWarp]) const {
        const void* before = nullptr;
        const int first = __builtin_ctz(there);
        for (int i = 0; i < kWarp; ++i) {
            const void* from = lane[there >> i & 1 ? i : first]->variables[number];
            if (from == before && i != first && there >> i & 1) return false;
            before = from;
            memcpy(static_cast<void*>(&to[i]), from, sizeof(T));
        }
        return true;
    }
    template <typename T>
    EMULATOR_INLINED void put(int number, const T (&from)[kWarp]) const {
        for (int i = 0; i < kWarp; ++i) {
            if (there >> i & 1) memcpy(lane[i]->variables[number], static_cast<const void*>(&from[i]), sizeof(T));
        }
    }
    template <typename T>
    EMULATOR_INLINED bool same(int number, const T& first) const {
        bool all = true;
        for (int i = 0; i < kWarp; ++i) {
            if (there >> i & 1) all &= !memcmp(lane[i]->variables[number], &first, sizeof(T));
        }
        return all;
    }
    // What each lane reads. False if one reads from a lane that is not there.
    template <Shuffle kKind, typename T>
    EMULATOR_INLINED bool take(T (&to)[kWarp], const T (&from)[kWarp], int by, int width = kWarp) const {
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

template <typename Loop, typename Counter>
EMULATOR_UNCHECKED __attribute__((noinline)) bool run_loop(const Together* const* lane, unsigned there) {
    const Lanes lanes{lane, there};
    const Together& first = *lane[__builtin_ctz(there)];
    const Counter counter = *static_cast<const Counter*>(first.variables[0]);
    return lanes.same(0, counter) && (*static_cast<const Loop*>(first.loop))(lanes, counter);
}

// Whether one thread has run the loop for the lanes of the mask. `loop` is called with Lanes and the counter's first
// value, which is variable 0; the others follow.
template <typename Loop, typename Counter, typename... Variables>
EMULATOR_INLINED inline bool together(Worker* w, unsigned mask, int line, const Loop& loop, Counter& counter, Variables&... variables) {
    static_assert(sizeof...(Variables) < Together::kMost, "too many variables");
    const Together mine{run_loop<Loop, Plain<Counter>>, &loop, {const_cast<Plain<Counter>*>(&counter), const_cast<Plain<Variables>*>(&variables)...}};
    return warp_operation(w, Op::together, mask, reinterpret_cast<uintptr_t>(&mine), 0, line) != 0;
}

}  // namespace emulator
