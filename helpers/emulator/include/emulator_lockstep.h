// Runs the lanes of a warp step by step: each waits at every access to memory until all others of its warp have come
// to one, as warps ran before Volta. For a build with -fsanitize=thread, whose calls end here (emulator/lockstep.py).
// A kernel that is right in this order only relies on it where __syncwarp() belongs.
#pragma once

#include "emulator_runtime.h"

#define EMULATOR_HOOK extern "C" __attribute__((visibility("hidden"), used, noinline, no_sanitize("thread"))) inline

namespace [[gnu::visibility("hidden")]] emulator {

__attribute__((no_sanitize("thread"), noinline)) inline void step(const void* address, const void* place) {
    Worker* w = self;
    if (!w || !w->in_kernel || w->busy.load(std::memory_order_relaxed) || !w->in_thread.load(std::memory_order_relaxed)) return;
    const char* at = static_cast<const char*>(address);
    if (w->running && at >= w->running->stack && at < w->running->stack + kStackBytes) return;  // the thread's own
    w->in_thread.store(false, std::memory_order_relaxed);
    const auto from = reinterpret_cast<uintptr_t>(place);
    warp_operation(w, Op::active, 0, 0, 0, static_cast<int>(from));  // lanes that come from the same place go on together
    w->in_thread.store(true, std::memory_order_relaxed);
}

}  // namespace emulator

#define EMULATOR_ACCESS(name) \
    EMULATOR_HOOK void __tsan_##name(void* address) { ::emulator::step(address, __builtin_return_address(0)); }
#define EMULATOR_ACCESSES(bytes) \
    EMULATOR_ACCESS(read##bytes) \
    EMULATOR_ACCESS(write##bytes) \
    EMULATOR_ACCESS(unaligned_read##bytes) \
    EMULATOR_ACCESS(unaligned_write##bytes) \
    EMULATOR_ACCESS(volatile_read##bytes) \
    EMULATOR_ACCESS(volatile_write##bytes) \
    EMULATOR_ACCESS(unaligned_volatile_read##bytes) \
    EMULATOR_ACCESS(unaligned_volatile_write##bytes)
EMULATOR_ACCESSES(1)
EMULATOR_ACCESSES(2)
EMULATOR_ACCESSES(4)
EMULATOR_ACCESSES(8)
EMULATOR_ACCESSES(16)
#undef EMULATOR_ACCESSES
#undef EMULATOR_ACCESS
EMULATOR_HOOK void __tsan_read_range(void* address, size_t) { ::emulator::step(address, __builtin_return_address(0)); }
EMULATOR_HOOK void __tsan_write_range(void* address, size_t) { ::emulator::step(address, __builtin_return_address(0)); }
EMULATOR_HOOK void __tsan_init() {}
EMULATOR_HOOK void __tsan_func_entry(void*) {}
EMULATOR_HOOK void __tsan_func_exit() {}
EMULATOR_HOOK void __tsan_vptr_update(void*, void*) {}
EMULATOR_HOOK void __tsan_vptr_read(void*) {}

// Atomics stay what they are.
#define EMULATOR_ATOMIC_HOOK(bits, T) \
    EMULATOR_HOOK T __tsan_atomic##bits##_load(const volatile T* a, int) { return __atomic_load_n(a, 5); } \
    EMULATOR_HOOK void __tsan_atomic##bits##_store(volatile T* a, T v, int) { __atomic_store_n(a, v, 5); } \
    EMULATOR_HOOK T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) { return __atomic_exchange_n(a, v, 5); } \
    EMULATOR_HOOK T __tsan_atomic##bits##_fetch_add(volatile T* a, T v, int) { return __atomic_fetch_add(a, v, 5); } \
    EMULATOR_HOOK T __tsan_atomic##bits##_fetch_sub(volatile T* a, T v, int) { return __atomic_fetch_sub(a, v, 5); } \
    EMULATOR_HOOK T __tsan_atomic##bits##_fetch_and(volatile T* a, T v, int) { return __atomic_fetch_and(a, v, 5); } \
    EMULATOR_HOOK T __tsan_atomic##bits##_fetch_or(volatile T* a, T v, int) { return __atomic_fetch_or(a, v, 5); } \
    EMULATOR_HOOK T __tsan_atomic##bits##_fetch_xor(volatile T* a, T v, int) { return __atomic_fetch_xor(a, v, 5); } \
    EMULATOR_HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T v, int, int) { \
        return __atomic_compare_exchange_n(a, c, v, false, 5, 5); \
    } \
    EMULATOR_HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T v, int, int) { \
        return __atomic_compare_exchange_n(a, c, v, true, 5, 5); \
    }
EMULATOR_ATOMIC_HOOK(8, uint8_t)
EMULATOR_ATOMIC_HOOK(16, uint16_t)
EMULATOR_ATOMIC_HOOK(32, uint32_t)
EMULATOR_ATOMIC_HOOK(64, uint64_t)
#undef EMULATOR_ATOMIC_HOOK
EMULATOR_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(5); }
EMULATOR_HOOK void __tsan_atomic_signal_fence(int) {}
EMULATOR_HOOK void* __tsan_memcpy(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes); }
EMULATOR_HOOK void* __tsan_memset(void* to, int value, size_t bytes) { return memset(to, value, bytes); }
EMULATOR_HOOK void* __tsan_memmove(void* to, const void* from, size_t bytes) { return memmove(to, from, bytes); }
