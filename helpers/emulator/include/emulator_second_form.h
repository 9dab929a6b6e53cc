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
};

// The variable of a loop `for (T at = first; ...; at += step)` from a round on. After the earlier ones, and before the
// loop ends, it is what the additions would have made of it.
template <typename T>
struct Rounds {
    static_assert(std::is_integral_v<T> && sizeof(T) >= sizeof(int));
    T at;
    bool more = true, fits = true;
    const bool single;

    template <typename Step>
    EMULATOR_INLINED Rounds(T first, Step step, Turn turn) : single(turn.kind == Turn::run) {
        static_assert(std::is_integral_v<Step>);
        if constexpr (sizeof(T) > sizeof(int)) {
            at = static_cast<T>(static_cast<uint64_t>(first) + static_cast<uint64_t>(static_cast<T>(step)) * turn.round);
        } else {  // the compiler must know that it does not wrap: else neighbours have no neighbouring elements
            const int64_t exact = int64_t{first} + int64_t{static_cast<T>(step)} * static_cast<int64_t>(turn.round);
            fits = exact >= 0 && exact <= INT32_MAX;
            if (single && !fits) __builtin_unreachable();  // it was asked
            at = static_cast<T>(exact);
        }
    }
    template <typename Step>
    EMULATOR_INLINED void next(Step step) {
        more = !single;
        at += static_cast<T>(step);
    }
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

template <typename F>
EMULATOR_INLINED void for_each_thread(const dim3& size, const F& f) {
    for (unsigned z = 0; z < size.z; ++z) {
        for (unsigned y = 0; y < size.y; ++y) {
            for (unsigned x = 0; x < size.x; ++x) f(uint3{x, y, z});
        }
    }
}

template <typename Kernel, typename... A>
__attribute__((noinline)) bool run_block_abreast(const Worker& w, uint3 block) {
    const Kernel kernel = *static_cast<const Kernel*>(w.launch->call);
    const Arguments<A...> arguments = *static_cast<const Arguments<A...>*>(w.launch->arguments);
    const dim3 grid = w.launch->grid;
    block.x = below(kMostBlocksAbreast, block.x);
    dim3 size = w.launch->block;
    size.x = below(kMostThreadsAbreast + 1, size.x);
    const auto thread = [&](uint3 index, Turn turn) EMULATOR_INLINED {
        return static_cast<unsigned>(arguments.give(kernel, index, block, size, grid, turn));
    };
    for (uint64_t round = 0;; ++round) {
        const Turn ask{Turn::ask, round}, run{Turn::run, round}, rest{Turn::rest, round};
        const unsigned first = thread({0, 0, 0}, ask);
        unsigned all = first, any = first;
        if (first & kBetween) {
            const unsigned last = thread({size.x - 1, 0, 0}, ask);
            all &= last, any |= last;
        } else {
            for_each_thread(size, [&](uint3 index) EMULATOR_INLINED {
                const unsigned answer = thread(index, ask);
                all &= answer, any |= answer;
            });
        }
        if (any & kRefused) return false;
        if (all & kYes) {
            for_each_thread(size, [&](uint3 index) EMULATOR_INLINED { thread(index, run); });
            if (first & kLoop) continue;
            return true;
        }
        if (!(first & kLoop)) return false;
        if (any & (kYes | kMore)) for_each_thread(size, [&](uint3 index) EMULATOR_INLINED { thread(index, rest); });
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
    void operator()(A&&...) const { static_cast<void>(&Second<kPlace, Call, std::decay_t<A>...>::added); }
};
template <unsigned kPlace, typename Call>
Abreast<kPlace, Call> abreast(const char*, Call, Config) { return {}; }
struct PassedOver {
    template <typename... A>
    void operator()(A&&...) const {}
};
inline PassedOver passed_over(Config) { return {}; }

}  // namespace emulator
