// A block's threads abreast, eight and more by each instruction: the second form of kernels that have one
// (helpers/emulator/abreast.py). These are compiled apart, without the checks of accesses. Neither a fault nor an access
// that is not aligned names its thread there: the block is then run again, as the kernel is written.
#pragma once

#include <atomic>
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

// An access that would fault: the block is run again, as the kernel is written.
[[noreturn, gnu::cold]] void misaligned_abreast(const void* address);
[[noreturn, gnu::cold]] void outside_abreast(int64_t index, size_t length);

// The same text for a launch in both compilations: the place of the launch, what the functions around it are instances
// of, the arguments.
template <unsigned kPlace, typename Call, typename... A>
constexpr const char* launch_text() { return __PRETTY_FUNCTION__; }

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

// What threads answer: all, any, and by how much a loop has moved on.
struct Answers {
    unsigned all = ~0u, any = 0, added = 0;
    EMULATOR_INLINED void note(uint64_t answer) {
        all &= static_cast<unsigned>(answer);
        any |= static_cast<unsigned>(answer);
    }
};

// The second form of a launch's kernel, for a row of a block's threads.
struct Launch;
struct Rows {
    Answers (*ask)(const Launch& launch, uint3 index, uint3 block, uint64_t round);
    void (*run)(const Launch& launch, uint3 index, uint3 block, uint64_t round, unsigned added);
    void (*end)(const Launch& launch, uint3 index, uint3 block, uint64_t round);
};

// Where a launch keeps its kernel's second form; none, if there is none. It is looked for once.
struct SecondFormSite {
    const char* text;
    const Rows* found = nullptr;
    std::atomic<bool> sought{false};
};
const Rows* find_abreast(SecondFormSite& site);
template <unsigned kPlace, typename Call, typename... A>
const Rows* second_form(const A&... given) {
    if constexpr (std::is_empty_v<Call> && (Told<A>::kTold && ...)) {
        static SecondFormSite site{launch_text<kPlace, Call, A...>()};
        return (Told<A>::aligned(given) && ...) ? find_abreast(site) : nullptr;
    } else {
        return nullptr;
    }
}

}  // namespace emulator
