// Kernels with barriers and no warp operations, whose blocks run by phases (block_phases.py): between two barriers, a loop
// over the block's threads, kChunk of them by each instruction. These loops do not check accesses: where one faults, the
// block is run again as the kernel is written, which names the thread.
#pragma once

#include "emulator_abreast.h"
#include "emulator_phases.h"

namespace [[gnu::visibility("hidden")]] emulator {

constexpr unsigned kChunk = 8;  // threads
constexpr unsigned kMostBlocks = 1u << 20, kMostBlocksDown = 1u << 16;

// Tells the compiler that a number lies below a limit.
EMULATOR_INLINED inline unsigned surely_below(unsigned limit, unsigned value) {
    if (value >= limit) __builtin_unreachable();
    return value;
}

// An int of which the sum with others cannot wrap, in an index.
EMULATOR_INLINED inline int64_t wide(int value) { return value; }

struct BlockPhases : Phases {
    using Phases::Phases;

    // told: all is known of the alignment of what the kernel's arguments point to.
    EMULATOR_INLINED bool begins(bool told) { return told && w.current == 0 && w.round == 0 && start_block(); }
    bool start_block();
    bool is_flat() const { return static_cast<int>(w.launch->block.x) == w.threads; }
    // Runs the phases. False if they met a fault: the block is to be run again.
    bool run(bool (*call)(const void*), const void* phases) const;
    template <typename Call>
    EMULATOR_INLINED bool run(const Call& call) const {
        return run([](const void* of) { return (*static_cast<const Call*>(of))(); }, &call);
    }
};

template <typename... A>
EMULATOR_INLINED bool all_told(const A&... given) {
    return ((Told<A>::kTold && Told<A>::aligned(given)) && ...);
}

inline const void* place_of(const void* pointer) { return pointer; }
template <typename T>
std::enable_if_t<!std::is_pointer_v<T>, const void*> place_of(const T&) { return nullptr; }
template <typename... A>
bool all_differ(const A&... given) {
    const void* const places[] = {place_of(given)..., nullptr};
    for (size_t i = 0; i < sizeof...(A); ++i)
        for (size_t j = 0; places[i] && j < i; ++j)
            if (places[i] == places[j]) return false;
    return true;
}

// A pointer that is read or written through.
template <typename T>
EMULATOR_INLINED inline T* aligned(T* pointer) {
    if (reinterpret_cast<uintptr_t>(pointer) % alignof(T)) misaligned_abreast(pointer);
    return pointer;
}

// An index of an array of known length.
template <typename T, size_t n, typename I>
EMULATOR_INLINED inline I within(const T (&)[n], I index) {
    if (static_cast<uint64_t>(index) >= n) outside_abreast(static_cast<int64_t>(index), n);
    return index;
}
template <typename T, typename I>
EMULATOR_INLINED inline I within(const T&, I index) { return index; }  // by a pointer

// Atomics on shared memory, which no other OS thread reaches: the threads come one after another.
#define EMULATOR_IN_TURN(name, expression) \
    template <typename T> \
    EMULATOR_INLINED T name##_in_turn(T* address, Given<T> value) { \
        const T old = *address; \
        *address = static_cast<T>(expression); \
        return old; \
    }
EMULATOR_IN_TURN(atomicAdd, old + value)
EMULATOR_IN_TURN(atomicSub, old - value)
EMULATOR_IN_TURN(atomicMin, value < old ? value : old)
EMULATOR_IN_TURN(atomicMax, value > old ? value : old)
EMULATOR_IN_TURN(atomicAnd, old& value)
EMULATOR_IN_TURN(atomicOr, old | value)
EMULATOR_IN_TURN(atomicXor, old ^ value)
#undef EMULATOR_IN_TURN

#ifndef EMULATOR_RUNTIME_APART
bool BlockPhases::start_block() {
    const Launch& now = *w.launch;
    if (now.mode || now.cooperative || now.far || now.block.x % kChunk || w.threads % kWarp) return false;
    if (now.grid.x >= kMostBlocks || now.grid.y >= kMostBlocksDown || now.grid.z >= kMostBlocksDown) return false;
    return starts_alone();
}
bool BlockPhases::run(bool (*call)(const void*), const void* phases) const {
    w.retried = false;
    if (sigsetjmp(w.retry, 0)) {
        unblock_signals();
        w.abreast = false;
        w.retried = true;
        return false;
    }
    w.abreast = true;
    const bool done = call(phases);
    w.abreast = false;
    return done;
}
#endif

}  // namespace emulator

// apart: no two arguments may point to the same place. flat: no two threads may have the same threadIdx.x.
#define EMULATOR_BLOCK_BEGIN(apart, flat, ...) \
    if (::emulator::BlockPhases emulator_p(::emulator::worker()); \
        emulator_p.begins(::emulator::all_told(__VA_ARGS__) && (!(apart) || ::emulator::all_differ(__VA_ARGS__)) && \
                          (!(flat) || emulator_p.is_flat()))) {
// The first two make vectors of more loops; no result depends on them. The others are those of the whole file.
#define EMULATOR_AS_VECTORS \
    optimize("vect-cost-model=dynamic", "no-trapping-math", "fp-contract=off", "wrapv", "no-strict-aliasing", "no-math-errno")
#define EMULATOR_AS_BLOCK __attribute__((no_sanitize("alignment", "bounds"), EMULATOR_AS_VECTORS))
// Between the two: the parameters of what runs the phases.
#define EMULATOR_BLOCK_GIVEN const auto emulator_f = [](
#define EMULATOR_BLOCK_BODY \
    ) __attribute__((noinline, no_sanitize("alignment", "bounds"), EMULATOR_AS_VECTORS)) -> bool { \
        using ::emulator::surely_below; \
        [[maybe_unused]] const uint3 blockIdx{surely_below(::emulator::kMostBlocks, ::emulator::block_index()->x), \
                                              surely_below(::emulator::kMostBlocksDown, ::emulator::block_index()->y), \
                                              surely_below(::emulator::kMostBlocksDown, ::emulator::block_index()->z)}; \
        [[maybe_unused]] const dim3 blockDim{surely_below(::emulator::kMaxThreads + 1, ::emulator::block_size()->x), \
                                             surely_below(::emulator::kMaxThreads + 1, ::emulator::block_size()->y), \
                                             surely_below(65, ::emulator::block_size()->z)}; \
        [[maybe_unused]] const dim3 gridDim = *::emulator::grid_size();
#define EMULATOR_BLOCK_END(...) \
    return true; \
    } \
    ; \
    if (emulator_p.run([&] { return emulator_f(__VA_ARGS__); })) return emulator_p.end(emulator_p.w.threads); \
    emulator_p.part(true); \
    }
#define EMULATOR_OF_BLOCK(...) ::emulator::PerLane<::emulator::Plain<__VA_ARGS__>, ::emulator::kMaxThreads>
#define EMULATOR_OF_CHUNK(...) alignas(32)::emulator::PerLane<::emulator::Plain<__VA_ARGS__>, ::emulator::kChunk>
#define EMULATOR_GIVEN_TO_ALL(array, parameter) \
    for (unsigned emulator_i = 0; emulator_i < ::emulator::kMaxThreads; ++emulator_i) ::emulator::keep(array[emulator_i], parameter)
// `emulator_j`: the place of a chunk's first thread in the arrays of all threads.
#define EMULATOR_EACH_CHUNK \
    for (unsigned emulator_z = 0, emulator_row = 0; emulator_z < blockDim.z; ++emulator_z) \
        for (unsigned emulator_y = 0; emulator_y < blockDim.y; ++emulator_y, emulator_row += blockDim.x) \
            for (unsigned emulator_x = 0; emulator_x < blockDim.x; emulator_x += ::emulator::kChunk) \
                if ([[maybe_unused]] const unsigned emulator_j = emulator_row + emulator_x; true)
#define EMULATOR_EACH_OF_CHUNK \
    for (unsigned emulator_i = 0; emulator_i < ::emulator::kChunk; ++emulator_i) \
        if ([[maybe_unused]] const uint3 threadIdx{emulator_x + emulator_i, emulator_y, emulator_z}; true)
// Of an array of all threads, the element of this one.
#define EMULATOR_OF_THIS(array) ((array) + emulator_j)[emulator_i]
