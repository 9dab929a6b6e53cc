// What differs between operating systems and processors: how an access to memory was made, timers, the end of a
// process, the CPUs of a process, assembly, functions of <math.h>. Run on Linux, x86-64 and AArch64; what stands
// under __APPLE__ follows Apple's documentation and was not run.
#pragma once

#if defined(__APPLE__)
// Apple's <math.h> declares functions under names that CUDA uses with another meaning or linkage.
#define __exp10f emulator_apple_exp10f
#define __sincosf emulator_apple_sincosf
#include <math.h>
#undef __exp10f
#undef __sincosf
#endif

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#ifndef EMULATOR_RUNTIME_APART  // kernels may use the names that these declare: read, sleep, link
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/ucontext.h>
#else
#include <ucontext.h>
#endif

#include <thread>
#endif

// ---- the linker ---------------------------------------------------------------------------------------------

// Whether --wrap sends calls of exit(), malloc() and their like to the emulator. The linker of macOS has no such
// option: there a launcher's exit() ends the process, and an overrun of a host array is not seen.
#if defined(__APPLE__)
#define EMULATOR_WRAPS_CALLS 0
#else
#define EMULATOR_WRAPS_CALLS 1
#endif

// ---- assembly: a function that no other library sees --------------------------------------------------------

#if defined(__APPLE__)
#define EMULATOR_ASM_BEGIN(name) ".private_extern _" #name "\n.p2align 4\n_" #name ":\n"
#define EMULATOR_ASM_END(name)
#else
#define EMULATOR_ASM_BEGIN(name) \
    ".p2align 4\n.hidden " #name "\n.globl " #name "\n.type " #name ", %function\n" #name ":\n"
#define EMULATOR_ASM_END(name) ".size " #name ", .-" #name "\n"
#endif

// ---- <math.h>: functions of CUDA that the C library of Linux has, too -----------------------------------------

#if defined(__APPLE__)
inline float exp10f(float x) { return powf(10.0f, x); }
inline double exp10(double x) { return pow(10.0, x); }
inline void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
inline void sincos(double x, double* sine, double* cosine) { *sine = sin(x), *cosine = cos(x); }
#endif

namespace [[gnu::visibility("hidden")]] emulator {

// ---- signals ------------------------------------------------------------------------------------------------

enum class Direction {
    unknown,
    read,
    write,
};

// Where an interrupted thread was, and a number that stands for all that it had in registers. Null: not known.
struct Registers {
    uintptr_t place = 0;
    uint64_t all = 0;
};

// Sends SIGURG to the OS thread that made it, again and again. `every` may be called in a signal handler.
class Ticker;

#ifndef EMULATOR_RUNTIME_APART
// Bit 6 of AArch64's exception syndrome (ESR_EL1): a data abort came from a write.
inline Direction direction_of_syndrome(uint64_t syndrome) {
    const uint64_t exception = syndrome >> 26 & 0x3f;  // 0x24, 0x25: data aborts
    if (exception != 0x24 && exception != 0x25) return Direction::unknown;
    return syndrome >> 6 & 1 ? Direction::write : Direction::read;
}

// Whether the access that ended in SIGSEGV or SIGBUS was a read or a write.
inline Direction fault_direction(const void* context) {
    [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__APPLE__) && defined(__aarch64__)
    return direction_of_syndrome(machine->__es.__esr);
#elif defined(__APPLE__) && defined(__x86_64__)
    return machine->__es.__err & 2 ? Direction::write : Direction::read;
#elif defined(__linux__) && defined(__x86_64__)
    return machine.gregs[REG_ERR] & 2 ? Direction::write : Direction::read;
#elif defined(__linux__) && defined(__aarch64__)
    // A list of records, each with its kind and its size; the kernel's <asm/sigcontext.h>.
    const auto* record = reinterpret_cast<const unsigned char*>(machine.__reserved);
    const auto* end = record + sizeof machine.__reserved;
    constexpr uint32_t kSyndrome = 0x45535201;
    for (uint32_t header[2]; record + sizeof header <= end; record += header[1]) {
        memcpy(header, record, sizeof header);
        if (header[0] == kSyndrome) {
            uint64_t syndrome;
            memcpy(&syndrome, record + sizeof header, sizeof syndrome);
            return direction_of_syndrome(syndrome);
        }
        if (header[0] == 0 || header[1] < sizeof header) break;
    }
    return Direction::unknown;
#else
    return Direction::unknown;
#endif
}

// Whether an access that failed lay where the stack ends: just below, or a page or two above, the stack pointer.
inline bool is_at_stack_pointer(const void* at, const void* context) {
    [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__APPLE__) && defined(__aarch64__)
    const auto pointer = static_cast<uintptr_t>(machine->__ss.__sp);
#elif defined(__APPLE__) && defined(__x86_64__)
    const auto pointer = static_cast<uintptr_t>(machine->__ss.__rsp);
#elif defined(__linux__) && defined(__x86_64__)
    const auto pointer = static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__linux__) && defined(__aarch64__)
    const auto pointer = static_cast<uintptr_t>(machine.sp);
#else
    const uintptr_t pointer = 0;
#endif
    constexpr uintptr_t kBelow = 1 << 10, kAbove = 8 << 10;
    return reinterpret_cast<uintptr_t>(at) - (pointer - kBelow) < kBelow + kAbove;
}

inline Registers registers_of([[maybe_unused]] const void* context) {
    Registers its;
#if defined(__linux__) && defined(__x86_64__)
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
    const auto add = [&](uint64_t word) { its.all = (its.all ^ word) * 0x100000001b3 + (its.all >> 47); };
    for (int i = REG_R8; i <= REG_RSP; ++i) add(static_cast<uint64_t>(machine.gregs[i]));
    constexpr uint64_t kFlags = 0x8d5;  // of arithmetic
    add(static_cast<uint64_t>(machine.gregs[REG_EFL]) & kFlags);
    if (!machine.fpregs) return its;
    for (const auto& one : machine.fpregs->_xmm) {
        for (const auto word : one.element) add(word);
    }
    its.place = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#endif
    return its;
}

// Whether a fault came from a call: the place that it went on at is the address itself.
inline bool is_call([[maybe_unused]] const void* context, [[maybe_unused]] const void* at) {
    [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
    [[maybe_unused]] const auto to = reinterpret_cast<uintptr_t>(at);
#if defined(__APPLE__) && defined(__aarch64__)
    return machine->__ss.__pc == to;
#elif defined(__APPLE__) && defined(__x86_64__)
    return machine->__ss.__rip == to;
#elif defined(__linux__) && defined(__x86_64__)
    return static_cast<uintptr_t>(machine.gregs[REG_RIP]) == to;
#elif defined(__linux__) && defined(__aarch64__)
    return machine.pc == to;
#else
    return false;
#endif
}

// Whether a fault has an address: x86-64 knows none of an access to an address that no memory can have.
inline bool has_fault_address(const siginfo_t* info) {
#if defined(SI_KERNEL)
    return info->si_code != SI_KERNEL;
#else
    (void)info;
    return true;
#endif
}

// ---- timers -------------------------------------------------------------------------------------------------

#if defined(__linux__)
class Ticker {
 public:
    explicit Ticker(long nanoseconds) {
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGURG;
#ifdef sigev_notify_thread_id
        event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
#else
        event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
#endif
        set_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
        every(nanoseconds);
    }
    Ticker(const Ticker&) = delete;
    ~Ticker() {
        if (set_) timer_delete(timer_);
    }
    void every(long nanoseconds) {
        const itimerspec often{{0, nanoseconds}, {0, nanoseconds}};
        if (set_) timer_settime(timer_, 0, &often, nullptr);
    }

 private:
    timer_t timer_{};
    bool set_ = false;
};
#else  // no timer signals one thread: a thread of its own does
class Ticker {
 public:
    explicit Ticker(long nanoseconds) : nanoseconds_(nanoseconds), target_(pthread_self()), thread_([this] { run(); }) {}
    Ticker(const Ticker&) = delete;
    ~Ticker() {
        stop_ = true;
        thread_.join();
    }
    void every(long nanoseconds) { nanoseconds_ = nanoseconds; }

 private:
    void run() {
        while (!stop_) {
            const timespec pause{0, nanoseconds_};
            nanosleep(&pause, nullptr);
            if (!stop_) pthread_kill(target_, SIGURG);
        }
    }
    std::atomic<long> nanoseconds_;
    std::atomic<bool> stop_{false};
    pthread_t target_;
    std::thread thread_;  // the last member: it starts when the others are there
};
#endif

// ---- processes ----------------------------------------------------------------------------------------------

// Ends the process at once, without what exit() would call.
[[noreturn]] inline void end_process(int status) {
#if defined(__linux__)
    syscall(SYS_exit_group, status);  // _exit() would come back to the emulator, see emulator_launcher.h
    __builtin_unreachable();
#else
    _exit(status);
#endif
}

// ---- processors ---------------------------------------------------------------------------------------------

// The CPUs that this process may use.
inline int allowed_cpus() {
#if defined(__linux__)
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
#else
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? static_cast<int>(count) : 1;
#endif
}
#endif

}  // namespace emulator
