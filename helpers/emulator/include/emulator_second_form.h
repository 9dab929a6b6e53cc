// What the second form of a file is compiled with, in the place of launches: see emulator_abreast.h.
#pragma once

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

void add_abreast(const char* text, RunAbreast run);
[[noreturn]] __attribute__((cold)) void misaligned_abreast(const void* address);

// What a thread answers that is asked whether it goes on.
// kBetween: of a row of threads, the first and the last speak for those between them.
// kLoop: the kernel is a loop of which this is one round. kMore: also a thread that says no has something left to do.
// kRefused: the block must run as the kernel is written.
constexpr unsigned kYes = 1, kBetween = 2, kLoop = 4, kMore = 8, kRefused = 16;

// What a thread is called for: to answer, to run what it was asked about, or to run all that is left.
struct Turn {
    enum Kind { ask,
                run,
                rest } kind;
    uint64_t round;  // of the loop
    unsigned added;  // by earlier rounds, when it is run
};

// The variable of a loop `for (T at = first; ...; at += step)` in a round: what the additions of the earlier ones would
// have made of it.
template <typename T>
struct Rounds {
    static_assert(std::is_integral_v<T> && sizeof(T) >= sizeof(int));
    T at;
    uint64_t added;
    bool fits;  // may be run abreast

    template <typename Step>
    EMULATOR_INLINED Rounds(T first, Step step, Turn turn) {
        static_assert(std::is_integral_v<Step>);
        if (turn.kind == Turn::run) {
            added = turn.added;
        } else {
            added = static_cast<uint64_t>(static_cast<T>(step)) * turn.round;
        }
        at = static_cast<T>(static_cast<std::make_unsigned_t<T>>(first) + static_cast<std::make_unsigned_t<T>>(added));
        fits = added < kMostAdded && first >= 0 && first < kMostAdded;
    }
    template <typename Step>
    EMULATOR_INLINED void next(Step step) { at += static_cast<T>(step); }
    EMULATOR_INLINED uint64_t answer(bool yes) const { return fits ? (yes ? kYes : 0) | added << 32 : kMore; }
};

// Whether there is no pointer in what a function is given, which then cannot read memory.
template <typename... T>
constexpr bool has_no_pointer(const T&...) {
    return ((std::is_arithmetic_v<T> || (std::is_class_v<T> && sizeof(T) < sizeof(void*))) && ...);
}

// Of __launch_bounds__(most); the kernel as it is written refuses the launch.
EMULATOR_INLINED inline bool keeps_bounds(int64_t most, const dim3& size) { return int64_t{size.x} * size.y * size.z <= most; }

// In the place of reinterpret_cast, see helpers/emulator/abreast.py.
template <typename To>
EMULATOR_INLINED bool is_aligned(To pointer) {
    return reinterpret_cast<uintptr_t>(pointer) % alignof(std::remove_pointer_t<To>) == 0;
}
template <typename To, typename From>
EMULATOR_INLINED To asked(From* from, bool& aligned) {
    const To to = reinterpret_cast<To>(from);
    aligned = aligned && is_aligned(to);
    return to;
}
template <typename To, typename From>
EMULATOR_INLINED To accessed(From* from) {
    const To to = reinterpret_cast<To>(from);
    if (__builtin_expect(!is_aligned(to), 0)) misaligned_abreast(from);
    return to;
}
void not_known_to_be_aligned() __attribute__((error("the alignment of a pointer that is made of another is not known")));
template <typename To, typename From>
EMULATOR_INLINED To known(From* from) {
    const To to = reinterpret_cast<To>(from);
    if (!is_aligned(to)) not_known_to_be_aligned();
    return to;
}

// What threads answer: all, any, and by how much a loop has moved on.
struct Answers {
    unsigned all = ~0u, any = 0, added = 0;
    EMULATOR_INLINED void note(uint64_t answer) {
        all &= static_cast<unsigned>(answer);
        any |= static_cast<unsigned>(answer);
    }
};

// Calls the threads of a row of a block. It has no other loop and the arguments for itself: that is what the compiler
// vectorises.
template <Turn::Kind kKind, typename Kernel, typename... A>
EMULATOR_INLINED Answers threads_of_row(const Launch& launch, uint3 index, uint3 block, uint64_t round, unsigned added) {
    const Kernel kernel = *static_cast<const Kernel*>(launch.call);
    const Arguments<A...> arguments = *static_cast<const Arguments<A...>*>(launch.arguments);
    const dim3 grid = launch.grid;
    block.x = below(kMostBlocksAbreast, block.x);
    dim3 size = launch.block;
    size.x = below(kMostThreadsAbreast + 1, size.x);
    const Turn turn{kKind, round, below(kMostAdded, added)};
    const auto thread = [&](unsigned x) EMULATOR_INLINED -> uint64_t {
        return arguments.give(kernel, uint3{x, index.y, index.z}, block, size, grid, turn);
    };
    Answers answers;
    if constexpr (kKind == Turn::ask) {
        const uint64_t first = thread(0);
        answers.added = static_cast<unsigned>(first >> 32);
        answers.note(first);
        if (first & kBetween) {
            answers.note(thread(size.x - 1));
            return answers;
        }
    }
    for (unsigned x = 0; x < size.x; ++x) {
        const uint64_t answer = thread(x);
        if constexpr (kKind == Turn::ask) answers.note(answer);
    }
    return answers;
}

template <Turn::Kind kKind, typename Kernel, typename... A>
__attribute__((noinline)) Answers call_row(const Launch& launch, uint3 index, uint3 block, uint64_t round, unsigned added) {
    return threads_of_row<kKind, Kernel, A...>(launch, index, block, round, added);
}
// Few threads have anything left: what is made for them need not be fast, but soon.
template <typename Kernel, typename... A>
__attribute__((noinline, cold)) Answers end_row(const Launch& launch, uint3 index, uint3 block, uint64_t round, unsigned added) {
    return threads_of_row<Turn::rest, Kernel, A...>(launch, index, block, round, added);
}

template <typename Kernel, typename... A>
bool run_block_abreast(const Worker& w, uint3 block) {
    const Launch& launch = *w.launch;
    const auto rows = [&](auto call, uint64_t round, unsigned added) {
        Answers all;
        for (uint3 row{0, 0, 0}; row.z < launch.block.z; ++row.z) {
            for (row.y = 0; row.y < launch.block.y; ++row.y) {
                const Answers one = call(launch, row, block, round, added);
                all = {all.all & one.all, all.any | one.any, one.added};
            }
        }
        return all;
    };
    for (uint64_t round = 0;; ++round) {
        const Answers answers = rows(call_row<Turn::ask, Kernel, A...>, round, 0);
        if (answers.any & kRefused) return false;
        if (answers.all & kYes) {
            rows(call_row<Turn::run, Kernel, A...>, round, answers.added);
            if (answers.all & kLoop) continue;
            return true;
        }
        if (!(answers.all & kLoop)) return false;
        if (answers.any & (kYes | kMore)) rows(end_row<Kernel, A...>, round, 0);
        return true;
    }
}

template <unsigned kPlace, typename Call, typename... A>
struct Second {
    static const bool added;
};
template <unsigned kPlace, typename Call, typename... A>
const bool Second<kPlace, Call, A...>::added =
    (add_abreast(launch_text<kPlace, Call, A...>(), &run_block_abreast<Call, A...>), true);

// In the place of `on_alone`, in launchers that are never called.
template <unsigned kPlace, typename Call>
struct Abreast {
    template <typename... A>
    void operator()(A&&...) const {
        if constexpr ((Told<std::decay_t<A>>::kTold && ...)) static_cast<void>(&Second<kPlace, Call, std::decay_t<A>...>::added);
    }
};
template <unsigned kPlace, typename Call>
Abreast<kPlace, Call> abreast(const char*, Call, Config) { return {}; }
struct PassedOver {
    template <typename... A>
    void operator()(A&&...) const {}
};
inline PassedOver passed_over(Config) { return {}; }

}  // namespace emulator
