// A launcher's own code, on the CPU: its signals, its time, and calls that would end the process are faults. Part of
// the runtime.
#pragma once

#include "emulator_launch.h"

namespace [[gnu::visibility("hidden")]] emulator {

void check_overruns();   // emulator_memory.h
char* host_functions();  // there, too
void check_heap();      // emulator_heap.h
void end_heap();

// While it is set, this OS thread is in the C library's allocator and may hold its lock.
static thread_local volatile sig_atomic_t allocating = 0;

// In all, kernels included, a launcher may take so many times what its own code and each kernel may.
constexpr double kLauncherPatience = 4;
// A caller that stops kernels after milliseconds does not mean the launcher, which a busy machine may hold up.
constexpr double kLeastHostSeconds = 5;

// Such a caller expects to be told of it, and goes on with something else.
inline bool is_brief() { return runtime().timeout && timeout_seconds() < kLeastHostSeconds; }

inline double host_seconds() { return is_brief() ? kLeastHostSeconds : timeout_seconds(); }

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
    std::terminate_handler terminate_before = nullptr;
    Handlers handlers;
    Ticker ticker{kTickNanoseconds};
};

// Of the launcher that runs, for its other threads.
static const char* host_name = "";
[[noreturn]] void on_terminate();

Host::Host(const char* name) {
    char* const memory = allocate_own(sizeof(HostState) + kSignalStackBytes);
    HostState* const outer = host;
    if (!outer) of_runtime = 0;  // a launcher may have been left
    const OfRuntime guard;
    host = new (memory) HostState;
    host->name = name;
    host->outer = outer;
    if (!outer) report().last_error = 0, report().refusal = Refusal{}, default_stream_is_busy() = false;
    const stack_t mine{memory + sizeof(HostState), 0, kSignalStackBytes};
    sigaltstack(&mine, &host->before);
    if (outer) return;
    host_name = name;
    begin_streams();
    host->terminate_before = std::set_terminate(on_terminate);
    begin_launcher();
}
Host::~Host() {
    if (!host->outer) {
        end_streams();
        check_overruns();
        check_heap();
        end_heap();
        std::set_terminate(host->terminate_before);
        end_launcher();
    }
    HostState* done = host;
    host = done->outer;
    sigaltstack(&done->before, nullptr);
    done->~HostState();
    free(done);
}
sigjmp_buf& host_escape() { return host->escape; }

[[noreturn]] void host_is_late(double seconds);

bool has_host() { return host != nullptr; }
void begin_kernel() {
    on_host_timer();  // which is passed over while the kernel runs
    // A launcher that launches a million times, each time for microseconds.
    if (is_brief() && host->in_kernels >= kLauncherPatience * timeout_seconds()) host_is_late(host->in_kernels);
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
void host_error(const Cause& cause, const char* what) { launcher_fault(host ? host->name : "", cause, what); }

// In a child process that was made to survive this (helpers/emulator/isolated.py): writes a record with the rule and
// the words, and ends the process. No lock is taken, as the launcher's code may hold one, or have spoilt the heap.
inline void say_last_words(const Cause& cause, const char* what) {
    const char* descriptor = getenv("ELEMENTWISE_LAST_WORDS");
    if (!descriptor) return;
    char record[1200];
    const int words = snprintf(record + 6, sizeof record - 6, "the launcher %s %s", host ? host->name : host_name, what);
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

// A launcher that takes too long. A caller of few seconds knows what it asked for: its process goes on.
[[noreturn]] void host_is_late(double seconds) {
    char still[160], words[200];
    snprintf(still, sizeof still, kStillRunning, seconds, "");  // of no block
    snprintf(words, sizeof words, "itself, not a kernel, is %s", still);
    constexpr Cause cause{702, Rule::timeout};
    if (!is_brief()) leave_host(cause, words);
    launcher_fault(host->name, cause, words);
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

// What C++ calls for an exception that nothing can catch. One of another thread leaves the launcher no way back.
[[noreturn]] void on_terminate() {
    constexpr Cause cause{719, Rule::host};
    const char* const what = "threw a C++ exception out of a function that must not throw: a destructor, a thread's, or noexcept";
    if (host) leave_host(cause, what);
    say_last_words(cause, what);
    abort();
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
    snprintf(words, sizeof words,
             is_lent(at) ? "itself %s %s, which it gave to a kernel or a copy that may still run: wait for it first, with "
                           "cudaDeviceSynchronize() or cudaStreamSynchronize()"
                         : "itself %s %s, which is memory of the GPU: only kernels, cudaMemcpy and the like can access it",
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
        if (has_fault_address(info) && (is_closed(at) || is_lent(at))) accessed_device_memory(at, fault_direction(context));
        if (has_fault_address(info) && is_at_stack_pointer(at, context)) {
            leave_host({700, Rule::host}, "overflowed its stack: recursion without an end, or large local arrays?");
        }
        if (at >= host_functions() && at < host_functions() + page_bytes()) {
            launcher_fault(host->name, {700, Rule::host}, "called a __device__ function by its address: only a kernel can call it");
            siglongjmp(host->escape, 1);
        }
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
    if (holds_device_memory || allocating || host->waits) return;  // asked again soon
    const HostState& at = *host;
    const double total = seconds_between(at.began, now());
    if (total - at.in_kernels < at.seconds && total < kLauncherPatience * at.seconds) return;
    host_is_late(total - at.in_kernels < at.seconds ? total : at.seconds);
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
    long long at = reinterpret_cast<long long>(index);
    const int unused = 64 - (1 << (what.index->info >> 1));  // bits of the handle
    if (what.index->info & 1 && unused > 0) at = static_cast<long long>(static_cast<uint64_t>(at) << unused) >> unused;
    ::emulator::fault({700, ::emulator::Rule::out_of_bounds},
                      "index %lld of an array of type %s, %s (line %u)", at, what.array->name,
                      at < 0 ? "before the start" : "past the end", what.where.line);
}
// What -fsanitize=return calls.
EMULATOR_HIDDEN void __ubsan_handle_missing_return(void* data) {
    ::emulator::fault({715, ::emulator::Rule::trap}, "reached the end of a function without its return (line %u)",
                      static_cast<const ::emulator::SourceLocation*>(data)->line);
}
