// A launch: the checks that CUDA makes, the workers, and what ends a launch early (signals, the watchdog, faults).
#pragma once

#include <deque>
#include <memory>

#include "emulator_device_memory.h"
#include "emulator_queue.h"
#include "emulator_scheduler.h"

namespace [[gnu::visibility("hidden")]] emulator {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGURG};  // SIGURG: stop; ignored by default
constexpr size_t kKeptFibers = 512;  // by all workers together, from one launch to the next
constexpr int kMeetings = 4;         // of a launch
constexpr size_t kSignalStackBytes = 64 << 10;
constexpr long kTickNanoseconds = 5'000'000, kPreemptNanoseconds = 100'000;
constexpr double kTicksOfALaunch = 4;  // at least, in the seconds that it may take

// ---- faults -----------------------------------------------------------------------------------------------

// Whether a fault is the one that its block was run again for: near the same place, if that is no shared array, which
// each form of a kernel has for itself. What the block had written until then may lead to another one.
inline bool met_again(const Worker& w, const Cause& cause) {
    if (!w.retried) return true;
    if (cause.rule != w.retried_cause.rule) return false;
    const auto here = reinterpret_cast<intptr_t>(cause.address), before = reinterpret_cast<intptr_t>(w.retried_cause.address);
    constexpr intptr_t kNear = 1 << 26;  // also of what another round of a loop reaches
    return cause.rule == Rule::shared_out_of_bounds || (here - before < kNear && before - here < kNear);
}

// Keeps the first fault, stops every worker, and leaves this worker's block.
[[noreturn]] inline void end_launch(Worker& w, const Cause& cause, const char* what) {
    Launch& launch = *w.launch;
    ++w.busy;
    if (!launch.stop.exchange(true)) {
        char thread[160] = "";
        const uint3 t = launch.alone ? *w.index : position(w.current, launch.block);
        const int block = snprintf(thread, sizeof thread, "block (%u, %u, %u)", blockIdx.x, blockIdx.y, blockIdx.z);
        if (!w.abreast && met_again(w, cause)) {  // else it is not known
            snprintf(thread + block, sizeof thread - static_cast<size_t>(block), ", thread (%u, %u, %u)", t.x, t.y, t.z);
        }
        report().set_fault(cause, thread, std::string(launch.kernel) + ", " + thread + ": " + what);
        Runtime& all = runtime();
        const std::lock_guard<std::mutex> lock(all.mutex);
        for (Worker* other : all.at_work) {
            if (other != &w && other->launch == &launch) pthread_kill(other->os_thread, SIGURG);
        }
    }
    --w.busy;
    w.in_kernel = false;
    w.in_thread = false;
    siglongjmp(w.escape, 1);
}

// Behind a jump out of their handler.
void unblock_signals() {
    sigset_t faults;
    sigemptyset(&faults);
    for (const int signal : kSignals) sigaddset(&faults, signal);
    pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

// ---- threads abreast ----------------------------------------------------------------------------------------

struct SecondForm {
    const char* text;
    Rows rows;
};
inline std::deque<SecondForm>& second_forms() {  // whose members stay where they are
    static auto* forms = new std::deque<SecondForm>;
    return *forms;
}
void add_abreast(const char* text, const Rows& rows) { second_forms().push_back({text, rows}); }

// Two launch_text(), in which the compiler numbers what stands for `auto`.
inline bool same_text(const char* a, const char* b) {
    constexpr char kNumbered[] = "auto:";
    constexpr size_t kLength = sizeof kNumbered - 1;
    while (*a && *a == *b) {
        const bool numbered = !strncmp(a, kNumbered, kLength) && !strncmp(b, kNumbered, kLength);
        a += numbered ? kLength : 1, b += numbered ? kLength : 1;
        if (numbered) a += strspn(a, "0123456789"), b += strspn(b, "0123456789");
    }
    return *a == *b;
}
const Rows* find_abreast(SecondFormSite& site) {
    if (site.sought.load(std::memory_order_acquire)) return site.found;
    int same = 0;  // instances in a generic lambda have one text: what its `auto` is does not stand in it
    for (const SecondForm& form : second_forms()) {
        if (same_text(form.text, site.text)) site.found = ++same == 1 ? &form.rows : nullptr;
    }
    site.sought.store(true, std::memory_order_release);
    return site.found;
}

// Runs a block; false if it has not begun.
inline bool run_block_abreast(const Launch& launch, uint3 block) {
    const auto every = [&](auto call) {
        for (uint3 row{0, 0, 0}; row.z < launch.block.z; ++row.z) {
            for (row.y = 0; row.y < launch.block.y; ++row.y) call(row);
        }
    };
    for (uint64_t round = 0;; ++round) {
        Answers answers;
        every([&](uint3 row) {
            const Answers one = launch.abreast->ask(launch, row, block, round);
            answers = {answers.all & one.all, answers.any | one.any, one.added};
        });
        if (answers.any & kRefused) return false;
        if (answers.all & kYes) {
            every([&](uint3 row) { launch.abreast->run(launch, row, block, round, answers.added); });
            if (answers.all & kLoop) continue;
            return true;
        }
        if (!(answers.all & kLoop)) return false;
        if (answers.any & (kYes | kMore)) {
            every([&](uint3 row) { launch.abreast->end(launch, row, block, round); });
        }
        return true;
    }
}

inline std::atomic<int64_t> blocks_abreast{0};  // that have run so since it was last asked
struct LaunchSize {
    int64_t threads = 0;  // of all blocks
    dim3 grid{0, 0, 0}, block{0, 0, 0};
};
// Of the launch with the most threads since it was last asked.
inline LaunchSize& largest_launch() {
    static LaunchSize size;
    return size;
}

// Runs blocks from `first` on, up to one that is to be run as the kernel is written, and returns which that is.
inline int64_t run_abreast(Worker& w, int64_t first, int64_t last) {
    const Launch& launch = *w.launch;
    volatile int64_t at = first;
    w.retried = false;
    if (sigsetjmp(w.retry, 0)) {
        unblock_signals();
        w.abreast = false;
        w.retried = true;
        return at;
    }
    w.abreast = true;
    blockIdx = place_of_block(launch, first);
    while (at < last && !launch.stop && run_block_abreast(launch, blockIdx)) {
        at = at + 1;
        if (++blockIdx.x == launch.grid.x) blockIdx = place_of_block(launch, at);
    }
    w.abreast = false;
    blocks_abreast += at - first;
    return at;
}

void end_retried(Worker& w) {
    w.abreast = true;
    end_launch(w, w.retried_cause, w.retried_words);
}

// Ends the launch; where threads run abreast, the block is run again first, which tells the thread.
[[noreturn]] inline void end_or_retry(Worker& w, const Cause& cause, const char* what) {
    if (!w.abreast) end_launch(w, cause, what);
    snprintf(w.retried_words, sizeof w.retried_words, "%s", what);
    w.retried_cause = {cause.error, cause.rule, cause.access, cause.address};
    siglongjmp(w.retry, 1);
}

constexpr char kDivisionByZero[] = "an integer division by zero (a GPU would go on with an arbitrary number)";

// Ends a launch before its first thread has run: CUDA would have refused it.
[[noreturn]] inline void refuse_launch(Worker& w) {
    w.launch->stop = true;
    w.in_kernel = false;
    siglongjmp(w.escape, 1);
}

static thread_local struct {
    sigjmp_buf escape;
    int most = 0;
    bool now = false;
} asked;
int bound_of(void (*run)(void*), void* kernel) {
    const OfRuntime guard;
    static auto* const nobody = new Worker;
    Launch launch{};
    launch.threads = INT_MAX;
    nobody->launch = &launch;
    Worker* const before = std::exchange(self, nobody);
    asked.now = true;
    if (!sigsetjmp(asked.escape, 0)) run(kernel);
    asked.now = false;
    self = before;
    return asked.most;
}

void too_many_threads(int64_t most) {
    if (asked.now) {
        asked.most = static_cast<int>(most);
        siglongjmp(asked.escape, 1);
    }
    Worker& w = *self;
    w.in_thread = false;
    if (!w.launch->stop.exchange(true)) {
        refuse(cudaErrorInvalidValue, "%s has __launch_bounds__(%lld), and was launched with %d threads a block",
               w.launch->kernel, static_cast<long long>(most), w.launch->threads);
    }
    refuse_launch(w);
}
bool has_host();  // emulator_launcher.h
void begin_kernel();
void pass_time(const timespec& began);
[[noreturn]] void host_fault(const Cause& cause, const char* what);
bool describe_allocation(const char* at, char* text, size_t size);  // emulator_memory.h
bool describe_kernel_array(const char* at, char* text, size_t size);  // emulator_heap.h
void trace_rooms();                                                   // emulator_memory.h
bool describe_unreachable(const char* at, const char* access, char* text, size_t size);

void fault(const Cause& cause, const char* format, ...) {
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (self && self->in_kernel) end_or_retry(*self, cause, what);
    if (has_host()) host_fault(cause, what);
    fprintf(stderr, "%s\n", what);
    abort();
}

void outside_abreast(int64_t index, size_t length) {
    fault({700, Rule::out_of_bounds}, "index %lld of an array of %zu elements", static_cast<long long>(index), length);
}

void misaligned_abreast(const void* address) {
    char place[32];
    snprintf(place, sizeof place, "%p", address);
    fault({716, Rule::misaligned, Access::unknown, address, place}, "a misaligned access at %s", place);
}

void kernel_threw() {
    try {
        throw;
    } catch (const std::exception& error) {
        fault({719, Rule::exception}, "a C++ exception left the kernel: %s", error.what());
    } catch (...) {
        fault({719, Rule::exception}, "a C++ exception left the kernel");
    }
}

EMULATOR_UNCHECKED void enter_alone(void* worker) {
    Worker& w = *static_cast<Worker*>(worker);
    try {
        for (;;) {
            w.launch->alone(w);
            rest(w);
        }
    } catch (...) {
        kernel_threw();
    }
}

// What a segmentation fault means: the words go into `text`, the rest is returned.
inline Cause describe_segfault(Worker& w, const siginfo_t* info, const void* context, char* text, size_t size) {
    const Direction direction = fault_direction(context);
    const Access kind = direction == Direction::write  ? Access::write
                        : direction == Direction::read ? Access::read
                                                       : Access::unknown;
    const char* access = kind == Access::unknown ? "access to" : kind == Access::write ? "write to"
                                                                                       : "read from";
    const char* at = static_cast<const char*>(info->si_addr);
    if (!has_fault_address(info)) {
#if defined(__clang__)  // its -fsanitize=alignment passes over copies of whole structs, and the processor refuses them
        snprintf(text, size, "an access to an address that is not a multiple of the access's size, or that no memory can have");
        return {716, Rule::misaligned};
#else
        snprintf(text, size, "access to an address that no memory can have: is an index or a pointer uninitialised?");
        return {700, Rule::out_of_bounds};
#endif
    }
    for (const Fiber* fiber : w.fibers) {
        if (fiber->stack && at < fiber->stack && at >= fiber->stack - kStackGuard) {
            snprintf(text, size, "the thread's stack overflowed (more than %zu KB): recursion without an end, or large arrays?",
                     kStackBytes >> 10);
            return {700, Rule::stack_overflow, kind, at};
        }
    }
    if (describe_unreachable(at, access, text, size)) return {700, Rule::host, kind, at};
    if (describe_shared(w, at, access, text, size)) return {700, Rule::shared_out_of_bounds, kind, at};
    if (is_call(context, at)) {
        snprintf(text, size, "a call of %s: was the pointer, or its place in a table, set to a __device__ function?",
                 at ? "a function at an address that has none" : "a null function");
        return {718, Rule::other};
    }
    if (reinterpret_cast<uintptr_t>(at) < 65536) {
        snprintf(text, size, "%s address %p: a null pointer, or an index on one", access, static_cast<const void*>(at));
        return {700, Rule::out_of_bounds, kind, at};
    }
    const int before = snprintf(text, size, "%s ", access);
    if (describe_kernel_array(at, text + before, size - static_cast<size_t>(before)) ||
        describe_allocation(at, text + before, size - static_cast<size_t>(before))) {
        return {700, Rule::out_of_bounds, kind, at};
    }
    snprintf(text + before, size - static_cast<size_t>(before), "address %p, outside of every tensor: an index out of bounds",
             static_cast<const void*>(at));
    return {700, Rule::out_of_bounds, kind, at, text + before};
}

inline void chain(int signal, siginfo_t* info, void* context) {
    for (size_t i = 0; i < sizeof kSignals / sizeof *kSignals; ++i) {
        if (kSignals[i] != signal) continue;
        const struct sigaction& old = runtime().before[i];
        if (old.sa_flags & SA_SIGINFO) {
            old.sa_sigaction(signal, info, context);
        } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
            old.sa_handler(signal);
        } else if (signal != SIGURG && old.sa_handler == SIG_DFL) {
            sigaction(signal, &old, nullptr);  // returning repeats the fault, which now ends the process as usual
            if (signal == SIGABRT) raise(signal);
        }
    }
}

inline timespec now(clockid_t clock = CLOCK_MONOTONIC) {
    timespec time;
    clock_gettime(clock, &time);
    return time;
}
inline double seconds_between(const timespec& from, const timespec& to) {
    return static_cast<double>(to.tv_sec - from.tv_sec) + static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-9;
}

// A kernel's seconds are its worker's own, so that a busy machine ends no kernel that another would not. Where workers
// wait for each other asleep, as those of a cooperative launch may for ever, the clock on the wall ends them.
constexpr double kPatience = 4;
inline bool is_late(const Worker& w) {
    const double seconds = w.launch->seconds;
    return seconds_between(w.began_working, now(CLOCK_THREAD_CPUTIME_ID)) >= seconds ||
           seconds_between(w.began, now()) >= kPatience * seconds;
}

void on_host_signal(int signal, const siginfo_t* info, const void* context);
void on_host_timer();

constexpr char kStillRunning[] = "still running after %g s: %sa loop without an end? (ELEMENTWISE_KERNEL_TIMEOUT sets the seconds)";
constexpr int64_t kManyThreads = int64_t{1} << 28;  // of a launch, which may take as long without an endless loop

// Whether the last thread of a block that can go on has gone round in a loop for so long that changes nothing: it waits for
// what no other thread will do. Other workers' blocks, which might, must stand still, too.
constexpr int kSamples = 200;
constexpr char kStandsStill[] =
    "waits in a loop for what no running thread does: all others of its block have left or wait at a barrier. Let the thread that "
    "sets what the loop asks for come before the barrier; blocks that have not begun are sure to run beside it only in a "
    "cooperative launch";
inline bool stands_still(Worker& w, const void* context) {
    Standstill& its = w.standstill;
    const Registers now = registers_of(context);
    const bool last = w.at_barrier && w.at_barrier + w.finished == w.threads - 1;
    Registers* const end = its.seen + its.places;
    Registers* const found = std::find_if(its.seen, end, [&](const Registers& one) { return one.place == now.place; });
    const bool same = last && now.place && its.thread == w.current && its.epoch == w.epoch;
    if (!same || (found != end ? found->all != now.all : its.places == std::size(its.seen))) {
        its.thread = w.current, its.epoch = w.epoch, its.places = 0, its.samples = 0;
        return false;
    }
    if (found == end) its.seen[its.places++] = now;
    its.samples = its.samples + 1;
    if (its.samples < kSamples) return false;
    Runtime& all = runtime();
    const std::unique_lock<std::mutex> lock(all.mutex, std::try_to_lock);
    return lock && std::all_of(all.at_work.begin(), all.at_work.end(), [&](const Worker* other) {
               return other->launch != w.launch || other->standstill.samples >= kSamples;
           });
}

// The watchdog's tick: ends a launch that takes too long, and lets the block's other threads run when one runs for
// long, as it may wait in a loop for one of them.
inline void on_timer(Worker& w, bool interruptible, const void* context) {
    w.missed_tick = w.busy != 0;
    if (w.missed_tick) return;  // asked again soon
#ifdef EMULATOR_TRACE  // the tracer's tables must be whole, and it allocates
    if (!interruptible) return;
#endif
    if (w.launch->stop) {
        w.in_kernel = false;
        siglongjmp(w.escape, 1);
    }
    if (is_late(w)) {
        const Launch& launch = *w.launch;
        char grid[120] = "", what[400];
        if (launch.blocks * launch.threads >= kManyThreads) {
            snprintf(grid, sizeof grid, "the launch has %lld blocks of %d threads. Is that far too many, or is there ",
                     static_cast<long long>(launch.blocks), launch.threads);
        }
        const int length = snprintf(what, sizeof what, kStillRunning, launch.seconds, grid);
        if (w.at_barrier && !w.abreast) {
            snprintf(what + length, sizeof what - static_cast<size_t>(length),
                     ". Meanwhile %d of the block's %d threads wait at a barrier", w.at_barrier, w.threads);
        }
        end_or_retry(w, {702, Rule::timeout}, what);
    }
#ifdef EMULATOR_TRACE  // there a thread that waits in a loop lets the others run as soon as it is far ahead
    interruptible = false;
#endif
    if (!w.in_thread || !interruptible) return;
    if (!w.abreast && stands_still(w, context)) end_launch(w, {702, Rule::timeout}, kStandsStill);
    if (w.seen_thread != w.current || w.seen_epoch != w.epoch || w.seen_waits != w.waits) {
        w.seen_thread = w.current;
        w.seen_epoch = w.epoch;
        w.seen_waits = w.waits;
    } else if (w.has_others()) {
        w.ticker->every(kPreemptNanoseconds);
        yield();
        emulator_trace_pause();
    }
}

EMULATOR_UNTRACED inline void on_signal(int signal, siginfo_t* info, void* context) {
    const bool traced = emulator_trace_suspend();
    Worker* w = self;
    if (signal == SIGURG) {
        const int error = errno;
        if (w && w->in_kernel) {
            on_timer(*w, traced, context);
        } else if (has_host()) {
            on_host_timer();
        }
        errno = error;
        emulator_trace_restore(traced);
        return;
    }
    if (!w || !w->in_kernel) {
        if (has_host()) on_host_signal(signal, info, context);
        chain(signal, info, context);
        return;
    }
    char what[400];
    switch (signal) {
        case SIGFPE: end_or_retry(*w, {719, Rule::arithmetic}, kDivisionByZero);
        case SIGILL: end_or_retry(*w, {715, Rule::trap}, "an illegal instruction: the end of a function without its return, or a trap");
        case SIGABRT: end_or_retry(*w, {719, Rule::trap}, "the kernel called abort()");
        default: {
            const Cause cause = describe_segfault(*w, info, context, what, sizeof what);
            end_or_retry(*w, cause, what);
        }
    }
}

}  // namespace emulator

namespace [[gnu::visibility("hidden")]] emulator {

// ---- workers ----------------------------------------------------------------------------------------------

// The signal handlers are CUDA's "device side": there while something runs, and the process's own before and after.
struct Handlers {
    Handlers() {
        Runtime& all = runtime();
        const std::lock_guard<std::mutex> lock(all.mutex);
        if (all.handlers++) return;
        struct sigaction action{};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        sigemptyset(&action.sa_mask);
        // No tick while a fault is handled: other threads would go on with the fault's signal blocked, and the next
        // fault would end the process.
        sigaddset(&action.sa_mask, SIGURG);
        for (size_t i = 0; i < sizeof kSignals / sizeof *kSignals; ++i) {
            if (kSignals[i] == SIGURG) {
                // Handled on the stack of the thread that it interrupts, which may then be parked.
                action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
                sigemptyset(&action.sa_mask);
            }
            sigaction(kSignals[i], &action, &all.before[i]);
        }
    }
    ~Handlers() {
        Runtime& all = runtime();
        const std::lock_guard<std::mutex> lock(all.mutex);
        if (--all.handlers) return;
        for (size_t i = 0; i < sizeof kSignals / sizeof *kSignals; ++i) sigaction(kSignals[i], &all.before[i], nullptr);
    }
};

// Takes blocks until none is left. Everything with a destructor lives outside, so a jump out of a kernel is safe.
__attribute__((noinline)) inline void take_blocks(Worker& w) {
    Launch& launch = *w.launch;
    if (sigsetjmp(w.escape, 1) == 0) {
        w.in_kernel = true;
        for (;;) {
            const int64_t first = launch.next.fetch_add(launch.chunk);
            if (first >= launch.blocks) break;
            const int64_t last = first + launch.chunk < launch.blocks ? first + launch.chunk : launch.blocks;
            for (int64_t b = first; b < last && !launch.stop; ++b) {
                w.standstill.samples = 0;
                if (launch.abreast && (b = run_abreast(w, b, last)) >= last) break;
                w.run_block(b);
            }
            if (launch.stop) break;
        }
    } else {
        w.idle = w.fibers;  // what ran on them is abandoned
    }
    w.abreast = w.retried = false;
    w.in_kernel = false;
    w.in_thread = false;
}

// An idle worker, or a new one: this OS thread's own, else one that is nobody's. The caller holds the lock.
inline Worker* take_worker(Runtime& all) {
    const pthread_t here = pthread_self();
    const auto mine = [&](const Worker* w) { return w->kept && pthread_equal(w->os_thread, here); };
    const auto free_one = [](const Worker* w) { return !w->kept; };
    auto found = std::find_if(all.idle.begin(), all.idle.end(), mine);
    if (found == all.idle.end()) found = std::find_if(all.idle.begin(), all.idle.end(), free_one);
    if (found != all.idle.end()) {
        Worker* const w = *found;
        all.idle.erase(found);
        return w;
    }
    auto* const w = new Worker;
    w->dynamic = map_guarded(kMaxShared, kSharedGuard);
    w->signal_stack = allocate_own(kSignalStackBytes);
    return w;
}

// kept: this OS thread may launch again.
inline void work(Launch& launch, bool kept) {
    Runtime& all = runtime();
    Worker* w;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        w = take_worker(all);
        w->launch = &launch;
        w->os_thread = pthread_self();  // a fault of another worker wakes it by this number
        all.at_work.push_back(w);
    }
    w->threads = launch.threads;
    w->last_kernel = launch.kernel, w->last_instance = launch.instance;
    ++w->launches;
    w->began = now();
    w->began_working = now(CLOCK_THREAD_CPUTIME_ID);
    w->kept = kept;
    w->index = &threadIdx;
    w->busy = 0;
    w->missed_tick = false;
    blockDim = launch.block;
    gridDim = launch.grid;
    Worker* outer = self;
    self = w;
    emulator_trace_ignore(w, sizeof *w);
    emulator_trace_ignore(&self, sizeof self);
    emulator_trace_ignore(&threadIdx, sizeof threadIdx);
    emulator_trace_ignore(&blockIdx, sizeof blockIdx);
    emulator_trace_ignore(&blockDim, sizeof blockDim);
    emulator_trace_ignore(&gridDim, sizeof gridDim);
    const stack_t mine{w->signal_stack, 0, kSignalStackBytes};
    stack_t before{};
    sigaltstack(&mine, &before);
    {
        const double share = launch.seconds * 1e9 / kTicksOfALaunch;
        Ticker ticker(share < kTickNanoseconds ? static_cast<long>(share) : kTickNanoseconds);
        w->ticker = &ticker;
        w->seen_thread = -1;
        take_blocks(*w);
    }
    sigaltstack(&before, nullptr);
    self = outer;
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (size_t i = 0; i < all.at_work.size(); ++i) {
        if (all.at_work[i] == w) {
            all.at_work.erase(all.at_work.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
    }
    w->drop_fibers(kKeptFibers / (all.idle.size() + all.at_work.size() + 1));
    all.idle.push_back(w);
}

Worker& worker_of_thread() {
    if (self) return *self;
    Runtime& all = runtime();
    const std::lock_guard<std::mutex> lock(all.mutex);
    Worker* const w = take_worker(all);
    w->os_thread = pthread_self();
    w->kept = true;
    all.idle.push_back(w);
    return *w;
}

inline int cores() {
    if (const int wanted = runtime().workers) return wanted;
    if (const char* wanted = getenv("OMP_NUM_THREADS")) {
        if (const int count = atoi(wanted); count > 0) return count;
    }
    const int count = allowed_cpus();
    return count > 16 ? 16 : count;
}

inline double timeout_seconds() {
    if (const double wanted = runtime().timeout) return wanted;
    const char* text = getenv("ELEMENTWISE_KERNEL_TIMEOUT");
    const double seconds = text ? strtod(text, nullptr) : 0.0;
    return seconds > 0.0 && seconds < 1e9 ? seconds : 60.0;
}

// Whether two lists of a template's arguments, such as <T,256>, have different numbers in one place.
inline bool are_different(const char* a, const char* b) {
    const auto number = [](const char* text) { return *text >= '0' && *text <= '9' ? strtol(text, nullptr, 0) : -1; };
    while (*a && *b) {  // each at a < or a comma
        ++a, ++b;
        if (number(a) >= 0 && number(b) >= 0 && number(a) != number(b)) return true;
        a += strcspn(a, ","), b += strcspn(b, ",");
    }
    return false;
}
// What cudaFuncSetAttribute has set for a kernel, or for what may be this instance of it.
inline size_t limit_of_shared(const std::map<std::string, size_t>& limits, const std::string& kernel, const char* instance) {
    size_t most = 0;
    for (const auto& [name, limit] : limits) {
        if (name.substr(0, name.find('<')) != kernel) continue;
        if (!are_different(name.c_str() + kernel.size(), instance)) most = std::max(most, limit);
    }
    return most;
}
// False, with the error set, where CUDA would refuse.
inline bool admit(Launch& launch, int64_t shared_bytes) {
    if (report().has_fault()) return false;  // as on a GPU: after a fault nothing is launched any more
    const dim3 &g = launch.grid, &b = launch.block;
    const uint64_t threads = static_cast<uint64_t>(b.x) * b.y * b.z;
    const auto within = [&](const char* what, unsigned value, unsigned limit) {
        if (value >= 1 && value <= limit) return true;
        refuse(cudaErrorInvalidConfiguration, "%s of %s is %u; it must be 1 to %u", what, launch.kernel, value, limit);
        report().refusal.side = what;
        report().refusal.size = value;
        return false;
    };
    if (!within("grid.x", g.x, 0x7fffffffu) || !within("grid.y", g.y, 65535) || !within("grid.z", g.z, 65535) ||
        !within("block.x", b.x, 1024) || !within("block.y", b.y, 1024) || !within("block.z", b.z, 64)) {
        return false;
    }
    if (threads > kMaxThreads) {
        refuse(cudaErrorInvalidConfiguration, "a block of %s has %u x %u x %u = %u threads; at most 1024 are allowed",
               launch.kernel, b.x, b.y, b.z, static_cast<unsigned>(threads));
        return false;
    }
    Runtime& all = runtime();
    const std::lock_guard<std::mutex> lock(all.mutex);
    launch.shared_limit = std::max(launch.shared_limit, limit_of_shared(all.shared_limit, launch.kernel, launch.instance));
    if (shared_bytes < 0 || static_cast<size_t>(shared_bytes) > launch.shared_limit) {
        refuse(cudaErrorInvalidValue,
               "%s asks for %lld bytes of dynamic shared memory; at most %zu are allowed (more after cudaFuncSetAttribute)",
               launch.kernel, static_cast<long long>(shared_bytes), launch.shared_limit);
        return false;
    }
    const int64_t blocks = static_cast<int64_t>(g.x) * g.y * g.z;
    const int64_t resident = int64_t{card().multiprocessors} * card().resident_blocks(static_cast<int>(threads), shared_bytes);
    if (launch.cooperative && blocks > resident) {
        refuse(cudaErrorCooperativeLaunchTooLarge,
               "%s is a cooperative launch of %lld blocks, and at most %lld of this size fit on the (emulated) GPU at once",
               launch.kernel, static_cast<long long>(blocks), static_cast<long long>(resident));
        return false;
    }
    launch.threads = static_cast<int>(threads);
    launch.blocks = blocks;
    launch.by_columns = all.mode == 3;
    launch.mode = launch.by_columns ? 1 : all.mode;
    LaunchSize& largest = largest_launch();
    const int64_t all_threads = blocks * static_cast<int64_t>(threads);
    if (all_threads > largest.threads) largest = {all_threads, g, b};
    launch.seed = all.seed;
    launch.shared_front = all.shared_front;
    launch.shared_byte = all.shared_byte;
    if (launch.mode || g.x > kMostBlocksAbreast) launch.abreast = nullptr;
    return true;
}

inline int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

inline void run(Launch& launch) {
    const int64_t enough = launch.blocks * launch.threads / 4096 + 1;  // a worker costs as much as about 4096 threads
    int64_t workers = cores();
    workers = workers > launch.blocks ? launch.blocks : workers;
    workers = workers > enough ? enough : workers;
    if (launch.cooperative) workers = launch.blocks;
    launch.chunk = launch.blocks / (workers * 16);
    launch.chunk = launch.chunk < 1 ? 1 : (launch.chunk > 256 ? 256 : launch.chunk);
    if (launch.mode == 1) launch.step = -1, launch.offset = launch.blocks - 1;
    if (launch.mode == 2) {
        launch.step = static_cast<int64_t>((launch.seed * 2654435761u + 12345u) % launch.blocks);
        while (common_divisor(launch.step, launch.blocks) != 1) ++launch.step;
        launch.offset = launch.seed % launch.blocks;
    }
    launch.several = workers > 1;
    if (launch.mode) launch.meetings = kMeetings;
    launch.seconds = timeout_seconds();
    const timespec began = now();
    if (has_host()) begin_kernel();

    {
        const std::lock_guard<std::mutex> lock(runtime().mutex);
        for (Worker* w : runtime().idle) w->close_shared(launch);
    }
    emulator_trace_launch(kStackBytes, workers > 1);
    if (kTraced) trace_rooms();
    const uint3 thread = threadIdx, block = blockIdx;
    const Handlers handlers;
    const UseDeviceMemory use;
    const ManagedWords words;
    launch.far = has_far_memory();
    std::vector<std::thread> others;
    // A name that is bound to its array's memory in this OS thread is not in a new one.
    const bool anew = launch.shared_front && FileScopeShared::arrays && !kTraced;
    for (int64_t i = anew ? 0 : 1; i < workers; ++i) {
        try {
            others.emplace_back([&] { work(launch, false); });
        } catch (const std::exception&) {
            break;  // no more OS threads to be had: fewer will do
        }
    }
    if (!anew || others.empty()) work(launch, true);
    for (std::thread& other : others) other.join();
    threadIdx = thread;
    blockIdx = block;
    if (has_host()) pass_time(began);
}

std::shared_ptr<void> kept(const void* from, size_t bytes) {
    constexpr size_t kMostAligned = 256;
    void* const copy = aligned_alloc(kMostAligned, (bytes / kMostAligned + 1) * kMostAligned);
    return {memcpy(copy, from, bytes), free};
}

void launch(const char* kernel, const Config& config, const Work& work) {
    const OfRuntime guard;
    std::vector<GivenMemory> memory = std::move(given_memory());
    given_memory().clear();
    const auto one = std::make_shared<Launch>();
    one->kernel = kernel;
    one->instance = config.instance;
    one->grid = config.grid;
    if (runtime().grid_turned) std::swap(one->grid.x, one->grid.y);
    one->block = config.block;
    one->shared_bytes = static_cast<size_t>(config.shared_bytes);
    one->shared_limit = kDefaultShared;
    one->loop = work.loop;
    one->call = work.call;
    one->arguments = work.arguments;
    one->alone = work.alone;
    one->abreast = work.abreast;
    one->cooperative = config.cooperative;
    last_stream() = config.stream;
    if (!config.stream) default_stream_is_busy() = true;
    if (!admit(*one, config.shared_bytes)) return settle_lent();
    std::shared_ptr<void> call, arguments;
    // Forwards, a kernel has what the host shares at once, so that a host that does not wait is told so; in other orders it is
    // kept back, too, and another stream that does not wait goes wrong.
    const bool at_once = has_lent_for_launch() && (!runtime().mode || !keeps_back(config.stream));
    if (!work.bytes_of_arguments || at_once) {
        do_before(config.stream);
        run(*one);
        return settle_lent();
    }
    settle_lent();
    if (keeps_back(config.stream)) {
        one->call = (call = kept(work.call, work.bytes_of_call)).get();
        one->arguments = (arguments = kept(work.arguments, work.bytes_of_arguments)).get();
    }
    ask(config.stream, kernel, std::move(memory), [one, call, arguments] {
        if (!report().has_fault()) run(*one);
    });
}

}  // namespace emulator

namespace [[gnu::visibility("hidden")]] emulator {
// When the library is closed.
__attribute__((destructor, used)) static void unload() {
    Runtime& all = runtime();
    if (!all.at_work.empty() || !all.mutex.try_lock()) return;  // the process ends while a kernel runs
    for (Worker* w : all.idle) delete w;
    all.idle.clear();
    all.mutex.unlock();
}
}  // namespace emulator

// 0: threads and blocks in order. 1: in reverse. 2: shuffled. 3: in reverse, the blocks by columns of the grid. A right kernel does not care; a race may show.
EMULATOR_EXPORT void emulator_set_schedule(int mode, unsigned seed) {
    emulator::runtime().mode = mode;
    emulator::runtime().seed = seed;
}
// Whether the inaccessible page beside each shared array lies before it: a step outside there is then a fault.
EMULATOR_EXPORT void emulator_set_shared_front(int front) { emulator::runtime().shared_front = front != 0; }
// With which byte shared memory is filled for each block.
EMULATOR_EXPORT void emulator_set_shared_byte(int byte) { emulator::runtime().shared_byte = static_cast<unsigned char>(byte); }
// Whether x and y of each grid change places.
EMULATOR_EXPORT void emulator_set_grid_turned(int turned) { emulator::runtime().grid_turned = turned != 0; }
// The seconds after which a kernel counts as endless, and the number of OS threads; both return the value before.
// 0, as at the start: the environment decides.
EMULATOR_EXPORT double emulator_set_timeout(double seconds) { return std::exchange(emulator::runtime().timeout, seconds); }
EMULATOR_EXPORT int64_t emulator_take_blocks_abreast() { return emulator::blocks_abreast.exchange(0); }
// Its grid and its block in x, y and z; all 0 if there was none.
EMULATOR_EXPORT void emulator_take_largest_launch(int64_t (*its)[6]) {
    const emulator::LaunchSize size = std::exchange(emulator::largest_launch(), {});
    const dim3 &g = size.grid, &b = size.block;
    const unsigned sides[] = {g.x, g.y, g.z, b.x, b.y, b.z};
    std::copy(std::begin(sides), std::end(sides), *its);
}
EMULATOR_EXPORT int emulator_set_workers(int count) { return std::exchange(emulator::runtime().workers, count); }
// What launchers are told of the device from now on.
EMULATOR_EXPORT void emulator_set_card(const emulator::Card* facts) { emulator::card() = *facts; }
// Gives back the memory that idle workers keep for the next launch.
EMULATOR_EXPORT void emulator_trim() {
    emulator::Runtime& all = emulator::runtime();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (emulator::Worker* w : all.idle) w->drop_fibers(0);
}
EMULATOR_EXPORT void* emulator_last_stream() { return emulator::default_stream_is_busy() ? nullptr : emulator::last_stream(); }

// What -fsanitize=alignment calls: every access is checked, as a GPU does.
namespace [[gnu::visibility("hidden")]] emulator {
struct SourceLocation {
    const char* file;
    uint32_t line, column;
};
struct TypeDescriptor {
    uint16_t kind, info;
    char name[1];
};
struct TypeMismatch {
    SourceLocation where;
    const TypeDescriptor* type;
    unsigned char log_alignment, access;
};
struct AlignmentAssumption {
    SourceLocation where, assumption;
    const TypeDescriptor* type;
};
struct Shift {
    SourceLocation where;
    const TypeDescriptor *left, *right;
};
}  // namespace emulator
extern "C" __attribute__((visibility("hidden"), noreturn, used, noinline)) inline void
__ubsan_handle_type_mismatch_v1_abort(void* data, void* address) {
    static const char* const accesses[] = {"read of", "write to", "reference to", "use of", "use of", "use of"};
    const auto& what = *static_cast<const emulator::TypeMismatch*>(data);
    const auto kind = what.access == 0   ? emulator::Access::read
                      : what.access == 1 ? emulator::Access::write
                                         : emulator::Access::unknown;
    char place[32];
    snprintf(place, sizeof place, "%p", address);
    emulator::fault({716, emulator::Rule::misaligned, kind, address, place},
                    "a misaligned %s %s as %s (line %u): the address must be a multiple of %u bytes",
                    accesses[what.access < 6 ? what.access : 5], place, what.type->name, what.where.line,
                    1u << what.log_alignment);
}

// What clang's -fsanitize=alignment calls where __builtin_assume_aligned was told what is not so.
extern "C" __attribute__((visibility("hidden"), noreturn, used, noinline)) inline void
__ubsan_handle_alignment_assumption_abort(void* data, void* address, uintptr_t alignment, uintptr_t) {
    const auto& what = *static_cast<const emulator::AlignmentAssumption*>(data);
    char place[32];
    snprintf(place, sizeof place, "%p", address);
    emulator::fault({716, emulator::Rule::misaligned, emulator::Access::unknown, address, place},
                    "%s is assumed to be aligned to %llu bytes (line %u), and is not", place,
                    static_cast<unsigned long long>(alignment), what.where.line);
    __builtin_trap();
}

// What -fsanitize=shift-exponent calls. A GPU makes 0 (or the sign) of a shift by all bits and more, as PTX says, x86 takes
// the amount modulo the bits, and C++ leaves it open.
extern "C" __attribute__((visibility("hidden"), noreturn, used, noinline)) inline void
__ubsan_handle_shift_out_of_bounds_abort(void* data, void*, void* amount) {
    const auto& what = *static_cast<const emulator::Shift*>(data);
    const int unused = 64 - (1 << (what.right->info >> 1));  // bits of the handle
    auto by = static_cast<long long>(reinterpret_cast<uintptr_t>(amount));
    if (what.right->info & 1 && unused > 0) by = static_cast<long long>(static_cast<uint64_t>(by) << unused) >> unused;
    emulator::fault({719, emulator::Rule::arithmetic},
                    "a shift by %lld of a number of %d bits (line %u): C++ leaves the result open, and a CPU's differs from a "
                    "GPU's. Test for that amount first",
                    by, 1 << (what.left->info >> 1), what.where.line);
    __builtin_trap();
}

// What -fsanitize=integer-divide-by-zero calls: on AArch64, whose division by zero gives 0 without a trap.
extern "C" __attribute__((visibility("hidden"), noreturn, used, noinline)) inline void
__ubsan_handle_divrem_overflow_abort(void*, void*, void*) {
    emulator::fault({719, emulator::Rule::arithmetic}, "%s", emulator::kDivisionByZero);
    __builtin_trap();
}
