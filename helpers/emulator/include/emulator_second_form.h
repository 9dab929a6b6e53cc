// What the second form of a file is compiled with, in the place of launches: see emulator_abreast.h.
#pragma once

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

void add_abreast(const char* text, const Rows& rows);

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

// A row of a block's threads. The compiler vectorises a loop over them that is the only one of its function, and whose
// arguments are its own.
template <typename Kernel, typename... A>
struct Row {
    const Kernel kernel;
    const Arguments<A...> arguments;
    const dim3 grid;
    dim3 size;
    uint3 index, block;

    EMULATOR_INLINED Row(const Launch& launch, uint3 index, uint3 block)
        : kernel(*static_cast<const Kernel*>(launch.call)),
          arguments(*static_cast<const Arguments<A...>*>(launch.arguments)),
          grid(launch.grid),
          size(launch.block),
          index(index),
          block(block) {
        this->block.x = below(kMostBlocksAbreast, block.x);
        size.x = below(kMostThreadsAbreast + 1, size.x);
    }
    EMULATOR_INLINED uint64_t thread(unsigned x, Turn turn) const {
        return arguments.give(kernel, uint3{x, index.y, index.z}, block, size, grid, turn);
    }
};

// Runs what the threads were asked about.
template <typename Kernel, typename... A>
__attribute__((noinline)) void run_row(const Launch& launch, uint3 index, uint3 block, uint64_t round, unsigned added) {
    const Row<Kernel, A...> row(launch, index, block);
    const Turn turn{Turn::run, round, below(kMostAdded, added)};
    for (unsigned x = 0; x < row.size.x; ++x) row.thread(x, turn);
}
template <typename Kernel, typename... A>
__attribute__((noinline)) Answers ask_row(const Launch& launch, uint3 index, uint3 block, uint64_t round) {
    const Row<Kernel, A...> row(launch, index, block);
    Answers answers;
    unsigned step = 1;
    for (unsigned x = 0; x < row.size.x; x += step) {
        const uint64_t answer = row.thread(x, {Turn::ask, round, 0});
        answers.note(answer);
        if (x > 0) continue;
        answers.added = static_cast<unsigned>(answer >> 32);
        if (answer & kBetween && row.size.x > 1) step = row.size.x - 1;
    }
    return answers;
}
// Few threads have anything left: what is made for them need not be fast, but soon.
template <typename Kernel, typename... A>
__attribute__((noinline, cold)) void end_row(const Launch& launch, uint3 index, uint3 block, uint64_t round) {
    const Row<Kernel, A...> row(launch, index, block);
    for (unsigned x = 0; x < row.size.x; ++x) row.thread(x, {Turn::rest, round, 0});
}

template <unsigned kPlace, typename Call, typename... A>
struct Second {
    static const bool added;
};
template <unsigned kPlace, typename Call, typename... A>
const bool Second<kPlace, Call, A...>::added =
    (add_abreast(launch_text<kPlace, Call, A...>(), {ask_row<Call, A...>, run_row<Call, A...>, end_row<Call, A...>}), true);

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
