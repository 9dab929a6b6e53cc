// Kernels whose warps run by phases (phases.py): between two waits, a loop over the lanes. The first thread of a block
// runs them for all, if all goes in order. Where lanes part before a wait, the kernel goes on as it is written.
#pragma once

#include "emulator_leave.h"

namespace [[gnu::visibility("hidden")]] emulator {

template <typename T, int n>
using PerLane = T[n];

template <typename T, typename From>
EMULATOR_INLINED inline void keep(T& to, const From& from) {
    if constexpr (std::is_array_v<T>) {
        memcpy(static_cast<void*>(&to), &from, sizeof to);
    } else {
        to = from;
    }
}

// A lane's element.
template <typename T>
EMULATOR_INLINED inline T& at(T* array, int lane) {
    return array[lane];
}

// What each lane reads of what all have given.
void hand_over(Shuffle kind, void* to, const void* from, size_t bytes, int by, int width);
template <Shuffle kKind, typename T, typename By>
EMULATOR_INLINED inline void hand_over(T (&to)[kWarp], const T* from, const By& by, int width) {
    static_assert(sizeof(T) <= 8, "a shuffle moves a number of at most 8 bytes");
    if constexpr (std::is_array_v<By>) {
        for (int i = 0; i < kWarp; ++i) to[i] = from[shuffle_source(kKind, i, by[i], width)];
    } else {
        hand_over(kKind, to, from, sizeof(T), static_cast<int>(by), width);
    }
}

// The block that runs so.
struct Phases {
    static constexpr int kMostParted = 16;  // blocks of a launch
    Worker& w;
    uint3 at{0, 0, 0};  // of the warp's first lane
    int begin = 0;      // that lane's thread
    uint32_t ended = 0;  // warps

    EMULATOR_INLINED explicit Phases(Worker* of) : w(*of) {}
    EMULATOR_INLINED bool begins() { return w.current == 0 && w.round == 0 && start(); }
    EMULATOR_INLINED int warps() const { return w.threads / kWarp; }
    // The lane's place; a fault names it.
    EMULATOR_INLINED uint3 lane(int i) const {
        w.current = begin + i;
        return quiet(i);
    }
    EMULATOR_INLINED uint3 told(int i) const { return *thread_index() = lane(i); }
    EMULATOR_INLINED uint3 quiet(int i) const { return {at.x + static_cast<unsigned>(i), at.y, at.z}; }
    EMULATOR_INLINED bool has(int warp) {
        begin = warp * kWarp;
        at = position(begin, w.launch->block);
        return !(ended >> warp & 1);
    }
    // Whether all threads have left the kernel. `parted`: some have, and others come to the barrier.
    EMULATOR_INLINED bool all_ended(bool& parted) const {
        const uint32_t all = ~0u >> (kMaxWarps - warps());
        parted = ended && ended != all;
        return ended == all;
    }
    bool start();
    bool starts_alone() const;
    void end(int threads) const;
    bool part(bool from_start);
};

#ifndef EMULATOR_RUNTIME_APART
template <typename T>
void hand_over_all(Shuffle kind, T* to, const T* from, int by, int width) {
    if (width == kWarp && by > 0 && by < kWarp) {
        const int more = kWarp - by;
        switch (kind) {
            case Shuffle::down:
                memcpy(to, from + by, static_cast<size_t>(more) * sizeof(T));
                memcpy(to + more, from + more, static_cast<size_t>(by) * sizeof(T));
                return;
            case Shuffle::up:
                memcpy(to, from, static_cast<size_t>(by) * sizeof(T));
                memcpy(to + by, from, static_cast<size_t>(more) * sizeof(T));
                return;
            case Shuffle::exclusive_or:
                for (int i = 0; i < kWarp; ++i) to[i] = from[i ^ by];
                return;
            default: break;
        }
    }
    for (int i = 0; i < kWarp; ++i) to[i] = from[shuffle_source(kind, i, by, width)];
}
void hand_over(Shuffle kind, void* to, const void* from, size_t bytes, int by, int width) {
    const auto as = [&](auto number) {
        hand_over_all(kind, static_cast<decltype(number)*>(to), static_cast<const decltype(number)*>(from), by, width);
    };
    switch (bytes) {
        case 1: return as(uint8_t{});
        case 2: return as(uint16_t{});
        case 4: return as(uint32_t{});
        case 8: return as(uint64_t{});
        default:  // a struct of few bytes
            for (int i = 0; i < kWarp; ++i) {
                const auto place = static_cast<size_t>(shuffle_source(kind, i, by, width));
                memcpy(static_cast<char*>(to) + static_cast<size_t>(i) * bytes, static_cast<const char*>(from) + place * bytes, bytes);
            }
    }
}
bool Phases::start() {
    const Launch& now = *w.launch;
    if (now.mode || now.cooperative || now.block.x % kWarp || now.parted >= kMostParted) return false;
    return starts_alone();
}
// Whether no other thread has begun: one that was parked before this is asked finds the others at a barrier. From here
// on it cannot be parked.
bool Phases::starts_alone() const {
    w.in_thread.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool alone = w.first == 0;
    if (alone) {
        w.started = w.threads;  // nobody starts one of them meanwhile
    } else {
        w.in_thread.store(true, std::memory_order_relaxed);
    }
    return alone;
}
// These threads, the first of the block, have ended; the others are called one by one.
void Phases::end(int threads) const {
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        const bool last = (warp + 1) * kWarp == threads;  // of it, the last lane ends now
        w.note_end(warp, last ? ~0u >> 1 : ~0u, last ? kWarp - 1 : kWarp, true);
    }
    w.current = threads - 1;
    w.started = threads;
    w.first = kNone;
}
// Lanes part. Whether the kernel returns: those of earlier warps have ended.
bool Phases::part(bool from_start) {
    ++w.launch->parted;
    if (!from_start && begin) {
        end(begin);
        return true;
    }
    w.static_bytes = 0;
    w.fill_dynamic_shared();
    w.current = 0;
    w.started = 1;
    *thread_index() = {0, 0, 0};
    std::atomic_signal_fence(std::memory_order_seq_cst);
    w.in_thread.store(true, std::memory_order_relaxed);
    return false;
}
#endif

}  // namespace emulator

#define EMULATOR_LANES_OF(...) ::emulator::PerLane<::emulator::Plain<__VA_ARGS__>, emulator_lanes>
#define EMULATOR_OF_WARP(...) ::emulator::PerLane<::emulator::Plain<__VA_ARGS__>, ::emulator::kWarp>
#define EMULATOR_GIVEN(array, parameter) \
    for (int emulator_i = 0; emulator_i < emulator_lanes; ++emulator_i) ::emulator::keep(array[emulator_i], parameter)
// `emulator_f`: how the phases have ended.
#define EMULATOR_PHASES_BEGIN(barriers) \
    if (::emulator::Phases emulator_p(::emulator::worker()); emulator_p.begins()) { \
        constexpr bool emulator_barriers = barriers; \
    const auto emulator_f = [=](::emulator::Phases& emulator_p) __attribute__((noinline)) -> bool { \
            constexpr int emulator_lanes = emulator_barriers ? ::emulator::kMaxThreads : ::emulator::kWarp; \
            [[maybe_unused]] const uint3 blockIdx = *::emulator::block_index(); \
            [[maybe_unused]] const dim3 blockDim = *::emulator::block_size(), gridDim = *::emulator::grid_size();
#define EMULATOR_PHASES_END \
    return true; \
    } \
    ; \
    if (emulator_f(emulator_p)) return emulator_p.end(emulator_p.w.threads); \
    if (emulator_p.part(emulator_barriers)) return; \
    }
#define EMULATOR_EACH_WARP \
    for (int emulator_w = 0; emulator_w < emulator_p.warps(); ++emulator_w) \
        if (emulator_p.has(emulator_w)) \
            if ([[maybe_unused]] const int emulator_first = emulator_barriers ? emulator_p.begin : 0; true) \
                if ([[maybe_unused]] const uint3 threadIdx = emulator_p.at; true)
#define EMULATOR_LOOP_OF_LANES(of) \
    for (int emulator_i = 0; emulator_i < ::emulator::kWarp; ++emulator_i) \
        if ([[maybe_unused]] const int emulator_j = emulator_first + emulator_i; true) \
            if ([[maybe_unused]] const uint3 threadIdx = emulator_p.of(emulator_i); true)
#define EMULATOR_EACH_LANE EMULATOR_LOOP_OF_LANES(lane)
#define EMULATOR_TOLD_LANE EMULATOR_LOOP_OF_LANES(told)
// Of a lane's own numbers alone: without checks, which the compiler makes vectors of.
#define EMULATOR_QUIET_LANE [&]() EMULATOR_INLINED { EMULATOR_LOOP_OF_LANES(quiet)
#define EMULATOR_QUIET_END \
    } \
    ();
#define EMULATOR_JUMP(how, label) \
    do { \
        emulator_##how |= 1u << emulator_i; \
        goto label; \
    } while (false)
#define EMULATOR_PART return false;
#define EMULATOR_WARP_ENDS emulator_p.ended |= 1u << emulator_w;
#define EMULATOR_BARRIER \
    { \
        bool emulator_parted; \
        if (emulator_p.all_ended(emulator_parted)) return true; \
        if (emulator_parted) return false; \
    }
