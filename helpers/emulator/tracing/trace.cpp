// The tracer of a traced build: what -fsanitize=thread and -fsanitize-coverage=trace-pc,trace-cmp call. This file
// itself is compiled without them, and linked with the kernel in the place of the sanitizer's own library.
#include "../include/emulator_trace.h"

#include <set>
#include <utility>

#include "races.h"
#include "warps.h"

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;

namespace trace {

struct Tracer {
    bool started = false, enabled = false;  // by Python; for the launch that runs
    int current = 0, threads = 0;
    Order order;  // of the next access
    const char* stack = nullptr;
    size_t stack_bytes = 0;
    std::set<uint64_t> stacks;  // where those of this launch's threads begin
    uint64_t block = 0;
    Lane lanes[kMaxThreads];
    Warp warps[kMaxThreads / kWarp];
    Sums sums;
    Races races;
    std::vector<Array> arrays;
    std::vector<std::pair<uint64_t, uint64_t>> ignored;
    std::map<uint64_t, uint64_t> rooms;  // by the end of some memory's bytes: the end of its room
    std::map<size_t, size_t> alignments;  // of the learner's structs that g++ copies as bytes, by size; the least
    bool halves = false, vectors = false;  // types of 16 bytes that are aligned to 8, to 16
    // What Python reads, in the order of `emulator_trace_table`.
    std::vector<Access> accesses;
    std::vector<Branch> branches;
    std::vector<Sync> syncs;
    std::vector<Race> told;
    std::vector<Merge> merges;
    std::vector<Again> again;
};
// While a thread of a kernel runs, and not this file, whose allocations lead to instrumented code, too. Apart from
// the tracer: it is asked for before that is constructed.
static bool on = false;
static Tracer& tracer() {
    static Tracer* one = new Tracer;
    return *one;
}
struct Inside {
    Inside() { on = false; }
    ~Inside() { on = true; }
};

static uint32_t place(const void* pc) {
    return static_cast<uint32_t>(static_cast<const char*>(pc) - &__ehdr_start);
}
static uint64_t number(const void* address) { return reinterpret_cast<uint64_t>(address); }

static void drain(Tracer& t, int warp, bool all_settled) {
    t.warps[warp].drain(all_settled);
}

// Whether nothing more comes from a warp: what it did is counted while its events lie in the cache.
static bool has_ended(const Tracer& t, int warp) {
    const Lane* lane = t.lanes + warp * kWarp;
    return std::all_of(lane, lane + kWarp, [](const Lane& one) { return one.state == Thread::ended; });
}

// A thread that is far ahead of its warp lets the others catch up, so that memory stays bounded.
__attribute__((noinline)) static void wait_for_warp(Tracer& t) {
    const int me = t.current;
    while (t.lanes[me].events.size() - t.lanes[me].next >= kBuffered) {
        bool settled = true;
        for (int i = me / kWarp * kWarp; i < std::min(me / kWarp * kWarp + kWarp, t.threads); ++i) {
            const Lane& lane = t.lanes[i];
            if (lane.state == Thread::absent) settled = false;
            if (lane.state == Thread::running && lane.next == lane.events.size()) settled = false;
        }
        if (settled) drain(t, me / kWarp, false);
        if (t.lanes[me].events.size() - t.lanes[me].next < kBuffered) break;
        emulator_trace_yield();
    }
    Lane& lane = t.lanes[me];
    if (lane.next > 0) {
        lane.events.erase(lane.events.begin(), lane.events.begin() + static_cast<std::ptrdiff_t>(lane.next));
        lane.last_block -= static_cast<long>(lane.next);
        lane.next = 0;
    }
}

// Takes what Event's constructor does, but for the depth. The event is made where it belongs: to copy what has just
// been written in parts is slow.
template <typename... Access>
__attribute__((always_inline)) static inline void push(Tracer& t, uint64_t address, uint32_t pc, Kind kind, Access... access) {
    Lane& lane = t.lanes[t.current];
    if (kind == kBlock) lane.last_block = static_cast<long>(lane.events.size());
    lane.events.emplace_back(address, pc, kind, lane.depth, access...);
    if (lane.events.size() - lane.next >= kBuffered) wait_for_warp(t);
}

static bool is_shared(const Tracer& t, uint64_t address) {
    for (const Array& array : t.arrays) {
        if (address - array.begin < array.bytes) return true;
    }
    return false;
}

// How many bytes of an access lie past the end of its memory, in room that the processor lets it touch.
static uint64_t bytes_past(const Tracer& t, uint64_t address, int bytes) {
    const uint64_t end = address + static_cast<uint64_t>(bytes);
    const auto after = t.rooms.lower_bound(end);  // the last one whose bytes end before the access does
    if (after == t.rooms.begin()) return 0;
    const auto& [its_end, its_room] = *std::prev(after);
    return address < its_room ? end - its_end : 0;
}

// Whether an address leads to the stack of a thread; the current one's are no question here.
static bool is_on_a_stack(const Tracer& t, uint64_t address) {
    const auto behind = t.stacks.upper_bound(address);
    return behind != t.stacks.begin() && address - *std::prev(behind) < t.stack_bytes;
}

// What nvcc knows of the alignment of a struct that is copied: that of its type. 0: nothing is known.
static size_t alignment_of(const Tracer& t, size_t bytes) {
    const auto it = t.alignments.find(bytes);
    if (it != t.alignments.end()) return it->second;
    return bytes <= 16 && !(bytes & (bytes - 1)) ? std::min<size_t>(bytes / 2, 4) : 0;  // g++ would say more of one
}
// Bytes at an address of which the type says nothing, as of memcpy: one by one, but for shared memory's.
static size_t alignment_of_bytes(const Tracer& t, uint64_t address) { return is_shared(t, address) ? 0 : 1; }
// In shared memory, whose layout it knows, nvcc moves words together (merges.h has the rule for single ones).
static int piece(Space space, int bytes, size_t alignment) {
    int part = bytes > 16 ? 16 : bytes;
    if (alignment && (space != kShared || alignment < 4)) part = std::min(part, static_cast<int>(alignment));
    // No instruction moves more than 16 bytes a thread, and what is no power of two goes in parts.
    while (bytes % part || (part & (part - 1))) --part;
    return part;
}

static void access(Kind kind, uint64_t address, int bytes, const void* pc, bool is_volatile = false,
                   emulator::Atomic how = emulator::Atomic::exchange, size_t alignment = 0) {
    if (!on) return;
    const Inside guard;
    Tracer& t = tracer();
    for (const auto& [begin, end] : t.ignored) {
        if (address - begin < end - begin) return;
    }
    Space space = kGlobal;
    if (address - number(t.stack) < t.stack_bytes) {
        space = kLocal;
        address -= number(t.stack);  // the same in every thread, unless an index differs
    } else if (is_shared(t, address)) {
        space = kShared;
    }
    if (space == kGlobal && !t.rooms.empty()) {
        if (const uint64_t past = bytes_past(t, address, bytes)) {
            t.races.outside(kind, address, bytes, place(pc), t.current, static_cast<uint32_t>(past));
        }
    }
    const bool foreign = space == kGlobal && is_on_a_stack(t, address);
    if (foreign) t.races.foreign(kind, address, bytes, place(pc), t.current);
    const Order order = std::exchange(t.order, {});
    Lane& lane = t.lanes[t.current];
    if (space == kGlobal && kind != kRead && !lane.wrote) lane.wrote = true, ++t.sums.launched.writers;
    if (!alignment && bytes == 16 && t.halves && !t.vectors) alignment = 8;
    const int part = kind == kAtomic ? bytes : piece(space, bytes, alignment);
    for (int done = 0; done < bytes; done += part) {
        push(t, address + static_cast<uint64_t>(done), place(pc), kind, part, space, is_volatile, how);
    }
    // Last, as the thread may have had to wait above, while others wrote what it is about to read.
    if (space != kLocal && !foreign) t.races.access(kind, space, address, bytes, place(pc), t.current, is_volatile, order);
}

}  // namespace trace

using namespace trace;

// ---- the emulator's hooks ---------------------------------------------------------------------------------

void emulator_trace_launch(size_t stack_bytes, bool together) {  // what earlier launches did is ordered before this one
    on = false;
    tracer().enabled = tracer().started && !together;
    if (tracer().started && together) ++tracer().sums.launched.together;
    tracer().stack_bytes = stack_bytes;
    tracer().races.begin_launch();
    tracer().rooms.clear();
    tracer().stacks.clear();
}
void emulator_trace_room(const void* memory, size_t bytes, size_t room) {
    const bool before = on;
    on = false;
    auto& rooms = tracer().rooms;
    const uint64_t begin = number(memory);
    rooms.erase(rooms.lower_bound(begin), rooms.upper_bound(begin + room));  // of memory that was here before
    if (room > bytes) rooms[begin + bytes] = begin + room;
    on = before;
}
void emulator_trace_freed() {  // what was written there last cannot be read any more
    const bool before = on;
    on = false;
    tracer().races.settle();
    on = before;
}
void emulator_trace_block(uint64_t block, int threads, const void* dynamic, size_t dynamic_bytes) {
    on = false;
    Tracer& t = tracer();
    if (!t.enabled) return;
    t.races.begin_block(block, threads);
    t.block = block, t.threads = threads;
    ++t.sums.launched.blocks, t.sums.launched.threads += static_cast<uint64_t>(threads);
    for (int i = 0; i < kMaxThreads; ++i) {
        t.lanes[i].clear();
        t.lanes[i].state = i < threads ? Thread::running : Thread::absent;
    }
    for (int w = 0; w < kMaxThreads / kWarp; ++w) {
        t.warps[w].sums = &t.sums;
        t.warps[w].lane = t.lanes + w * kWarp;
        t.warps[w].clear();
        t.warps[w].followed = block == t.sums.followed_block && w == t.sums.followed_warp;
    }
    if (dynamic_bytes) emulator_trace_array("", dynamic, dynamic_bytes, 0);
}
void emulator_trace_block_end() {
    on = false;
    Tracer& t = tracer();
    if (!t.enabled) return;
    for (int w = 0; w * kWarp < t.threads; ++w) {
        t.warps[w].drain(true);
        t.warps[w].flush();
    }
    t.races.settle();
}
void emulator_trace_thread(int thread, const char* stack_top) {
    Tracer& t = tracer();
    t.current = thread, t.stack = stack_top - t.stack_bytes;
    if (t.enabled) t.stacks.insert(number(t.stack));
    on = t.enabled;
}
void emulator_trace_pause() { on = false; }
bool emulator_trace_suspend() {
    const bool before = on;
    on = false;
    return before || !tracer().enabled;
}
void emulator_trace_restore(bool traced) { on = traced && tracer().enabled; }
void emulator_trace_thread_end() {
    const bool traced = on;
    on = false;
    if (traced) {
        Tracer& t = tracer();
        t.lanes[t.current].depth = 0;
        push(t, 0, ~0u, kEnd);
        t.lanes[t.current].state = Thread::ended;
        if (t.current % kWarp == kWarp - 1 && has_ended(t, t.current / kWarp)) drain(t, t.current / kWarp, false);
    }
}
void emulator_trace_wait(unsigned mask, const void* pc) {
    if (!on) return;
    on = false;
    Tracer& t = tracer();
    push(t, mask, place(pc), mask ? kWait : kBarrier);
    t.lanes[t.current].state = Thread::waiting;
    if (mask) t.races.met_at[t.current] = place(pc);
}
void emulator_trace_barrier() {
    Tracer& t = tracer();
    if (!t.enabled) return;
    for (int w = 0; w * kWarp < t.threads; ++w) t.warps[w].drain(true);
    for (int i = 0; i < t.threads; ++i) {
        if (t.lanes[i].state == Thread::waiting) t.lanes[i].state = Thread::running;
    }
    t.races.barrier();
}
void emulator_trace_warp(int warp, unsigned lanes, bool orders) {
    Tracer& t = tracer();
    if (!t.enabled) return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        t.lanes[warp * kWarp + __builtin_ctz(left)].state = Thread::running;
    }
    t.races.warp(warp, lanes, orders);
}
void emulator_trace_atomic(const void* address, int bytes, const void* pc, emulator::Atomic how) {
    access(kAtomic, number(address), bytes, pc, false, how);
}
void emulator_trace_local(const void* array, size_t bytes) {
    if (!on) return;
    const Inside guard;
    Tracer& t = tracer();
    const uint64_t begin = number(array) - number(t.stack);
    std::vector<Local>& locals = t.sums.locals;
    if (std::none_of(locals.begin(), locals.end(), [&](const Local& one) { return one.begin == begin; })) {
        locals.push_back({begin, bytes});
    }
}
void emulator_trace_loop(unsigned loop, unsigned how, uint64_t rounds, const void* pc) {
    if (!on) return;
    const Inside guard;
    Tracer& t = tracer();
    push(t, Rounds::pack(loop, how, rounds), place(pc), kLoop);
}
void emulator_trace_fence(bool of_block) {
    if (!on) return;
    const Inside guard;
    tracer().races.fence(of_block, tracer().current);
}
void emulator_trace_order(bool acquire, bool release, bool of_block) {
    if (on) tracer().order = {acquire, release, of_block};
}
void emulator_trace_arrive(const void* barrier, unsigned phase) {
    if (!on) return;
    const Inside guard;
    tracer().races.arrive(number(barrier), phase, tracer().current);
}
void emulator_trace_pass(const void* barrier, unsigned phase) {
    if (!on) return;
    const Inside guard;
    tracer().races.pass(number(barrier), phase, tracer().current);
}
void emulator_trace_copied(const void* to, const void* from, size_t bytes, const void* key, int64_t phase) {
    if (!on) return;
    const Inside guard;
    Tracer& t = tracer();
    const auto pc = place(__builtin_return_address(0));
    t.races.copied(number(to), number(from), static_cast<uint32_t>(bytes), number(key), phase, pc, t.current);
}
// Each use but the first reads one of two bytes, and writes the other for the next: within one use nothing need be ordered.
char* emulator_trace_lent(char (&storage)[2], bool first) {
    if (!on) return nullptr;
    const Inside guard;
    Tracer& t = tracer();
    const auto pc = place(__builtin_return_address(0));
    const unsigned use = t.lanes[t.current].lent[number(storage)]++;
    char *const read = storage + use % 2, *const written = storage + (use + 1) % 2;
    const Space space = is_shared(t, number(storage)) ? kShared : kGlobal;
    if (use) t.races.access(kRead, space, number(read), 1, pc, t.current, false, {});
    if (first) t.races.access(kWrite, space, number(written), 1, pc, t.current, false, {});
    return first ? written : nullptr;
}
void emulator_trace_commit(const void* key) {
    if (!on) return;
    const Inside guard;
    tracer().races.commit(number(key), tracer().current);
}
void emulator_trace_copies_done(const void* key, size_t prior, bool uncommitted) {
    if (!on) return;
    const Inside guard;
    tracer().races.copies_done(number(key), prior, uncommitted, tracer().current);
}
static void add_array(const char* name, const void* memory, size_t bytes, size_t element) {
    Tracer& t = tracer();
    for (Array& array : t.arrays) {
        if (array.begin != number(memory)) continue;
        array.bytes = bytes;
        if (element) array.element = element;
        return;
    }
    Array array{"", number(memory), bytes, element ? element : 4};
    strncpy(array.name, name, sizeof array.name - 1);
    t.arrays.push_back(array);
}
void emulator_trace_array(const char* name, const void* memory, size_t bytes, size_t element) {
    const bool before = on;
    on = false;
    add_array(name, memory, bytes, element);
    on = before;
}
void emulator_trace_ignore(const void* begin, size_t bytes) {
    Tracer& t = tracer();
    const std::pair<uint64_t, uint64_t> range{number(begin), number(begin) + bytes};
    if (std::find(t.ignored.begin(), t.ignored.end(), range) == t.ignored.end()) t.ignored.push_back(range);
}

// A copy is made here, as a write is compared with what was there before, once it is done.
void emulator_trace_moved(void* to, const void* from, size_t bytes) {
    const void* const pc = __builtin_return_address(0);
    const bool traced = std::exchange(on, false);
    const std::vector<char> source(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
    for (size_t done = 0; done < bytes; done += kMostBytes) {
        const size_t part = std::min(kMostBytes, bytes - done);
        const auto report = [&](Kind kind, uint64_t at) {
            on = traced;
            access(kind, at, static_cast<int>(part), pc, false, emulator::Atomic::exchange, alignment_of_bytes(tracer(), at));
            on = false;
        };
        report(kRead, number(from) + done), report(kWrite, number(to) + done);
        memcpy(static_cast<char*>(to) + done, source.data() + done, part);
    }
    on = traced;
}
void emulator_trace_filled(void* to, int value, size_t bytes) {
    const void* const pc = __builtin_return_address(0);
    for (size_t done = 0; done < bytes; done += kMostBytes) {
        char* const at = static_cast<char*>(to) + done;
        const size_t part = std::min(kMostBytes, bytes - done);
        access(kWrite, number(at), static_cast<int>(part), pc, false, emulator::Atomic::exchange, alignment_of_bytes(tracer(), number(at)));
        memset(at, value, part);
    }
}
bool emulator_trace_struct(size_t bytes, size_t alignment, bool vectors) {  // before there is a trace
    Tracer& t = tracer();
    t.vectors |= vectors || (bytes == 16 && alignment == 16);
    t.halves |= bytes == 16 && alignment == 8;
    const bool at_once = bytes <= 16 && !(bytes & (bytes - 1)) && alignment >= std::min<size_t>(bytes, 8);
    if (at_once) return true;
    const auto it = t.alignments.emplace(bytes, alignment).first;
    it->second = std::min(it->second, alignment);
    return true;
}

// ---- what Python calls ------------------------------------------------------------------------------------

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void emulator_trace_start(uint64_t followed_block, int followed_warp) {
    Tracer& t = tracer();
    t.sums = {};
    t.sums.followed_block = followed_block, t.sums.followed_warp = followed_warp;
    t.races.begin_trace();
    t.arrays.clear(), t.ignored.clear();
    t.threads = 0;
    t.started = t.enabled = true;
}
EXPORT void emulator_trace_stop() {
    Tracer& t = tracer();
    t.started = t.enabled = on = false;
    t.accesses.clear(), t.branches.clear(), t.syncs.clear();
    for (const auto& [key, one] : t.sums.accesses) t.accesses.push_back(one);
    for (const auto& [key, one] : t.sums.branches) t.branches.push_back(one);
    for (const auto& [key, one] : t.sums.syncs) t.syncs.push_back(one);
    t.told = t.races.told();
    t.merges.clear(), t.again.clear();
    for (Merges& rule : t.sums.merges) {
        for (const Merge& one : rule.told()) t.merges.push_back(one);
    }
    for (const auto& [key, one] : t.sums.again) t.again.push_back(one);
    for (Lane& lane : t.lanes) std::vector<Event>().swap(lane.events), lane.next = 0;
    t.races.forget();
}
EXPORT const Launched* emulator_trace_launched() { return &tracer().sums.launched; }
// Table 0: accesses, 1: branches, 2: syncs, 3: steps, 4: races, 5: shared arrays, 6: merges, 7: reads again. Returns its rows.
EXPORT const void* emulator_trace_table(int table, uint64_t* rows) {
    Tracer& t = tracer();
    const auto give = [&](const auto& vector) -> const void* { return *rows = vector.size(), vector.data(); };
    switch (table) {
        case 0: return give(t.accesses);
        case 1: return give(t.branches);
        case 2: return give(t.syncs);
        case 3: return give(t.sums.steps);
        case 4: return give(t.told);
        case 5: return give(t.arrays);
        case 6: return give(t.merges);
        default: return give(t.again);
    }
}

// ---- what the compiler's instrumentation calls ------------------------------------------------------------

#define CALLBACK extern "C" __attribute__((visibility("hidden")))
#define PC __builtin_return_address(0)

CALLBACK void __tsan_init() {}
CALLBACK void __tsan_func_entry(void*) {
    if (on) ++tracer().lanes[tracer().current].depth;
}
CALLBACK void __tsan_func_exit() {
    if (on && tracer().lanes[tracer().current].depth) --tracer().lanes[tracer().current].depth;
}
// A constructor's, of an object with virtual functions.
CALLBACK void __tsan_vptr_update(void* a, void*) { access(kWrite, number(a), 8, PC); }
CALLBACK void __tsan_vptr_read(void*) {}
static void unaligned(Kind kind, uint64_t address, int bytes, const void* pc) {
    access(kind, address, bytes, pc, false, emulator::Atomic::exchange, alignment_of_bytes(tracer(), address));
}
#define ACCESSES(bytes) \
    CALLBACK void __tsan_read##bytes(void* a) { access(kRead, number(a), bytes, PC); } \
    CALLBACK void __tsan_write##bytes(void* a) { access(kWrite, number(a), bytes, PC); } \
    CALLBACK void __tsan_unaligned_read##bytes(void* a) { unaligned(kRead, number(a), bytes, PC); } \
    CALLBACK void __tsan_unaligned_write##bytes(void* a) { unaligned(kWrite, number(a), bytes, PC); } \
    CALLBACK void __tsan_volatile_read##bytes(void* a) { access(kRead, number(a), bytes, PC, true); } \
    CALLBACK void __tsan_volatile_write##bytes(void* a) { access(kWrite, number(a), bytes, PC, true); }
// clang-format off
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)
    // clang-format on

    static void range(Kind kind, uint64_t address, size_t bytes, const void* pc, size_t alignment) {
    for (size_t done = 0; done < bytes; done += kMostBytes) {
        const auto part = static_cast<int>(std::min(kMostBytes, bytes - done));
        access(kind, address + done, part, pc, false, emulator::Atomic::exchange, alignment);
    }
}
CALLBACK void __tsan_read_range(void* a, size_t bytes) { range(kRead, number(a), bytes, PC, alignment_of(tracer(), bytes)); }
CALLBACK void __tsan_write_range(void* a, size_t bytes) { range(kWrite, number(a), bytes, PC, alignment_of(tracer(), bytes)); }

CALLBACK void __sanitizer_cov_trace_pc() {
    if (!on) return;
    const Inside guard;
    Tracer& t = tracer();
    push(t, 0, place(PC), kBlock);
}
static void compare(const void* pc) {
    if (!on) return;
    Tracer& t = tracer();
    Lane& lane = t.lanes[t.current];
    if (lane.last_block >= static_cast<long>(lane.next)) {
        lane.events[static_cast<size_t>(lane.last_block)].address = place(pc);
    }
}
#define COMPARISONS(bytes, type) \
    CALLBACK void __sanitizer_cov_trace_cmp##bytes(type, type) { compare(PC); } \
    CALLBACK void __sanitizer_cov_trace_const_cmp##bytes(type, type) { compare(PC); }
// clang-format off
COMPARISONS(1, uint8_t) COMPARISONS(2, uint16_t) COMPARISONS(4, uint32_t) COMPARISONS(8, uint64_t)
    // clang-format on

    CALLBACK void __sanitizer_cov_trace_cmpf(float, float) { compare(PC); }
CALLBACK void __sanitizer_cov_trace_cmpd(double, double) { compare(PC); }
CALLBACK void __sanitizer_cov_trace_switch(uint64_t, void*) { compare(PC); }

// The emulator's own atomics, and std::atomic in its headers: instrumented, too, and no business of the kernel's.
#define ATOMICS(bits, T) \
    CALLBACK T __tsan_atomic##bits##_load(const volatile T* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); } \
    CALLBACK void __tsan_atomic##bits##_store(volatile T* a, T v, int) { __atomic_store_n(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK T __tsan_atomic##bits##_fetch_add(volatile T* a, T v, int) { return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK T __tsan_atomic##bits##_fetch_sub(volatile T* a, T v, int) { return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK T __tsan_atomic##bits##_fetch_and(volatile T* a, T v, int) { return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK T __tsan_atomic##bits##_fetch_or(volatile T* a, T v, int) { return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK T __tsan_atomic##bits##_fetch_xor(volatile T* a, T v, int) { return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST); } \
    CALLBACK int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T v, int, int) { \
        return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    } \
    CALLBACK int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T v, int, int) { \
        return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
// clang-format off
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
    // clang-format on

    CALLBACK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CALLBACK void __tsan_atomic_signal_fence(int) {}
CALLBACK void* __tsan_memcpy(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes); }
CALLBACK void* __tsan_memset(void* to, int value, size_t bytes) { return memset(to, value, bytes); }
CALLBACK void* __tsan_memmove(void* to, const void* from, size_t bytes) { return memmove(to, from, bytes); }
