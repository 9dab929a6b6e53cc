// What the second form of a file is compiled with, in the place of launches: see emulator_abreast.h.
#pragma once

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

void add_abreast(const char* text, RunAbreast run);
[[noreturn]] __attribute__((cold)) void misaligned_abreast(const void* address);

// What a thread answers. kBetween: two that say yes speak for those between them.
constexpr unsigned kYes = 1, kBetween = 2;

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

template <typename Call, typename... A>
__attribute__((noinline)) bool run_block_abreast(const Worker& w, uint3 block) {
    const Call call = *static_cast<const Call*>(w.launch->call);
    const Arguments<A...> arguments = *static_cast<const Arguments<A...>*>(w.launch->arguments);
    const dim3 grid = w.launch->grid;
    block.x = below(kMostBlocksAbreast, block.x);
    const dim3 size(below(kMostThreadsAbreast + 1, w.launch->block.x));
    const auto thread = [&](unsigned x, bool ask) EMULATOR_INLINED {
        return static_cast<unsigned>(arguments.give(call, uint3{x, 0, 0}, block, size, grid, ask));
    };
    if (thread(0, true) & kBetween) {
        if (!(thread(size.x - 1, true) & kYes)) return false;
    } else {
        unsigned all = kYes;
        for (unsigned x = 0; x < size.x; ++x) all &= thread(x, true);
        if (!all) return false;
    }
    for (unsigned x = 0; x < size.x; ++x) thread(x, false);
    return true;
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
