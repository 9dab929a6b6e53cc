// How a launch runs: workers (OS threads) take blocks, and a worker runs a block's threads one after another on
// one fiber. Only a thread that must wait, at a barrier or for its warp, keeps that fiber; the rest go on with another.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#ifndef EMULATOR_RUNTIME_APART
#include <map>
#include <mutex>
#include <string>
#include <thread>
#endif

#include "emulator_abreast.h"
#include "emulator_card.h"
#include "emulator_error.h"
#include "emulator_fiber.h"
#include "emulator_trace.h"
#include "emulator_types.h"

namespace [[gnu::visibility("hidden")]] emulator {

constexpr int kWarp = 32;
constexpr int kMaxThreads = 1024;
constexpr int kMaxWarps = kMaxThreads / kWarp;
constexpr size_t kMaxShared = 227 << 10, kDefaultShared = 48 << 10;
constexpr size_t kBesideShared = 256;  // bytes beside a static shared array that are looked at when its block ends
constexpr size_t kSharedGuard = 1 << 20;  // inaccessible, before and behind each shared array: far steps fault, too
constexpr size_t kMostKept = 1024;        // bytes that a thread keeps at a barrier that it leaves its call at
constexpr unsigned char kPoison = 0xff;  // NaN as a float or half, -1 as an integer
constexpr int kNone = -1;

enum class Wait : uint8_t {
    barrier,
    warp,
    turn,  // it asks again, when it is its turn
};
// clang-format off
enum class Op : uint8_t {
    sync, sync_count, sync_and, sync_or,                                    // of a block
    syncwarp, shuffle, all, any, uniform, ballot, match_any, match_all,     // of a warp
    add_signed, add, min_signed, min, max_signed, max, bit_and, bit_or, bit_xor, active,
    together,                                                               // see emulator_together.h
};
// clang-format on

// What lanes hand in that come to a loop of shuffles: `run` runs it for all of them, or says that it cannot.
struct Together {
    static constexpr int kMost = 8;
    bool (*run)(const Together* const* lanes, unsigned there);
    const void* loop;
    void* variables[kMost];  // of the thread
};

// What a waiting thread has handed in, and what it gets back. `wait` is what it waited for last.
struct alignas(64) Ticket {
    uint64_t value, result;
    void* place;  // in its code, see Switch
    Fiber* fiber;
    uint3 index;
    unsigned mask;
    int line, source;
    Wait wait;
    Op op;

    bool meets(const Ticket& other) const { return op == other.op && mask == other.mask; }
};

// Threads that may go on: lanes of one warp.
struct Ready {
    uint32_t warp = 0, lanes = 0;
};

struct Warp {
    uint32_t ended = 0, waiting = 0;  // lanes; those that the block does not have have ended
    uint32_t left = 0, again = 0;     // lanes whose call has ended at a barrier; those to be called once more, in this round
    uint32_t early = 0;               // lanes that have returned before a barrier: it does not wait for them
    int asked = 0;                    // one of those that wait
    bool mixed = false;               // some wait for another operation, or with another mask
};

// The calls of the lanes of one warp, of which some have ended at a loop of shuffles. Lanes, as bits.
struct OfWarp {
    uint32_t to_call = 0;      // not called yet, this time
    uint32_t at_loop = 0;      // wait at a loop,
    uint32_t mask = 0;         // which names these,
    int place = 0;             // and is there
    uint32_t behind_loop = 0;  // their loop was run; they are to be called again
    uint32_t done = 0;         // have ended like those before them; `settle` was not asked for them
    bool open = false;         // some lane has ended at a loop since all others had been called in order
    bool once_more = false;    // all lanes have been called before
};

// One launch, shared by its workers.
struct Worker;
// What the last thread of a block that can go on had in registers at the timer's ticks, at each of a few places.
struct Standstill {
    int thread = -1;
    uint64_t epoch = 0;
    int places = 0;
    volatile int samples = 0;  // since anything else was seen
    Registers seen[8];
};
using RunAlone = void (*)(Worker& w);

struct Launch {
    const char *kernel, *instance;
    dim3 grid, block;
    size_t shared_bytes;
    size_t shared_limit;
    void (*loop)(void*);
    const void* call;
    const void* arguments;
    int threads;
    int64_t blocks;
    int64_t chunk = 1;
    int mode = 0;
    unsigned seed = 0;
    int64_t step = 1, offset = 0;  // the order of the blocks: (b * step + offset) % blocks
    double seconds = 60;
    bool by_columns = false;       // the next block is below the last one, not beside it
    bool cooperative = false;      // its blocks may wait for each other
    RunAlone alone = nullptr;      // runs a block of a kernel whose threads ask for nothing: Worker::current is not kept
    const Rows* abreast = nullptr;  // its kernel's second form
    bool shared_front = false;     // the inaccessible page beside shared memory lies before it, not behind it
    unsigned char shared_byte = kPoison;  // what a block finds in shared memory
    std::atomic<int64_t> next{0};
    std::atomic<int64_t> at_grid_barrier{0};
    std::atomic<int> meetings{0};  // how often a thread waits before an exchange
    bool several = false;          // it has more than one worker
    bool far = false;              // a tensor's bytes are more than an int counts
    std::atomic<int> parted{0};    // blocks that began by phases and went on as the kernel is written
    std::atomic<bool> stop{false};
};

// How nvcc aligns an array for what it is read as (PTX, .align): at most for the widest vector that fits into it.
constexpr size_t vector_alignment(size_t bytes) {
    return bytes >= 16 ? 16 : bytes >= 8 ? 8
                          : bytes >= 4   ? 4
                          : bytes >= 2   ? 2
                                         : 1;
}

struct SharedSite {
    const char* name;
    size_t bytes;
    const char* type;  // ends in "[with T = float [32][33]]", or the like
    size_t used;       // bytes of the array itself
    size_t element;    // bytes
};
inline std::vector<SharedSite>& shared_sites() {
    static auto* sites = new std::vector<SharedSite>;  // `unload` needs them when static objects are gone
    return *sites;
}

// One worker's memory for one array: at one end of its mapping, beside an inaccessible page.
struct SharedSlot {
    char *mapping = nullptr, *memory = nullptr;
    uint64_t epoch = 0;
    bool closed = false;  // to all: its kernel has ended, and another runs

    void place(size_t bytes, bool front) {
        if (!mapping) mapping = map_guarded(bytes, kSharedGuard);
        memory = front ? mapping : mapping + whole_pages(bytes) - bytes;
    }
    char* first_beside() const { return mapping + std::max(memory - mapping - static_cast<ptrdiff_t>(kBesideShared), ptrdiff_t{0}); }
    char* last_beside(size_t bytes) const {
        return std::min(memory + bytes + kBesideShared, mapping + whole_pages(bytes));
    }
};

// Where a shared array of the block lies, for those that ask again.
constexpr unsigned kPlaces = 16;
struct SharedPlace {
    uint64_t epoch = 0;
    char* memory = nullptr;
    int index = -1;
};

// The last index that a thread had outside of the bounds of an array that may be shared: its line, for a fault's words.
struct LastIndex {
    int thread = kNone;
    uint64_t epoch = 0;
    long long index = 0;
    const char* type = "";
    unsigned line = 0;
};

struct Worker {
    Launch* launch = nullptr;
    void* scheduler = nullptr;   // its place in run_block
    Fiber* running = nullptr;
    std::vector<Fiber*> fibers, idle;
    uint64_t launches = 0;       // the number of launches that this worker has begun
    int threads = 0, started = 0, current = 0;
    int first = kNone;           // of the threads that the running fiber has run through and `settle` was not asked for
    int finished = 0;            // those of the others that have ended
    std::atomic<bool> in_thread{false};  // in a thread's own code, where it may be interrupted and parked
    bool ran_through = false;    // those Calls that end now have not waited
    int calls_first = kNone;    // then: the `first`
    uint3* index = nullptr;      // threadIdx
    unsigned atomics = 0;
    uint64_t epoch = 0;          // the number of blocks that this worker has begun
    Warp warps[kMaxWarps];
    int at_barrier = 0;          // threads that wait there
    uint64_t votes = 0, vote = 0;  // of those: true ones; at the barrier that has opened last
    int voters = 0;                // who came to that one
    uint16_t order[kMaxThreads];
    bool flat = false, backward = false;  // the block has one dimension; the highest lane of a warp goes on first
    Ready ready;                 // these run now, then those of the queue
    Ready queue[kMaxThreads];
    unsigned queue_first = 0, queue_count = 0;
    bool left = false;           // the call of the current thread ends at a barrier, not with the thread
    bool first_left = false;     // those from the `first` on have
    int left_threads = 0;        // of those at the barrier
    unsigned round = 0;          // barriers behind which threads were called again, in this block
    bool all_again = false;      // in this round all threads are called
    int begun = 0;               // in the first round: those before it have been called before
    OfWarp of_warp;              // the calls of the current warp, see emulator_leave.h
    char* store = nullptr;       // what such threads keep from one call to the next, see emulator_resume.h
    size_t store_bytes = 0;       // of a thread
    bool together = false;       // one thread runs a loop for its warp
    bool yielded = false;        // a thread waits in a loop: start the others first
    Ticket tickets[kMaxThreads];
    std::vector<SharedSlot> slots;
    const char *last_kernel = "", *last_instance = "";  // of the last launch
    SharedPlace places[kPlaces];
    LastIndex last_index;
    size_t static_bytes = 0;     // static shared memory that this block has asked for
    char* dynamic = nullptr;     // the mapping in which the block's dynamic shared memory lies
    size_t dynamic_element = 0;  // its elements' bytes; 0: not known yet, 1: of several types
    sigjmp_buf escape;
    sigjmp_buf retry;                    // of a block that runs abreast: it is run again as the kernel is written
    std::atomic<bool> abreast{false};
    bool retried = false;                // after a fault, of which this is what could be said:
    Cause retried_cause{};
    char retried_words[400];
    std::atomic<bool> in_kernel{false};
    std::atomic<int64_t> waits{0};       // how often a thread has waited
    int vain = 0;                        // how often in a row at a barrier that did not open, and nothing else was done;
    int64_t vain_waits = 0;              // what `waits` is then
    std::atomic<int> busy{0};    // inside the emulator's own code, holding a lock: not to be interrupted
    std::atomic<bool> missed_tick{false};  // the watchdog came meanwhile
    timespec began{}, began_working{};  // on the wall, and by this OS thread's CPU time
    Ticker* ticker = nullptr;    // while a launch runs
    int seen_thread = -1;        // what ran at the timer's last tick
    uint64_t seen_epoch = 0;
    int64_t seen_waits = 0;
    Standstill standstill;
    pthread_t os_thread{};
    bool kept = false;           // for this OS thread, whose names of shared arrays are bound to `slots`
    char* signal_stack = nullptr;

    char* shared_end() const { return dynamic + whole_pages(kMaxShared); }
    size_t shared_room() const { return (launch->shared_bytes + 15) / 16 * 16; }
    void fill_dynamic_shared() const {
        if (launch->shared_bytes) memset(shared_begin(), launch->shared_byte, shared_room());
    }
    char* shared_begin() const { return launch->shared_front ? dynamic : shared_end() - shared_room(); }
    EMULATOR_UNCHECKED unsigned existing(int warp) const {
        const int left = threads - warp * kWarp;
        return left >= kWarp ? ~0u : (1u << left) - 1;
    }
    bool has_ended(int t) const { return warps[t / kWarp].ended >> (t % kWarp) & 1; }
    // Whether the current thread is not the last one of its block.
    bool has_others() const {
        if (of_warp.open) return true;
        const int more = first == kNone || first_left ? 0 : started - 1 - first;
        return finished + more < threads - 1;
    }
    void note_dynamic(size_t element) {
        dynamic_element = dynamic_element == 0 || dynamic_element == element ? element : 1;
    }
    void push(int warp, unsigned lanes) {
        queue[(queue_first + queue_count++) % kMaxThreads] = {static_cast<uint32_t>(warp), lanes};
    }
    Ticket* lanes(int warp) { return tickets + warp * kWarp; }

    ~Worker();
    void run_block(int64_t index);
    void check_shared_ends();
    void close_shared(const Launch& next);
    bool add_fiber();
    void drop_fibers(size_t kept);
    void resolve();
    void* next();
    void* other_fiber();
    Switch park();
    void note_end(int warp, unsigned lanes, int count, bool at_its_end);
    void settle(int until);
    void note_until(int until);
    void part();
    int end_call();
    int begin_calls();
    int next_again(int k);
    int line_of_left(int t) const {
        return *reinterpret_cast<const int*>(store + static_cast<size_t>(t) * store_bytes) / 16;
    }
    bool pass_barrier();
    bool finish_warp_groups();
    unsigned group_of(int warp, const Ticket& mine);
    unsigned mixed_group(int warp, const Ticket& mine, unsigned group);
    void complete(int warp, unsigned lanes);
    bool run_together(int warp, unsigned lanes);
    bool release_together();
    [[noreturn]] void shuffle_fault(int warp, int lane);
    void release(int warp, unsigned group, unsigned others);
    Switch stay(int warp, unsigned group, unsigned others);
    void open_barrier();
    void keep(size_t bytes);
    bool is_left(int t) const { return warps[t / kWarp].left >> t % kWarp & 1; }
    bool waits_for_block(int t) const { return is_left(t) || (!has_ended(t) && tickets[t].wait == Wait::barrier); }
    int line_of_barrier(int t) const { return is_left(t) ? line_of_left(t) : tickets[t].line; }
    [[noreturn]] void deadlock();
    bool is_shared(const volatile void* address) const;
    [[noreturn]] void never_opens(int line);
};

EMULATOR_OF_THREAD Worker* self = nullptr;
// The same, for what a kernel calls.
__attribute__((const, noinline)) Worker* worker() noexcept;  // (see thread_index)

// Ends the launch: the first fault's text is kept. Called on a fiber, in a signal handler, or by the scheduler.
[[noreturn]] void fault(const Cause& cause, const char* format, ...) __attribute__((format(printf, 2, 3), noinline));
// Waits for the lanes of the mask, or the threads of the block, that come with the same operation; returns its result.
uint64_t warp_operation(Worker* w, Op op, unsigned mask, uint64_t value, int source, int line);
uint64_t block_operation(Worker* w, Op op, uint64_t value, int line);
// Their parts before the wait: where it goes on.
Switch wait_for_warp(Worker* of, Op op, unsigned mask, uint64_t value, int source, int line);
Switch wait_for_block(Worker* of, uint64_t value, int line);
// Waits for all threads of all blocks of a cooperative launch.
void grid_barrier(int line);
// Lets the block's other threads run: for a thread that waits for one of them in a loop.
void yield();
// The same for a thread at a barrier in memory, or a named one (null), that has not opened yet; and that it has.
void yield_at(const volatile void* barrier, int line);
EMULATOR_UNTRACED inline void has_opened() {
    if (self) self->vain = 0;
}
// In a handler: a C++ exception has left the kernel.
[[noreturn]] void kernel_threw();
// Ends a launch with more threads than the kernel's __launch_bounds__.
void too_many_threads(int64_t most);

EMULATOR_UNCHECKED inline uint3 position(int t, const dim3& size) {
    const unsigned i = static_cast<unsigned>(t);
    if (size.y == 1 && size.z == 1) return {i, 0, 0};
    return {i % size.x, i / size.x % size.y, i / size.x / size.y};
}

// ---- waiting ----------------------------------------------------------------------------------------------

EMULATOR_WAITING uint64_t warp_operation(Worker* w, Op op, unsigned mask, uint64_t value, int source, int line) {
    emulator_trace_wait(mask, __builtin_return_address(0));
    const Switch way = wait_for_warp(w, op, mask, value, source, line);
    way.make();
    w = worker();
    emulator_trace_thread(w->current, w->running->top());
    const uint64_t result = w->tickets[w->current].result;
    w->in_thread.store(true, std::memory_order_relaxed);
    return result;
}

EMULATOR_WAITING uint64_t block_operation(Worker* w, Op op, uint64_t value, int line) {
    emulator_trace_wait(0, __builtin_return_address(0));
    const Switch way = wait_for_block(w, value, line);
    way.make();
    w = worker();
    emulator_trace_thread(w->current, w->running->top());
    const uint64_t vote = w->vote;
    const auto voters = static_cast<uint64_t>(w->voters);
    w->in_thread.store(true, std::memory_order_relaxed);
    return op == Op::sync_count ? vote : op == Op::sync_and ? vote == voters
                                                            : vote != 0;
}

// ---- a kernel's threads, one after another ---------------------------------------------------------------

// The arguments of a kernel. std::tuple would be checked at each access; a call that is handed on from one argument to
// the next would be compiled once for each.
template <size_t kPlace, typename T>
struct Argument {
    T value;
};
constexpr size_t kParameterBytes = 32764;  // since CUDA 12.1
template <typename Places, typename... A>
struct ArgumentsAt;
template <size_t... kPlaces, typename... A>
struct ArgumentsAt<std::index_sequence<kPlaces...>, A...> : Argument<kPlaces, A>... {
    static_assert(((std::is_trivially_copyable_v<A> ? sizeof(A) : 0) + ... + 0) <= kParameterBytes,
                  "too many bytes of kernel parameters; there are 32,764");
    template <typename... Given>
    explicit ArgumentsAt(Given&&... given) : Argument<kPlaces, A>{std::forward<Given>(given)}... {}
    template <typename Call, typename... First>
    EMULATOR_INLINED auto give(const Call& call, const First&... first) const {
        return call(first..., this->Argument<kPlaces, A>::value...);
    }
    template <typename Config>
    bool can_be_taken(const Config& config, const char* kernel) {
        return (can_take(config, kernel, int{kPlaces} + 1, this->Argument<kPlaces, A>::value) && ...);
    }
};
template <typename... A>
using Arguments = ArgumentsAt<std::index_sequence_for<A...>, A...>;

// {x, y} among a kernel's arguments: the parameter tells what it makes.
template <typename... A>
struct Braced {
    std::tuple<A...> of;
    template <typename T>
    operator T() const {
        return std::apply([](const auto&... one) { return T{one...}; }, of);
    }
};
// An object with a destructor stays where it is: a launch makes no copy of it either.
template <typename A>
using InBraces = std::conditional_t<std::is_trivially_destructible_v<std::decay_t<A>>, std::decay_t<A>, const std::decay_t<A>&>;
template <typename... A>
Braced<InBraces<A>...> braced(A&&... given) { return {{std::forward<A>(given)...}}; }
// A launch's argument 0 or NULL: null for a pointer, else the number.
struct Zero {
    template <typename T, typename = std::enable_if_t<std::is_pointer_v<T> || std::is_convertible_v<int, T>>>
    operator T() const {
        if constexpr (std::is_pointer_v<T>)
            return nullptr;
        else
            return 0;
    }
};

// The running fiber has no thread left. If all have left at a barrier, it opens. Else the fiber lies idle until a block has threads for it, also one of those to come.
Switch lay_idle(Worker& w);
EMULATOR_INLINED inline void rest(Worker& w) { lay_idle(w).make(); }

// Runs on a fiber, as long as the launch takes: the threads of a block that have not been started yet. `call` runs one
// thread. One that waits keeps the fiber, and another goes on with those behind it. One whose call is left at a barrier
// keeps none; when the barrier opens, it is called again.
template <typename Call>
EMULATOR_INLINED inline void run_threads(Worker& w, const Call& call) {
    uint3* const index = thread_index();
    asm("" ::"r"(block_index()), "r"(block_size()), "r"(grid_size()), "r"(worker()));  // the loop need not ask again
    const dim3 size = w.launch->block;
    const int threads = w.threads;
    const bool forward = w.launch->mode == 0;
    const auto number = [&](int k) EMULATOR_INLINED { return forward ? k : w.order[k]; };
    for (int k = w.begin_calls();;) {
        if (k < threads) *index = position(number(k), size);
        for (unsigned x = index->x; k < threads;) {  // without a call, which would cost it registers
            w.started = k + 1;
            w.current = number(k);
            w.running->begun = w.begun;
            w.in_thread.store(true, std::memory_order_release);  // from here on it may be parked
            emulator_trace_thread(w.current, w.running->top());
            call();
            emulator_trace_thread_end();
            w.in_thread.store(false, std::memory_order_relaxed);
            if (__builtin_expect(w.first == kNone, 0)) break;  // it has waited, and others went on; or it is one of Calls
            if (++k < threads && forward && ++x < size.x) {
                index->x = x;
                continue;
            }
            if (k < threads) *index = position(number(k), size);
            x = index->x;
        }
        if (w.first == kNone) {
            k = w.end_call();
        } else {
            rest(w);
            k = w.begin_calls();
        }
    }
}

void unblock_signals();
// Of a block with a fault that was not met when it was run again.
[[noreturn]] void end_retried(Worker& w);

// The same for one block of a kernel whose threads ask the emulator for nothing: they need no notes of which one runs but
// threadIdx, for a fault's words, and none is parked, as none waits for another. A function of its own, and its
// arguments are its own, so that all but threadIdx.x stays in registers.
template <typename Call, typename... A>
__attribute__((noinline, no_sanitize("alignment", "bounds"))) void run_alone(Worker& w) {
    const Call call = *static_cast<const Call*>(w.launch->call);
    const Arguments<A...> arguments = *static_cast<const Arguments<A...>*>(w.launch->arguments);
    uint3* const index = thread_index();
    asm("" ::"r"(fixed(Fixed::block_x)), "r"(fixed(Fixed::size_x)), "r"(fixed(Fixed::grid_x)));  // the loop need not ask
    const dim3 size = w.launch->block;
    const int threads = w.threads;
    const bool forward = w.launch->mode == 0;
    for (int k = w.begin_calls(); k < threads;) {
        *index = position(forward ? k : w.order[k], size);
        const unsigned first = index->x, end = forward ? size.x : first + 1;
        for (unsigned x = first; x < end; ++x) {
            index->x = x;
            asm volatile("" ::"m"(index->x));  // is in memory when a thread faults
            arguments.give(call);
        }
        k += static_cast<int>(end - first);
    }
    if (__builtin_expect(w.retried, 0)) end_retried(w);
    w.started = threads;
}

// Runs a launch's threads on a fiber, block by block. `enter_alone` is that of all kernels with a `run_alone`.
void enter_alone(void* worker);
template <typename Call, typename... A>
EMULATOR_UNCHECKED void enter(void* worker) {
    Worker& w = *static_cast<Worker*>(worker);
    try {
        const Call call = *static_cast<const Call*>(w.launch->call);
        const Arguments<A...> arguments = *static_cast<const Arguments<A...>*>(w.launch->arguments);
        run_threads(w, [&]() EMULATOR_INLINED { arguments.give(call); });
    } catch (...) {
        kernel_threw();
    }
}

// While it lives, the worker's OS thread is not to be interrupted.
struct Busy {
    Worker& w;
    explicit Busy(Worker& w) : w(w) { ++w.busy; }
    Busy(const Busy&) = delete;
    ~Busy() { --w.busy; }
};

// While it lives, the running thread is not parked, so what it reads, changes and writes is one step for the others.
struct OneStep {
    Worker& w;
    const bool before;
    OneStep() : w(*self), before(w.in_thread.load(std::memory_order_relaxed)) {
        w.in_thread.store(false, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    OneStep(const OneStep&) = delete;
    ~OneStep() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        w.in_thread.store(before, std::memory_order_relaxed);
    }
};

// The one that runs this OS thread's launches.
Worker& worker_of_thread();

// Of a static shared array; index: of its site, -1 before the first call. Not in the arrays' own class: the compiler would
// make them for each array.
SharedSlot& shared_slot(Worker& w, int& index, const SharedSite& site);
// Whether it was not filled for this block yet. bound: its place must stay.
bool fill_shared(Worker& w, int& index, const SharedSite& site, bool bound);
void begin_shared(Worker& w, int& index, const SharedSite& site, size_t counted);

// Called with each block's dynamic shared memory, for `__shared__` arrays outside of functions.
struct FileScopeShared {
    void (*set)(void*);
    FileScopeShared* next;
    static inline FileScopeShared* first = nullptr;
    static inline bool arrays = false;  // one of them has a length: its name stays bound while an OS thread lives
    explicit FileScopeShared(void (*set)(void*), bool array = false) : set(set), next(first) {
        first = this;
        arrays = arrays || array;
    }
};

#ifndef EMULATOR_RUNTIME_APART
struct Runtime {
    std::mutex mutex;                                // of everything below
    std::vector<Worker*> idle;                       // workers are kept: their stacks stay mapped
    std::vector<Worker*> at_work;
    std::map<std::string, size_t> shared_limit;      // by kernel, or instance of it, as cudaFuncSetAttribute set it
    int handlers = 0;                                // how many launches need the signal handlers now
    struct sigaction before[6]{};
    int mode = 0;
    unsigned seed = 0;
    double timeout = 0;                              // seconds; 0: ELEMENTWISE_KERNEL_TIMEOUT, else 60
    bool shared_front = false;                       // of the launches to come
    unsigned char shared_byte = kPoison;             // likewise
    bool grid_turned = false;                        // x and y of each grid change places
    int workers = 0;                                 // 0: OMP_NUM_THREADS, else the CPUs of this process, at most 16
};
inline Runtime& runtime() {
    static Runtime* one = new Runtime;
    return *one;
}
#endif

// The translator puts this before a kernel's returns that have a barrier behind them.
EMULATOR_UNTRACED inline void return_early() {
    Worker& w = *self;
    w.warps[w.current / kWarp].early |= 1u << w.current % kWarp;
}

// Whether a kernel's thread runs: there cudaMalloc and cudaFree are malloc and free.
inline bool is_in_thread() { return self && self->in_kernel && self->in_thread; }

// Translate.py writes `new (::emulator::ByLearner()) T` for a learner's `new T`: in a kernel it is of the kernels' heap, which
// may be full. The emulator's own objects are never there.
struct ByLearner {};
void* new_object(size_t bytes);  // emulator_heap.h

// What a device function with PTX's `exit` throws; the kernel catches it.
struct Exit {};

// A kernel's __launch_bounds__, for the call that comes next: translate.py writes this before one that takes a kernel which
// begins with `check_launch_bounds`, and which does no more here.
constexpr int kMostThreadsOfBlock = 1024;
inline int& asked_bound() {
    static thread_local int most = kMostThreadsOfBlock;
    return most;
}
inline int take_bound() { return std::exchange(asked_bound(), kMostThreadsOfBlock); }
int bound_of(void (*run)(void*), void* kernel);  // emulator_launch.h
template <typename T>
inline void ask_bound(const T&) {}
template <typename... P>
inline void ask_bound(void (*kernel)(P...)) {
    if constexpr ((std::is_trivially_copyable_v<P> && ...)) {
        asked_bound() = bound_of(
            [](void* at) {
                std::tuple<std::aligned_storage_t<sizeof(P), alignof(P)>...> none{};
                const auto run = *static_cast<void (**)(P...)>(at);
                std::apply([run](auto&... each) { run(reinterpret_cast<P&>(each)...); }, none);
            },
            &kernel);
    }
}

// Translate.py puts this at the start of a kernel with __launch_bounds__(most).
EMULATOR_UNTRACED inline void check_launch_bounds(int64_t most) {
    if (__builtin_expect(self->launch->threads > most, 0)) too_many_threads(most);
}

struct Config {
    dim3 grid, block;
    int64_t shared_bytes;
    void* stream;
    bool cooperative = false;
    const char* instance = "";  // the template's arguments, as the launch says them: <T,256>
    template <typename Stream = void*>
    Config(dim3 grid, dim3 block = 1, int64_t shared_bytes = 0, Stream&& stream = nullptr)
        : grid(grid), block(block), shared_bytes(shared_bytes), stream((void*)(stream)) {}
    Config& of(const char* arguments) { return instance = arguments, *this; }
};

inline void*& last_stream() {
    static void* stream = nullptr;
    return stream;
}
// Whether the present launcher has asked the default stream for a launch, a copy or the like, and has not waited for it.
inline bool& default_stream_is_busy() {
    static bool busy = false;
    return busy;
}

// What to run, and on what.
struct Work {
    const void *call, *arguments;
    void (*loop)(void*);
    RunAlone alone;
    const Rows* abreast;
    size_t bytes_of_call, bytes_of_arguments;  // 0: they cannot be kept
};
void launch(const char* kernel, const Config& config, const Work& work);

void note_symbol(const volatile void* at, size_t bytes);  // of which cudaGetSymbolAddress has told the GPU's address
// Whether a GPU can access what a kernel is given as an argument: not an array or a variable of the launcher's own, which is
// then noted as its mistake. Managed and pinned memory is the kernel's until the host waits.
bool is_accessible(const Config& config, const char* kernel, int place, const volatile void* at, bool read_only);
// The same of a word of a struct, which the kernel may have no use for: it gets an address that faults.
const void* as_seen_by_kernel(const Config& config, const char* kernel, int place, const void* word);
// Behind a copy: pointers of the host that have come into memory of the GPU fault when a kernel follows them
// (emulator_host_words.h).
void note_copied(void* to, const void* from, size_t bytes);
void note_copied_to_gpu(void* to, size_t bytes);
void note_copied_from_gpu(void* to, size_t bytes);
struct ManagedWords {  // the same while a kernel runs
    std::vector<std::pair<char*, size_t>> exchanged;
    ManagedWords();
    ManagedWords(const ManagedWords&) = delete;
    ~ManagedWords();
};
// The address of a __device__ function as host code has it: of the host's own stand-in for it, which no kernel can call.
void (*address_of_host(void (*function)()))();
template <typename R, typename... P>
inline auto of_host(R (*function)(P...)) {
    return reinterpret_cast<R (*)(P...)>(address_of_host(reinterpret_cast<void (*)()>(function)));
}
template <typename T>
inline T&& of_host(T&& other) { return static_cast<T&&>(other); }
const void* table_of_host();  // what stands for that of virtual functions in a copy on the GPU; null if there is no room
bool lend_from(const char* at, const void* stream, bool is_written);  // whether it was such memory
void settle_lent();  // when the kernel has run
void lend_to(const void* from, const void* to);  // streams
bool has_lent_for_launch();
void note_wait();
void note_wait(const void* stream);
void note_host_function(const void* stream, const void* of_graph);  // the stream in which it is called, and its graph's
void note_event_wait(uint64_t step);
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define EMULATOR_CLEARS_PADDING
#endif
#endif
#ifdef EMULATOR_CLEARS_PADDING
template <typename T>
constexpr bool kMembersTold = true;
template <typename T>
void clear_padding(T* value) {
    __builtin_clear_padding(value);
}
#else
template <typename T>
constexpr bool kMembersTold = std::has_unique_object_representations_v<T>;  // it has no padding
inline void clear_padding(const void*) {}
#endif
// Of an argument's copy, which is a reference where that cannot be copied as bytes.
template <typename T>
inline bool can_take(const Config& config, const char* kernel, int place, T& value) {
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
        return is_accessible(config, kernel, place, value, std::is_const_v<std::remove_pointer_t<T>>);
    } else if constexpr (std::is_class_v<T> && !std::is_const_v<T> && alignof(T) >= alignof(void*)) {
        if constexpr (kMembersTold<T>) {
            alignas(T) unsigned char members[sizeof(T)];
            memcpy(members, static_cast<const void*>(&value), sizeof members);
            clear_padding(reinterpret_cast<T*>(members));
            for (size_t at = 0; at < sizeof members; at += sizeof(void*)) {
                const void* word;
                memcpy(&word, members + at, sizeof word);
                const void* const seen = as_seen_by_kernel(config, kernel, place, word);
                if (seen != word) memcpy(reinterpret_cast<char*>(&value) + at, &seen, sizeof seen);
            }
        }
    }
    return true;
}

// What a launch keeps of an argument: a copy, or where an object is that may do something else when it is copied.
template <typename A, typename T = std::decay_t<A>>
using Kept = std::conditional_t<std::is_class_v<T> && !std::is_trivially_copyable_v<T>, const T&, T>;

template <bool kAlone, unsigned kPlace, typename Call>
struct Launcher {
    const char* kernel;
    Call call;
    Config config;

    template <typename... A>
    EMULATOR_UNCHECKED void operator()(A&&... given) const {
        Arguments<Kept<A>...> arguments(std::forward<A>(given)...);
        if (!arguments.can_be_taken(config, kernel)) return;
        constexpr bool kCopied = std::is_trivially_copyable_v<Call> && (!std::is_reference_v<Kept<A>> && ...);
        constexpr size_t kBytes = kCopied ? sizeof arguments : 0;
        if constexpr (kAlone) {
            const Rows* const second = second_form<kPlace, Call, Kept<A>...>(given...);
            launch(kernel, config, {&call, &arguments, enter_alone, run_alone<Call, Kept<A>...>, second, sizeof call, kBytes});
        } else {
            launch(kernel, config, {&call, &arguments, enter<Call, Kept<A>...>, nullptr, nullptr, sizeof call, kBytes});
        }
    }
};

// name<<<grid, block, shared, stream>>>(arguments) becomes on("name", a call of name, {grid, ...})(arguments).
template <typename Call>
Launcher<false, 0, Call> on(const char* kernel, Call call, Config config) {
    return {kernel, call, config};
}
// The same for a kernel that calls nothing of the emulator's but arithmetic; kPlace: of the launch, in the text.
template <unsigned kPlace, typename Call>
Launcher<true, kPlace, Call> on_alone(const char* kernel, Call call, Config config) {
    return {kernel, call, config};
}

// ---- a launcher ------------------------------------------------------------------------------------------

// While a launcher runs on this OS thread: a fault in its own code, outside of kernels, comes back here.
struct HostState;
EMULATOR_OF_THREAD HostState* host = nullptr;
struct Host {
    explicit Host(const char* name);
    ~Host();
};
sigjmp_buf& host_escape();
void launcher_threw(const char* name);

// ---- streams (emulator_queue.h) ---------------------------------------------------------------------------

// Memory that a kernel or a function is given, as the address of its first byte.
struct GivenMemory {
    const char* memory;
    bool read_only;
};
inline std::vector<GivenMemory>& given_memory() {  // of the launch to come
    static thread_local std::vector<GivenMemory> all;
    return all;
}
GivenMemory given(const void* at, bool read_only = false);
// Asks a stream for something, which may be done later; returns its number, 0 if it was done at once.
uint64_t ask(const void* stream, const char* name, std::vector<GivenMemory> memory, std::function<void()> action);
bool keeps_back(const void* stream);
void do_before(const void* stream);  // what the stream's next work waits for
// What the default stream waits for, as a copy that is done at once is about to.
void do_before_copy(const char* name, const void* to, const void* from, bool host_waits);
void do_step(uint64_t id);
void do_all();
void add_stream(const void* handle, bool blocking);
void forget_stream(const void* handle);
bool is_blocking(const void* handle);
constexpr int kGreatestPriority = -5;  // the least is 0
void set_priority(const void* handle, int priority);
int priority_of(const void* handle);
void come_after(const void* stream, uint64_t id);
std::shared_ptr<void> kept(const void* from, size_t bytes);  // a copy, at an address that any type may have

// ---- memory of the GPU -----------------------------------------------------------------------------------

// A kernel, or a function of the runtime, that may access it.
struct UseDeviceMemory {
    UseDeviceMemory();
    UseDeviceMemory(const UseDeviceMemory&) = delete;
    ~UseDeviceMemory();
};

// ---- memory that the CUDA runtime hands out --------------------------------------------------------------

// How many bytes at the start of [to, to + bytes) may be passed over.
size_t passed_over(const void* to, size_t bytes);
// What cudaMemcpy and the like are given: memory of the GPU, of the host, or of both; not known of most of the host's.
enum class Side { unknown,
                  gpu,
                  host,
                  both };
void* allocate(size_t bytes, Side side);  // throws std::bad_alloc
cudaError_t release(void* pointer, const char* function, bool pinned = false);
// Notes, as a mistake of the launcher, what a GPU refuses: then false, with the error set.
bool can_copy(const char* function, void* to, const void* from, size_t bytes, Side to_side, Side from_side);
bool can_set(const char* function, void* to, size_t bytes);
void register_memory(const void* at, size_t bytes);
void forget_registered(const void* at);
Side side_of(const char* at);
bool has_room(const char* function, size_t size, size_t offset, size_t bytes);  // of a symbol
// Of temporary storage that a function of CUB is given, and told the bytes of.
bool has_storage(const char* function, const void* at, size_t bytes, size_t needed);
inline std::atomic<size_t> kernel_heap_bytes{8 << 20};

}  // namespace emulator

// Null if the heap of kernels is full. What is aligned to more than 16 bytes is not of it.
inline void* operator new(size_t bytes, emulator::ByLearner) noexcept { return emulator::new_object(bytes); }
inline void* operator new[](size_t bytes, emulator::ByLearner) { return ::operator new[](bytes); }
inline void* operator new(size_t bytes, std::align_val_t alignment, emulator::ByLearner) { return ::operator new(bytes, alignment); }
inline void* operator new[](size_t bytes, std::align_val_t alignment, emulator::ByLearner) { return ::operator new[](bytes, alignment); }

#define EMULATOR_STRING(name) #name
#define EMULATOR_LAUNCHER(name, leave) \
    const ::emulator::Host emulator_host(#name); \
    if (sigsetjmp(::emulator::host_escape(), 1)) leave
