// What a traced build tells the tracer (../tracing), a file of its own that is compiled without instrumentation.
// In every other build each of these is nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace emulator {
// What an atomic computes, as far as the compiler goes different ways: `sum` is add, sub, min, max, and, or, xor.
enum class Atomic : uint8_t { exchange,
                              sum,
                              sum_of_floats };
// How an unrolled loop takes its rounds: their number at a time, and what else is true of it.
enum Unrolled : unsigned { kUnroll = 0xff,
                           kAgain = 0x100,     // by 16 and 8 first
                           kRestLast = 0x200 };  // what is left comes last
}  // namespace emulator

#ifdef EMULATOR_TRACE

namespace emulator {
constexpr bool kTraced = true;
}

// For the emulator's functions that a kernel calls: what they do is not the kernel's.
#if __has_attribute(no_sanitize_coverage)  // g++ 12 and later
#define EMULATOR_UNTRACED __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#else
#define EMULATOR_UNTRACED __attribute__((noinline, no_sanitize("thread")))
#endif
#define EMULATOR_HOOK extern "C" __attribute__((visibility("hidden")))

EMULATOR_HOOK void emulator_trace_launch(size_t stack_bytes, bool together);
// Of memory that the launch can access, what lies between the end of its bytes and of its room.
EMULATOR_HOOK void emulator_trace_room(const void* memory, size_t bytes, size_t room);
EMULATOR_HOOK void emulator_trace_freed();  // memory of a kernel's heap is about to be
EMULATOR_HOOK void emulator_trace_block(uint64_t block, int threads, const void* dynamic, size_t dynamic_bytes);
EMULATOR_HOOK void emulator_trace_block_end();
EMULATOR_HOOK void emulator_trace_thread(int thread, const char* stack_top);  // begins, or goes on
EMULATOR_HOOK void emulator_trace_pause();                                 // the emulator's own code runs
EMULATOR_HOOK bool emulator_trace_suspend();  // a signal: may the thread be interrupted, or does the tracer run?
EMULATOR_HOOK void emulator_trace_restore(bool traced);
EMULATOR_HOOK void emulator_trace_thread_end();
EMULATOR_HOOK void emulator_trace_wait(unsigned mask, const void* pc);  // for lanes of the warp; 0: a barrier
EMULATOR_HOOK void emulator_trace_barrier();                            // it opens
EMULATOR_HOOK void emulator_trace_warp(int warp, unsigned lanes, bool orders);  // these lanes have met: at __syncwarp()?
EMULATOR_HOOK void emulator_trace_atomic(const void* address, int bytes, const void* pc, emulator::Atomic how);
EMULATOR_HOOK void emulator_trace_local(const void* array, size_t bytes);  // of a thread, in local memory
// A loop's condition is asked: how many rounds are left, and how nvcc takes them (emulator::Unrolled).
EMULATOR_HOOK void emulator_trace_loop(unsigned loop, unsigned how, uint64_t rounds, const void* pc);
EMULATOR_HOOK void emulator_trace_fence(bool of_block);
EMULATOR_HOOK void emulator_trace_order(bool acquire, bool release, bool of_block);  // what the next access is, too
// A thread comes to a barrier in shared memory, or to a numbered one; it has waited for that phase of it.
EMULATOR_HOOK void emulator_trace_arrive(const void* barrier, unsigned phase);
EMULATOR_HOOK void emulator_trace_pass(const void* barrier, unsigned phase);
// Asynchronous copies. One has been made (from: nullptr if it is of zeros): it ends with a phase of the barrier `key`, or
// with a group of the thread under that key (nullptr or a pipeline), if phase < 0; a group ends; the thread has waited
// for all groups but the newest `prior`.
EMULATOR_HOOK void emulator_trace_copied(const void* to, const void* from, size_t bytes, const void* key, int64_t phase = -1);
// A collective of a warp takes storage, which it need not touch. What a part's first lane is to change, or null.
EMULATOR_HOOK char* emulator_trace_lent(char (&storage)[2], bool first);
EMULATOR_HOOK void emulator_trace_commit(const void* key);
EMULATOR_HOOK void emulator_trace_copies_done(const void* key, size_t prior, bool uncommitted);
EMULATOR_HOOK void emulator_trace_array(const char* name, const void* memory, size_t bytes, size_t element);
EMULATOR_HOOK void emulator_trace_ignore(const void* begin, size_t bytes);  // the emulator's own variables
EMULATOR_HOOK void emulator_trace_moved(void* to, const void* from, size_t bytes);  // and makes the copy
EMULATOR_HOOK void emulator_trace_filled(void* to, int value, size_t bytes);        // and fills
EMULATOR_HOOK bool emulator_trace_struct(size_t bytes, size_t alignment, bool vectors);  // a type of the learner's
EMULATOR_HOOK void emulator_trace_yield();  // called by the tracer: let the block's other threads run

#define EMULATOR_LOCAL(array) emulator_trace_local(array, sizeof(array))
#define EMULATOR_COUNTED(...) ::emulator::counted(__VA_ARGS__),
#define EMULATOR_MOVED(function) ::emulator::moved
#define EMULATOR_FILLED(function) ::emulator::filled
// vectors: the file names types of 16 bytes that are aligned to 16.
#define EMULATOR_STRUCT(T, vectors) \
    [[maybe_unused]] static const bool emulator_struct_##T = emulator_trace_struct(sizeof(T), alignof(T), vectors);

namespace emulator {
// The memcpy, memmove and memset of a kernel, of which g++ reports some and with another alignment.
__attribute__((always_inline)) inline void* moved(void* to, const void* from, size_t bytes) {
    emulator_trace_moved(to, from, bytes);
    return to;
}
__attribute__((always_inline)) inline void* filled(void* to, int value, size_t bytes) {
    emulator_trace_filled(to, value, bytes);
    return to;
}
// Asked before the condition of a loop that nvcc may unroll (counted_loops.py). It can count the rounds where the
// counter cannot wrap around: one with a sign, as wide as the bound; one without, by steps of 1.
template <class I, class Bound, class Step>
EMULATOR_UNTRACED void counted(unsigned loop, unsigned unroll, bool again, bool from_constant, bool downwards,
                               bool inclusive, I counter, Bound bound, Step step) {
    if constexpr (std::is_integral_v<I> && std::is_integral_v<Bound> && std::is_integral_v<Step>) {
        if (sizeof(Bound) > sizeof(I) || step <= 0) return;
        const bool has_sign = std::is_signed_v<decltype(counter + step)> && std::is_signed_v<decltype(counter + bound)>;
        if (step != 1 && (!has_sign || (inclusive && sizeof(I) < 8 && !from_constant))) return;
        const __int128 distance = downwards ? static_cast<__int128>(counter) - bound : static_cast<__int128>(bound) - counter;
        const __int128 rounds = (distance + inclusive + step - 1) / step;
        const unsigned how = unroll | (again && !from_constant ? kAgain : 0) | (from_constant ? kRestLast : 0);
        emulator_trace_loop(loop, how, rounds < 0 ? 0 : static_cast<uint64_t>(rounds), __builtin_return_address(0));
    }
}
}  // namespace emulator

#else

namespace emulator {
constexpr bool kTraced = false;
}

#define EMULATOR_UNTRACED
#define EMULATOR_LOCAL(array) ((void)0)
#define EMULATOR_COUNTED(...)
#define EMULATOR_MOVED(function) function
#define EMULATOR_FILLED(function) function
#define EMULATOR_STRUCT(T, vectors)
inline void emulator_trace_launch(size_t, bool) {}
inline void emulator_trace_room(const void*, size_t, size_t) {}
inline void emulator_trace_freed() {}
inline void emulator_trace_block(uint64_t, int, const void*, size_t) {}
inline void emulator_trace_block_end() {}
inline void emulator_trace_thread(int, const char*) {}
inline void emulator_trace_pause() {}
inline bool emulator_trace_suspend() { return true; }
inline void emulator_trace_restore(bool) {}
inline void emulator_trace_thread_end() {}
inline void emulator_trace_wait(unsigned, const void*) {}
inline void emulator_trace_barrier() {}
inline void emulator_trace_warp(int, unsigned, bool) {}
inline void emulator_trace_atomic(const void*, int, const void*, emulator::Atomic) {}
inline void emulator_trace_fence(bool) {}
inline void emulator_trace_order(bool, bool, bool) {}
inline void emulator_trace_arrive(const void*, unsigned) {}
inline void emulator_trace_pass(const void*, unsigned) {}
inline void emulator_trace_copied(const void*, const void*, size_t, const void*, int64_t = -1) {}
inline void emulator_trace_commit(const void*) {}
inline void emulator_trace_copies_done(const void*, size_t, bool) {}
inline void emulator_trace_array(const char*, const void*, size_t, size_t) {}
inline void emulator_trace_ignore(const void*, size_t) {}

#endif

// A function of the emulator's in which a thread waits. It becomes a part of the kernel (see emulator_fiber.h), unless
// the kernel's accesses are reported.
#if defined(EMULATOR_TRACE)
#define EMULATOR_WAITING EMULATOR_UNTRACED inline
#define EMULATOR_QUICK EMULATOR_UNTRACED
#elif defined(EMULATOR_LOCKSTEP)
#define EMULATOR_WAITING __attribute__((noinline, no_sanitize("thread"))) inline
#define EMULATOR_QUICK
#else
#define EMULATOR_WAITING __attribute__((no_sanitize("alignment", "bounds"), always_inline)) inline
#define EMULATOR_QUICK __attribute__((no_sanitize("alignment", "bounds"), always_inline))
#endif
