// A block's threads abreast, eight and more by each instruction: the second form of kernels that have one
// (helpers/emulator/abreast.py). These are compiled apart, without the checks of accesses. Neither a fault nor an access
// that is not aligned names its thread there: the block is then run again, as the kernel is written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emulator_types.h"

namespace [[gnu::visibility("hidden")]] emulator {

// Whether an argument tells all about the alignment of what a kernel reaches by it: a number, a pointer to what is no
// pointer, or a struct that has no room for one.
template <typename T, typename = void>
struct Told {
    static constexpr bool kTold = sizeof(T) < sizeof(void*) || std::is_arithmetic_v<T>;
    static bool aligned(const T&) { return true; }
};
template <typename T>
struct Told<T*, std::enable_if_t<(sizeof(T) > 0) && !std::is_pointer_v<T>>> {
    static constexpr bool kTold = true;
    static bool aligned(const T* pointer) { return reinterpret_cast<uintptr_t>(pointer) % alignof(T) == 0; }
};

// The same text for a launch in both compilations: the place of the launch, what the functions around it are instances
// of, the arguments.
template <unsigned kPlace, typename Call, typename... A>
const char* launch_text() { return __PRETTY_FUNCTION__; }

struct Worker;
// Runs a block; false if it has not begun.
using RunAbreast = bool (*)(const Worker& w, uint3 block);

// The second form of a launch's kernel; none.
RunAbreast find_abreast(const char* text);
template <unsigned kPlace, typename Call, typename... A>
RunAbreast second_form(const A&... given) {
    if constexpr (std::is_empty_v<Call> && (Told<A>::kTold && ...)) {
        static const RunAbreast found = find_abreast(launch_text<kPlace, Call, A...>());
        return found && (Told<A>::aligned(given) && ...) ? found : nullptr;
    } else {
        return nullptr;
    }
}

}  // namespace emulator
