// A launcher's own code, on the CPU: its signals, its time, and calls that would end the process are faults. Part of
// the runtime.
#pragma once

#include "emulator_launch.h"

namespace [[gnu::visibility("hidden")]] emulator {

void check_overruns();  // emulator_memory.h
void check_host_arrays();

// In all, kernels included, a launcher may take so many times what its own code and each kernel may.
constexpr double kLauncherPatience = 4;
// A caller that stops kernels after milliseconds does not mean the launcher, which a busy machine may hold up.
constexpr double kLeastHostSeconds = 5;

inline double host_seconds() {
    const double seconds = timeout_seconds();
    return runtime().timeout && seconds < kLeastHostSeconds ? kLeastHostSeconds : seconds;
}

// While a launcher runs on this OS thread: a fault in its own code, outside of kernels, comes back here. It lies at the
// start of the signal stack's memory, as the launcher may overwrite its own stack.
struct HostState {
    sigjmp_buf escape;
    const char* name;
    HostState* outer;
    stack_t before{};
    double seconds = host_seconds(), in_kernels = 0;
    bool waits = false;  // for a kernel, on its other OS threads; it has a watchdog of its own
    timespec began = now();
    Handlers handlers;
    Ticker ticker{kTickNanoseconds};
};

Host::Host(const char* name) {
    char* memory = static_cast<char*>(malloc(sizeof(HostState) + kSignalStackBytes));
    HostState* outer = host;
    host = new (memory) HostState;
    host->name = name;
    host->outer = outer;
    if (!outer) report().last_error = 0, report().refusal = Refusal{};
    const stack_t mine{memory + sizeof(HostState), 0, kSignalStackBytes};
    sigaltstack(&mine, &host->before);
    if (!outer) begin_launcher();
}
Host::~Host() {
    if (!host->outer) {
        check_overruns();
        check_host_arrays();
        end_launcher();
    }
    HostState* done = host;
    host = done->outer;
    sigaltstack(&done->before, nullptr);
    done->~HostState();
    free(done);
}
sigjmp_buf& host_escape() { return host->escape; }

bool has_host() { return host != nullptr; }
void begin_kernel() {
    on_host_timer();  // which is passed over while the kernel runs
    host->waits = true;
}
void pass_time(const timespec& began) {
    host->in_kernels += seconds_between(began, now());
    host->waits = false;
}

inline void launcher_fault(const char* name, const Cause& cause, const char* what) {
    if (!report().has_fault()) report().set_fault(cause, "", std::string("the launcher ") + name + " " + what);
}

// Notes a mistake of the launcher, which goes on.
inline void host_error(const Cause& cause, const char* what) { launcher_fault(host ? host->name : "", cause, what); }

// In a child process that was made to survive this (helpers/emulator/isolated.py): writes a record with the rule and
// the words, and ends the process. No lock is taken, as the launcher's code may hold one, or have spoilt the heap.
inline void say_last_words(const Cause& cause, const char* what) {
    const char* descriptor = getenv("ELEMENTWISE_LAST_WORDS");
    if (!descriptor) return;
    char record[1200];
    const int words = snprintf(record + 6, sizeof record - 6, "the launcher %s %s", host->name, what);
    const auto size = static_cast<uint32_t>(words < 1100 ? words : 1100) + 1;
    record[0] = 'F';
    memcpy(record + 1, &size, sizeof size);
    record[5] = static_cast<char>(cause.rule);
    const bool said = write(atoi(descriptor), record, size + 5) > 0;
    end_process(said ? 70 : 71);
}

[[noreturn]] inline void leave_host(const Cause& cause, const char* what) {
    say_last_words(cause, what);
    launcher_fault(host->name, cause, what);
    siglongjmp(host->escape, 1);
}

void launcher_threw(const char* name) {
    constexpr Cause cause{719, Rule::host};
    try {
        throw;
    } catch (const std::exception& error) {
        launcher_fault(name, cause, (std::string("threw a C++ exception: ") + error.what()).c_str());
    } catch (...) {
        launcher_fault(name, cause, "threw a C++ exception");
    }
}

[[noreturn]] void host_fault(const Cause& cause, const char* what) {
    char words[1100];
    snprintf(words, sizeof words, "itself failed: %s", what);
    leave_host({cause.error, Rule::host}, words);
}

// An access of the launcher's own code to memory of the GPU. It harmed nothing, so its process can go on.
[[noreturn]] inline void accessed_device_memory(const char* at, Direction direction) {
    char place[32], words[300];
    snprintf(place, sizeof place, "%p", static_cast<const void*>(at));
    snprintf(words, sizeof words, "itself %s %s, which is memory of the GPU: only kernels, cudaMemcpy and the like can access it",
             direction == Direction::write ? "wrote" : direction == Direction::read ? "read"
                                                                                    : "accessed",
             place);
    const Access access = direction == Direction::write  ? Access::write
                          : direction == Direction::read ? Access::read
                                                         : Access::unknown;
    launcher_fault(host->name, {700, Rule::host, access, at, place}, words);
    siglongjmp(host->escape, 1);
}

void on_host_signal(int signal, const siginfo_t* info, const void* context) {
    char words[300];
    if (signal == SIGSEGV || signal == SIGBUS) {
        const char* at = static_cast<const char*>(info->si_addr);
        if (has_fault_address(info) && is_closed(at)) accessed_device_memory(at, fault_direction(context));
        char where[160];
        const bool known = describe_allocation(at, where, sizeof where);
        snprintf(words, sizeof words, "itself accessed memory that it must not (%s)",
                 known ? where : "null pointer? past the end of an array? memory of the GPU?");
        leave_host({700, Rule::host}, words);
    }
    leave_host({719, Rule::host}, signal == SIGFPE    ? "divided an integer by zero"
                                  : signal == SIGABRT ? "spoilt the heap: freed memory twice, or wrote past the end of an array?"
                                                      : "reached an illegal instruction: the end of a function without its return?");
}

void on_host_timer() {
    if (holds_device_memory || host->waits) return;  // asked again soon
    const HostState& at = *host;
    const double total = seconds_between(at.began, now());
    if (total - at.in_kernels < at.seconds && total < kLauncherPatience * at.seconds) return;
    char words[200];
    char still[160];
    snprintf(still, sizeof still, kStillRunning, total - at.in_kernels < at.seconds ? total : at.seconds);
    snprintf(words, sizeof words, "itself, not a kernel, is %s", still);
    leave_host({702, Rule::timeout}, words);
}

// A call that would end the process, and the notebook with it.
[[noreturn]] inline void would_end_process(const char* call, int status) {
    if (self && self->in_kernel) fault({719, Rule::trap}, "the kernel called %s()", call);
    if (!host) end_process(status);
    char words[400];
    const int error = report().last_error;
    const int count = snprintf(words, sizeof words, "called %s(%s), which would end the notebook's process", call,
                               *call == 'a' ? "" : std::to_string(status).c_str());
    if (error) {
        snprintf(words + count, sizeof words - static_cast<size_t>(count), ", after CUDA error %d: %s", error,
                 cudaGetErrorString(static_cast<cudaError_t>(error)));
    }
    leave_host({719, Rule::host}, words);
}

}  // namespace emulator

// The linker's --wrap sends the learner's calls here (helpers/emulator/compile.py).
#define EMULATOR_HIDDEN extern "C" __attribute__((visibility("hidden"), used, noinline)) inline
#define EMULATOR_ENDS_PROCESS(name) \
    EMULATOR_HIDDEN void __wrap_##name(int status) { ::emulator::would_end_process(#name, status); }
EMULATOR_ENDS_PROCESS(exit)
EMULATOR_ENDS_PROCESS(_exit)
EMULATOR_ENDS_PROCESS(_Exit)
EMULATOR_ENDS_PROCESS(quick_exit)
#undef EMULATOR_ENDS_PROCESS
EMULATOR_HIDDEN void __wrap_abort() { ::emulator::would_end_process("abort", 134); }

EMULATOR_HIDDEN void __wrap__ZSt21__glibcxx_assert_failPKciS0_S0_(const char*, int, const char*, const char* condition) {
    ::emulator::fault({719, ::emulator::Rule::host}, "the C++ library's assertion `%s`: an index past the end of a vector?",
                      condition);
}

// The learner's host arrays: a pattern behind each is looked at when it is freed, and when the launcher returns.
namespace [[gnu::visibility("hidden")]] emulator {

struct HostArray {
    char* address;
    size_t bytes;
};
constexpr size_t kHostArrays = 4096, kHostCanaryBytes = 32;
static HostArray host_arrays[kHostArrays];  // by a hash of the address; no allocation here, as allocations come here
static std::atomic_flag host_arrays_lock = ATOMIC_FLAG_INIT;

struct HostArraysLock {
    HostArraysLock() {
        while (host_arrays_lock.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    ~HostArraysLock() { host_arrays_lock.clear(std::memory_order_release); }
};

// Who allocates is neither interrupted nor stopped: the C library's locks know no fibers, and a handler allocates, too.
struct WhileAllocating {
    Worker* w = self;
    WhileAllocating() { add(1); }
    ~WhileAllocating() { add(-1); }
    void add(int one) const {  // by one OS thread and its signal handlers only
        if (w) w->busy.store(w->busy.load(std::memory_order_relaxed) + one, std::memory_order_relaxed);
    }
};

inline HostArray* host_array(const char* address) {
    return &host_arrays[(reinterpret_cast<uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15u >> 52];
}
inline bool host_overrun(const HostArray& one) {
    for (size_t i = 0; i < kHostCanaryBytes; ++i) {
        if (static_cast<unsigned char>(one.address[one.bytes + i]) != 0xcb) return true;
    }
    return false;
}
// Enters an array if there is room for it in the table.
inline void* watch(void* memory, size_t bytes) {
    if (!memory) return memory;
    char* address = static_cast<char*>(memory);
    memset(address + bytes, 0xcb, kHostCanaryBytes);
    const HostArraysLock lock;
    HostArray& place = *host_array(address);
    if (!place.address || place.address == address) place = {address, bytes};
    return memory;
}
inline void report_host_overrun(size_t bytes) {
    if (!host) return;
    char words[160];
    snprintf(words, sizeof words, "itself wrote past the end of an array of %zu bytes on the host", bytes);
    say_last_words({700, Rule::host}, words);
    host_error({700, Rule::host}, words);
}
inline void unwatch(void* memory) {
    HostArray found{};
    {
        const HostArraysLock lock;
        HostArray& place = *host_array(static_cast<char*>(memory));
        if (!memory || place.address != memory) return;
        found = place;
        place.address = nullptr;
    }
    if (host_overrun(found)) report_host_overrun(found.bytes);
}
void check_host_arrays() {
    size_t bytes = 0;
    {
        const HostArraysLock lock;
        for (HostArray& one : host_arrays) {
            if (!one.address || !host_overrun(one)) continue;
            bytes = one.bytes;
            one.address = nullptr;
        }
    }
    if (bytes) report_host_overrun(bytes);
}

}  // namespace emulator

#if EMULATOR_WRAPS_CALLS
extern "C" void* __real_malloc(size_t);
extern "C" void __real_free(void*);
extern "C" void* __real_realloc(void*, size_t);
extern "C" void* __real__Znwm(size_t);
extern "C" void __real__ZdlPv(void*);
EMULATOR_HIDDEN void* __wrap_malloc(size_t bytes) {
    const ::emulator::WhileAllocating guard;
    if (bytes > SIZE_MAX / 2) return nullptr;
    return ::emulator::watch(__real_malloc(bytes + ::emulator::kHostCanaryBytes), bytes);
}
EMULATOR_HIDDEN void* __wrap_calloc(size_t count, size_t each) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes)) return nullptr;
    void* memory = __wrap_malloc(bytes);
    return memory ? memset(memory, 0, bytes) : nullptr;
}
EMULATOR_HIDDEN void __wrap_free(void* memory) {
    const ::emulator::WhileAllocating guard;
    ::emulator::unwatch(memory);
    __real_free(memory);
}
EMULATOR_HIDDEN void* __wrap_realloc(void* memory, size_t bytes) {
    const ::emulator::WhileAllocating guard;
    if (bytes > SIZE_MAX / 2) return nullptr;
    ::emulator::unwatch(memory);
    return ::emulator::watch(__real_realloc(memory, bytes + ::emulator::kHostCanaryBytes), bytes);
}
EMULATOR_HIDDEN void* __wrap__Znam(size_t bytes) {  // new T[n]
    const ::emulator::WhileAllocating guard;
    if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
    return ::emulator::watch(__real__Znwm(bytes + ::emulator::kHostCanaryBytes), bytes);
}
EMULATOR_HIDDEN void __wrap__ZdaPv(void* memory) {
    const ::emulator::WhileAllocating guard;
    ::emulator::unwatch(memory);
    __real__ZdlPv(memory);
}
EMULATOR_HIDDEN void __wrap__ZdaPvm(void* memory, size_t) { __wrap__ZdaPv(memory); }
EMULATOR_HIDDEN void* __wrap__Znwm(size_t bytes) {  // new T, std::vector: the C++ library itself may free it
    const ::emulator::WhileAllocating guard;
    return __real__Znwm(bytes);
}
EMULATOR_HIDDEN void __wrap__ZdlPv(void* memory) {
    const ::emulator::WhileAllocating guard;
    __real__ZdlPv(memory);
}
EMULATOR_HIDDEN void __wrap__ZdlPvm(void* memory, size_t) { __wrap__ZdlPv(memory); }
#endif

// What -fstack-protector-strong calls at the end of a function whose local array was overrun.
EMULATOR_HIDDEN void __stack_chk_fail() {
    ::emulator::fault({700, ::emulator::Rule::out_of_bounds, ::emulator::Access::write},
                      "a write past the end of a local array, found when its function returned");
}
// What -fsanitize=bounds calls for an index outside of an array whose size the compiler knows. Shared arrays have
// inaccessible pages at their ends, and are often walked across their rows.
EMULATOR_HIDDEN void __ubsan_handle_out_of_bounds(void* data, void* index) {
    struct OutOfBounds {
        ::emulator::SourceLocation where;
        const ::emulator::TypeDescriptor *array, *index;
    };
    const auto& what = *static_cast<const OutOfBounds*>(data);
    ::emulator::Worker* const w = ::emulator::self;
    const char* const type = what.array->name;
    if (w && (w->last_index.type == type || ::emulator::is_shared_type(::emulator::ArrayType(type)))) {
        w->last_index = {w->current, w->epoch, reinterpret_cast<long long>(index), type, what.where.line};
        return;
    }
    ::emulator::fault({700, ::emulator::Rule::out_of_bounds},
                      "index %lld of an array of type %s (line %u)", reinterpret_cast<long long>(index),
                      what.array->name, what.where.line);
}
// What -fsanitize=return calls.
EMULATOR_HIDDEN void __ubsan_handle_missing_return(void* data) {
    ::emulator::fault({715, ::emulator::Rule::trap}, "reached the end of a function without its return (line %u)",
                      static_cast<const ::emulator::SourceLocation*>(data)->line);
}
