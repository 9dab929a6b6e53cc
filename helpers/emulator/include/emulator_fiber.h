// A fiber: a stack of its own, left and entered by a switch of the callee-saved registers.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "emulator_platform.h"
#include "emulator_types.h"

#if defined(EMULATOR_UCONTEXT)  // asked for, to try it
#include <ucontext.h>
#elif defined(__x86_64__)
extern "C" __attribute__((visibility("hidden"))) void emulator_enter();
#ifndef EMULATOR_RUNTIME_APART
asm(".text\n" EMULATOR_ASM_BEGIN(emulator_enter) R"(
    .cfi_startproc
    .cfi_undefined rip
    popq %rax
    popq %rdi
    callq *%rax
    ud2
    .cfi_endproc
)" EMULATOR_ASM_END(emulator_enter));
#endif
// Part of the function that waits, which saves those of the registers that it uses. Its end is a jump that the processor
// foresees. A return would go where another fiber's call came from, which it does not.
#define EMULATOR_SWITCH(save, load) \
    asm volatile( \
        "leaq -128(%%rsp), %%rsp\n\t" /* the red zone */ \
        "pushq %%rbp\n\t" \
        "leaq 1f(%%rip), %%rax\n\t" \
        "pushq %%rax\n\t" \
        "movq %%rsp, (%%rdi)\n\t" \
        "movq %%rsi, %%rsp\n\t" \
        "popq %%rax\n\t" \
        "popq %%rbp\n\t" \
        "jmpq *%%rax\n" \
        "1:\n\t" \
        "leaq 128(%%rsp), %%rsp\n\t" \
        : "+D"(save), "+S"(load) \
        : \
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", \
          "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
          "xmm14", "xmm15", "memory", "cc")
#elif defined(__aarch64__)
extern "C" __attribute__((visibility("hidden"))) void emulator_switch(void** save, void* load);
extern "C" __attribute__((visibility("hidden"))) void emulator_enter();
#ifndef EMULATOR_RUNTIME_APART
asm(".text\n" EMULATOR_ASM_BEGIN(emulator_switch) R"(
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
)" EMULATOR_ASM_END(emulator_switch) EMULATOR_ASM_BEGIN(emulator_enter) R"(
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x20
    blr x19
    brk #1
    .cfi_endproc
)" EMULATOR_ASM_END(emulator_enter));
#endif
#else
#include <ucontext.h>
#define EMULATOR_UCONTEXT 1
#endif

namespace [[gnu::visibility("hidden")]] emulator {

// A thread's stack: CUDA allows 512 KB of local memory; the rest is for calls. Only touched pages cost memory. With the
// guards it is an odd number of pages of 4 KB: the translations of addresses that lie an even number of pages apart,
// above all a multiple of 16, would share few sets of the processor's TLB (each switch twice as slow).
constexpr size_t kStackBytes = 772 << 10;
// Inaccessible, on either side. A function with a large frame touches it in steps (-fstack-clash-protection): of a
// page on x86-64, of 64 KB on AArch64, and the first of them must not pass over the guard.
constexpr size_t kStackGuard = 64 << 10;

size_t page_bytes();
#ifndef EMULATOR_RUNTIME_APART
size_t page_bytes() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}
#endif

inline size_t whole_pages(size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

// `bytes`, rounded up to pages, with `guard` inaccessible bytes on either side: a step outside is a signal. Null if there is
// no memory.
inline char* try_map_guarded(size_t bytes, size_t guard) {
    const size_t inside = whole_pages(bytes), all = inside + 2 * guard;
    void* base = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    char* begin = static_cast<char*>(base) + guard;
    if (!inside || !mprotect(begin, inside, PROT_READ | PROT_WRITE)) return begin;
    munmap(base, all);
    return nullptr;
}
inline char* map_guarded(size_t bytes, size_t guard = page_bytes()) {
    char* begin = try_map_guarded(bytes, guard);
    if (!begin) throw std::bad_alloc();
    return begin;
}

inline void unmap_guarded(char* begin, size_t bytes, size_t guard = page_bytes()) {
    if (begin) munmap(begin - guard, whole_pages(bytes) + 2 * guard);
}

struct Fiber {
    char* stack = nullptr;  // its lowest usable byte
    void* begin = nullptr;  // where it begins, or goes on
    uint64_t launch = 0;    // for which it was prepared
    int begun = 0;          // what it was (see Worker) when this fiber called the thread that it runs
#ifdef EMULATOR_UCONTEXT
    ucontext_t context;
#endif

    // Where the first frame begins. All stacks lie a multiple of 64 KB apart: without the difference, the frames of a
    // block's threads would share a few sets of the processor's caches (1024 threads: three times slower).
    EMULATOR_UNCHECKED char* top() const {
        return stack + kStackBytes - reinterpret_cast<uintptr_t>(stack) / (kStackBytes + 2 * kStackGuard) * 64 % 4096;
    }

#ifndef EMULATOR_RUNTIME_APART
    // The next switch to this fiber calls entry(argument), which never returns.
    void prepare(void (*entry)(void*), void* argument) {
        if (!stack) stack = map_guarded(kStackBytes, kStackGuard);
#if defined(EMULATOR_UCONTEXT)
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = static_cast<size_t>(top() - stack);
        context.uc_link = nullptr;
        makecontext(&context, reinterpret_cast<void (*)()>(entry), 1, argument);
        begin = &context;
#elif defined(__x86_64__)
        void** to = reinterpret_cast<void**>(top()) - 2;
        *--to = argument;
        *--to = reinterpret_cast<void*>(entry);
        *--to = nullptr;  // rbp
        *--to = reinterpret_cast<void*>(emulator_enter);
        begin = to;
#else
        void** to = reinterpret_cast<void**>(top()) - 20;
        for (int i = 0; i < 20; ++i) to[i] = nullptr;
        to[0] = reinterpret_cast<void*>(entry);            // x19
        to[1] = argument;                                  // x20
        to[11] = reinterpret_cast<void*>(emulator_enter);  // x30
        begin = to;
#endif
    }
#endif
};

// Leaves this fiber, so that a switch to what `save` then has comes back, and goes on with another, which was left so.
EMULATOR_UNCHECKED inline void change_fiber(void** save, void* load) {
#if defined(EMULATOR_UCONTEXT)
    ucontext_t here;
    *save = &here;
    swapcontext(&here, static_cast<ucontext_t*>(load));
#elif defined(__x86_64__)
    EMULATOR_SWITCH(save, load);
#else
    emulator_switch(save, load);
#endif
}

// Where the running fiber's place is kept, and the one to go on with; none: stay.
struct Switch {
    void **save, *load;

    EMULATOR_UNCHECKED void make() const {
        if (load) change_fiber(save, load);
    }
};

}  // namespace emulator
