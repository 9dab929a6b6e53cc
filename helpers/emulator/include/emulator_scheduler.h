// The scheduler: which thread runs next, when a barrier opens, who waits for whom in vain. Part of the runtime.
#pragma once

#include <memory>

#include "emulator_runtime.h"
#include "emulator_shared.h"

namespace [[gnu::visibility("hidden")]] emulator {

// ---- waiting ----------------------------------------------------------------------------------------------

// Notes of lanes of a warp that they have ended, or that their call was left at a barrier.
inline void Worker::note_end(int warp, unsigned lanes, int count, bool at_its_end) {
    (at_its_end ? warps[warp].ended : warps[warp].left) |= lanes;
    (at_its_end ? finished : at_barrier) += count;
    if (!at_its_end) left_threads += count;
}

// The same of the running fiber's threads, those of `order` from the `first` to before `until`.
void Worker::settle(int until) {
    if (first == kNone) return;
    if (__builtin_expect(of_warp.open, 0)) return part();
    of_warp.done = 0;
    note_until(until);
}
void Worker::note_until(int until) {
    const bool forward = launch->mode == 0;
    while (first < until) {
        const bool whole = forward && first % kWarp == 0 && first + kWarp <= until;
        const int t = forward ? first : order[first];
        note_end(t / kWarp, whole ? ~0u : 1u << t % kWarp, whole ? kWarp : 1, !first_left);
        first += whole ? kWarp : 1;
    }
}

// The current thread waits, or ends unlike the others, while lanes of its warp have ended at a loop of shuffles: these,
// and all that are still to be called in this round, are called one by one. `first` is the current thread then.
void Worker::part() {
    const int warp = current / kWarp, begin = warp * kWarp;
    OfWarp& its = of_warp;
    note_until(begin);
    if (its.done) note_end(warp, its.done, __builtin_popcount(its.done), !first_left);
    if (all_again) {
        for (int other = warp + 1; other * kWarp < threads; ++other) warps[other].again = existing(other);
    }
    all_again = false;
    warps[warp].again = its.to_call | its.at_loop | its.behind_loop;
    begun = its.once_more ? begin + kWarp : current + 1;
    its = {};
    started = begin;
    first = current;
}

// The first thread from the k-th on that is called again in this round.
int Worker::next_again(int k) {
    const auto again = [&](int t) { return warps[t / kWarp].again >> t % kWarp & 1; };
    while (k < threads && !again(launch->mode ? order[k] : k)) ++k;
    if (k == threads) started = threads;
    return first = k;
}

int Worker::begin_calls() {
    first = started;
    return all_again ? started : next_again(started);
}

// The call of a thread has ended that has waited while others went on, or that is one of Calls: which one comes next.
int Worker::end_call() {
    if (ran_through) {
        ran_through = false;
        first = calls_first;
        if (left != first_left) settle(started - 1);
        first_left = left;
        if (!all_again) settle(started);
    } else {
        note_end(current / kWarp, 1u << current % kWarp, 1, !left);
        if (at_barrier == threads) open_barrier();
        first = started;
    }
    return all_again ? started : next_again(started);
}

// Leaves the current thread where it is until next() finds it, which may be at once.
inline __attribute__((always_inline)) Switch Worker::park() {
    Ticket& ticket = tickets[current];
    if (__builtin_expect(first != kNone && first != started - 1, 0)) settle(started - 1);
    ticket.place = nullptr;
    ticket.fiber = running;
    if (__builtin_expect(!flat, 0)) ticket.index = *index;
    waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return {&ticket.place, next()};
}

// What runs next: the first of the ready threads, else a fiber that starts threads, else the scheduler.
inline __attribute__((always_inline)) void* Worker::next() {
    if (!ready.lanes && queue_count) {
        ready = queue[queue_first];
        queue_first = (queue_first + 1) % kMaxThreads;
        --queue_count;
    }
    if (__builtin_expect(ready.lanes && !(yielded && started < threads), 1)) {
        const int lane = __builtin_expect(backward, 0) ? kWarp - 1 - __builtin_clz(ready.lanes) : __builtin_ctz(ready.lanes);
        ready.lanes &= ~(1u << lane);
        current = static_cast<int>(ready.warp) * kWarp + lane;
        first = kNone;
        const Ticket& ticket = tickets[current];
        if (__builtin_expect(flat, 1)) {
            index->x = static_cast<unsigned>(current);
        } else {
            *index = ticket.index;
        }
        running = ticket.fiber;
        return ticket.place;
    }
    return other_fiber();
}

// The same if no thread is ready.
inline __attribute__((noinline)) void* Worker::other_fiber() {
    if (started == threads || idle.empty()) return scheduler;
    yielded = false;
    running = idle.back();
    idle.pop_back();
    if (running->launch != launches) {
        running->prepare(launch->loop, this);
        running->launch = launches;
    }
    return running->begin;
}

// "threads 0-31 and 64", for a message.
template <typename Has>
std::string thread_list(int threads, Has has) {
    std::string text;
    int ranges = 0;
    for (int t = 0; t < threads; ++t) {
        if (!has(t)) continue;
        int last = t;
        while (last + 1 < threads && has(last + 1)) ++last;
        if (++ranges > 4) return "threads " + text + ", ...";
        if (!text.empty()) text += ", ";
        text += std::to_string(t);
        if (last > t) text += "-" + std::to_string(last);
        t = last;
    }
    return (text.find_first_of(",-") == std::string::npos ? "thread " : "threads ") + text;
}

// All threads of the block have come to a barrier, but those that returned before it.
void Worker::open_barrier() {
    emulator_trace_barrier();
    vote = votes;
    voters = at_barrier;
    votes = 0;
    at_barrier = 0;
    const int called = std::exchange(left_threads, 0);
    for (int warp = 0; warp * kWarp < threads; ++warp) warps[warp].again = std::exchange(warps[warp].left, 0);
    if (called) {
        first = kNone;
        started = 0;
        ++round;
        all_again = called == threads;
        if (all_again) return;
    }
    const auto keeps_fiber = [&](int warp) { return ~warps[warp].ended & ~warps[warp].again; };
    if (launch->mode == 0) {
        for (int warp = 0; warp * kWarp < threads; ++warp) {
            if (const unsigned lanes = keeps_fiber(warp)) push(warp, lanes);
        }
    } else {
        for (int k = 0; k < threads; ++k) {
            const int t = order[k];
            if (keeps_fiber(t / kWarp) >> t % kWarp & 1) push(t / kWarp, 1u << t % kWarp);
        }
    }
}

// Makes room for what the threads of a block keep.
void Worker::keep(size_t bytes) {
    const Busy busy(*this);
    if (!store) store = map_guarded(kMaxThreads * kMostKept);
    store_bytes = bytes;
}

[[noreturn]] inline void Worker::deadlock() {
    const auto at_barrier = [&](int t) { return waits_for_block(t); };
    const auto at_warp = [&](int t) { return !is_left(t) && !has_ended(t) && tickets[t].wait == Wait::warp; };
    int barriers = -1, warps = -1;
    for (int t = threads - 1; t >= 0; --t) {
        if (at_barrier(t)) barriers = t;
        if (at_warp(t)) warps = t;
    }
    if (barriers < 0) {
        const Ticket& first = tickets[warps];
        const int base = warps / kWarp * kWarp;
        const auto absent = [&](int t) {
            return t >= base && t < base + kWarp && first.mask >> (t - base) & 1 && tickets[t].op != first.op;
        };
        current = warps;
        fault({719, Rule::warp},
              "a warp operation (line %d) waits for lanes that never come: its mask 0x%08x names %s, which wait at another "
              "operation or name another mask",
              first.line, first.mask, thread_list(threads, absent).c_str());
    }
    current = barriers;
    const int line = line_of_barrier(barriers);
    const std::string here = thread_list(threads, at_barrier);
    if (warps >= 0) {
        fault({719, Rule::barrier}, "a barrier (line %d) that only part of the block reaches: %s wait there, %s at a warp operation (line %d)",
              line, here.c_str(), thread_list(threads, at_warp).c_str(), tickets[warps].line);
    }
    fault({719, Rule::barrier}, "a barrier (line %d) that only part of the block reaches: %s wait there, %s never came and left the kernel",
          line, here.c_str(), thread_list(threads, [&](int t) { return has_ended(t); }).c_str());
}

// Opens a barrier at which all wait but those that returned before it. Whether it did.
inline bool Worker::pass_barrier() {
    if (!at_barrier || at_barrier + finished != threads) return false;
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        if (warps[warp].ended & existing(warp) & ~warps[warp].early) return false;
    }
    open_barrier();
    return true;
}

// No fiber can run: lets those go on who wait only for threads that have left the kernel, else reports a deadlock.
inline void Worker::resolve() {
    if (!finish_warp_groups() && !pass_barrier()) deadlock();
}

// ---- a block --------------------------------------------------------------------------------------------

EMULATOR_UNTRACED Switch lay_idle(Worker& w) {
    w.settle(w.started);
    if (w.at_barrier == w.threads) {
        w.open_barrier();
        return {nullptr, nullptr};
    }
    w.idle.push_back(w.running);
    void** const left = &w.running->begin;
    return {left, w.next()};  // not this one, as no thread is left to be started
}

inline bool Worker::add_fiber() {
    try {
        auto fiber = std::make_unique<Fiber>();
        fiber->prepare(launch->loop, this);  // maps its stack
        idle.reserve(fibers.size() + 1);
        fibers.push_back(fiber.get());
        idle.push_back(fiber.release());
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// Gives back the stacks beyond `kept`: the system allows a process some 65,000 mappings, and each stack takes two.
inline void Worker::drop_fibers(size_t kept) {
    while (fibers.size() > kept) {
        unmap_guarded(fibers.back()->stack, kStackBytes, kStackGuard);
        delete fibers.back();
        fibers.pop_back();
    }
    idle = fibers;
}

inline Worker::~Worker() {
    drop_fibers(0);
    unmap_guarded(dynamic, kMaxShared, kSharedGuard);
    for (size_t i = 0; i < slots.size(); ++i) unmap_guarded(slots[i].mapping, shared_sites()[i].bytes, kSharedGuard);
    free(signal_stack);
    unmap_guarded(store, kMaxThreads * kMostKept);
}

inline uint3 place_of_block(const Launch& launch, int64_t index) {
    const uint64_t b = static_cast<uint64_t>(index), gx = launch.grid.x, gy = launch.grid.y, gz = launch.grid.z;
    if (launch.by_columns) return {static_cast<unsigned>(b / gz / gy), static_cast<unsigned>(b / gz % gy), static_cast<unsigned>(b % gz)};
    return {static_cast<unsigned>(b % gx), static_cast<unsigned>(b / gx % gy), static_cast<unsigned>(b / gx / gy)};
}

inline void Worker::run_block(int64_t index) {
    const Launch& now = *launch;
    if (now.mode) index = static_cast<int64_t>((static_cast<__int128>(index) * now.step + now.offset) % now.blocks);
    const uint64_t b = static_cast<uint64_t>(index);
    blockIdx = place_of_block(now, index);
    ++epoch;
    static_bytes = dynamic_element = 0;
    started = finished = 0;
    first = kNone;
    ready.lanes = queue_first = queue_count = 0;
    flat = now.block.y == 1 && now.block.z == 1;
    backward = now.mode == 1;
    for (int warp = 0; warp * kWarp < threads; ++warp) warps[warp] = {~existing(warp)};
    at_barrier = 0;
    votes = 0;
    together = left = first_left = ran_through = false;
    left_threads = 0;
    of_warp = {};
    begun = 0;
    round = 0;
    all_again = true;
    if (now.mode == 1) {
        for (int t = 0; t < threads; ++t) order[t] = static_cast<uint16_t>(threads - 1 - t);
    } else if (now.mode == 2) {
        uint64_t random = now.seed * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u + 1;
        for (int t = 0; t < threads; ++t) {  // Fisher and Yates's shuffle
            random = random * 6364136223846793005u + 1442695040888963407u;
            const int other = static_cast<int>((random >> 33) % static_cast<unsigned>(t + 1));
            order[t] = order[other];
            order[other] = static_cast<uint16_t>(t);
        }
    }
    emulator_trace_block(b, threads, shared_begin(), now.shared_bytes);
    for (const FileScopeShared* one = FileScopeShared::first; one; one = one->next) one->set(shared_begin());
    fill_dynamic_shared();

    while (finished < threads) {
        scheduler = nullptr;
        if (void* to = next()) {
            change_fiber(&scheduler, to);
        } else if (started == threads) {
            resolve();
        } else {
            ++busy;
            if (!add_fiber()) fault({2, Rule::other}, "no memory for the stacks of the block's threads");
            --busy;
        }
    }
    emulator_trace_block_end();
    check_shared_ends();
    if (__builtin_expect(retried, 0)) end_retried(*this);
}

// ---- warp operations --------------------------------------------------------------------------------------

inline uint64_t reduce(Op op, uint64_t a, uint64_t b) {
    const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
    switch (op) {
        case Op::add_signed:
        case Op::add: return static_cast<uint32_t>(a + b);
        case Op::min_signed: return static_cast<uint32_t>(sa < sb ? sa : sb);
        case Op::max_signed: return static_cast<uint32_t>(sa > sb ? sa : sb);
        case Op::min: return a < b ? a : b;
        case Op::max: return a > b ? a : b;
        case Op::bit_and: return a & b;
        case Op::bit_or: return a | b;
        default: return a ^ b;
    }
}

[[noreturn]] __attribute__((noinline)) inline void Worker::shuffle_fault(int warp, int i) {
    const Ticket& mine = lanes(warp)[i];
    current = warp * kWarp + i;
    const bool named = mine.mask >> mine.source & 1, has_left = named && existing(warp) >> mine.source & 1;
    if (has_left) {
        fault({719, Rule::warp},
              "a shuffle (line %d) reads from lane %d, which its mask 0x%08x names: that lane has already left the "
              "kernel, and CUDA leaves the value undefined. Let all lanes stay until the shuffle: one without an "
              "element takes part with a number that changes nothing, in the place of a return before it",
              mine.line, mine.source, mine.mask);
    }
    fault({719, Rule::warp},
          "a shuffle (line %d) reads from lane %d, which its mask 0x%08x %s: CUDA leaves the value undefined. "
          "Name every lane that is read, or give the shuffle the width of the lanes that take part",
          mine.line, mine.source, mine.mask,
          named ? "names, but which this block does not have" : "does not name");
}

// All lanes of a group have come to a loop of shuffles. Whether it was run.
inline __attribute__((noinline)) bool Worker::run_together(int warp, unsigned there) {
    const Together* lane[kWarp];
    const Together* first = nullptr;
    for (unsigned left = there; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        lane[i] = reinterpret_cast<const Together*>(lanes(warp)[i].value);
        if (!first) first = lane[i];
        if (lane[i]->run != first->run) return false;
    }
    together = true;
    const bool done = first->run(lane, there);
    together = false;
    return done;
}

// No lane that waits at the beginning of a loop can be kept from beginning it: lets them go on. Whether there was one.
inline bool Worker::release_together() {
    bool any = false;
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        unsigned alone = 0;
        for (unsigned left = warps[warp].waiting; left; left &= left - 1) {
            Ticket& mine = lanes(warp)[__builtin_ctz(left)];
            if (mine.op != Op::together) continue;
            mine.result = false;
            alone |= left & -left;
        }
        if (!alone) continue;
        warps[warp].waiting &= ~alone;
        push(warp, alone);
        any = true;
    }
    return any;
}

// All of `there` have come with the same operation and mask: hands each lane its result. The caller lets them go on.
inline void Worker::complete(int warp, unsigned there) {
    Ticket* lane = lanes(warp);
    const Ticket& first = lane[__builtin_ctz(there)];
    const Op op = first.op;
    const auto each = [&](auto result) {
        for (unsigned left = there; left; left &= left - 1) {
            Ticket& mine = lane[__builtin_ctz(left)];
            mine.result = result(mine);
        }
    };
    const auto votes = [&](uint64_t wanted) {
        unsigned same = 0;
        for (unsigned left = there; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            if (lane[i].value == wanted) same |= 1u << i;
        }
        return same;
    };
    if (__builtin_expect(op == Op::together, 0)) {
        const bool done = run_together(warp, there);
        each([&](const Ticket&) { return done; });
    } else if (op == Op::shuffle) {
        each([&](const Ticket& mine) {
            if (!(there >> mine.source & 1)) shuffle_fault(warp, static_cast<int>(&mine - lane));
            return lane[mine.source].value;
        });
    } else if (op >= Op::add_signed && op < Op::active) {
        uint64_t total = first.value;
        for (unsigned left = there & (there - 1); left; left &= left - 1) {
            total = reduce(op, total, lane[__builtin_ctz(left)].value);
        }
        each([&](const Ticket&) { return total; });
    } else if (op == Op::match_any || op == Op::match_all) {
        each([&](const Ticket& mine) -> uint64_t {
            const unsigned same = votes(mine.value);
            return op == Op::match_any || same == there ? same : 0;
        });
    } else if (op != Op::syncwarp) {
        const unsigned yes = op == Op::active ? there : votes(1);  // predicates are 0 or 1
        const uint64_t result = op == Op::all       ? yes == there
                                : op == Op::any     ? yes != 0
                                : op == Op::uniform ? yes == there || yes == 0
                                                    : yes;
        each([&](const Ticket&) { return result; });
    }
    warps[warp].waiting &= ~there;
    emulator_trace_warp(warp, there, op == Op::syncwarp);
}

// The lanes that `mine`'s group consists of, or 0 while one of them is still missing.
inline __attribute__((noinline)) unsigned Worker::mixed_group(int warp, const Ticket& mine, unsigned group) {
    for (unsigned left = group; left; left &= left - 1) {
        if (!lanes(warp)[__builtin_ctz(left)].meets(mine)) return 0;
    }
    return group;
}
inline unsigned Worker::group_of(int warp, const Ticket& mine) {
    const Warp& its = warps[warp];
    const unsigned group = mine.mask & ~its.ended;
    if (group & ~its.waiting) return 0;
    return its.mixed ? mixed_group(warp, mine, group) : group;
}

// Lets lanes go on.
inline void Worker::release(int warp, unsigned group, unsigned others) {
    complete(warp, group);
    if (others) push(warp, others);
}

// Lanes that left the kernel no longer hold up their warp, and __activemask answers once everybody waits.
inline bool Worker::finish_warp_groups() {
    bool any = false;
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        for (int i = 0; i < kWarp; ++i) {
            const Ticket& mine = lanes(warp)[i];
            if (!(warps[warp].waiting >> i & 1) || mine.op == Op::active) continue;
            if (const unsigned group = group_of(warp, mine)) release(warp, group, group), any = true;
        }
    }
    if (any || release_together()) return true;
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        unsigned group = 0;
        int line = 0;
        for (int i = 0; i < kWarp; ++i) {
            const Ticket& mine = lanes(warp)[i];
            if (!(warps[warp].waiting >> i & 1) || mine.op != Op::active || (group && mine.line != line)) continue;
            group |= 1u << i;
            line = mine.line;
        }
        if (group) release(warp, group, group), any = true;
    }
    return any;
}

Worker* worker() noexcept { return self; }

[[noreturn]] __attribute__((noinline)) inline void fault_together(const char* what) {
    fault({719, Rule::other}, "%s in what a loop of shuffles calls: the emulator does not run this", what);
}

inline Worker& running_worker(Worker* w, const char* what) {
    if (!w || !w->in_kernel.load(std::memory_order_relaxed)) {
        fprintf(stderr, "%s was called outside of a kernel\n", what);
        abort();
    }
    if (__builtin_expect(w->together, 0)) fault_together(what);
    return *w;
}

// The last lane of its group has come: the others may go on, and so does it.
inline __attribute__((noinline)) Switch Worker::stay(int warp, unsigned group, unsigned others) {
    release(warp, group, others);
    return {nullptr, nullptr};
}

[[noreturn]] __attribute__((noinline)) inline void mask_fault(unsigned mask, int lane, int line) {
    fault({719, Rule::warp}, "a warp operation (line %d) whose mask 0x%08x does not name the lane that calls it, lane %d", line, mask,
          lane);
}

EMULATOR_UNTRACED Switch wait_for_warp(Worker* of, Op op, unsigned mask, uint64_t value, int source, int line) {
    Worker& w = running_worker(of, "a warp operation");
    w.in_thread.store(false, std::memory_order_relaxed);
    const int t = w.current, warp = static_cast<int>(static_cast<unsigned>(t) / kWarp);
    const unsigned bit = 1u << (t & (kWarp - 1));
    if (op == Op::active) mask = bit;
    if (__builtin_expect(!(mask & bit), 0)) mask_fault(mask, t % kWarp, line);
    if (__builtin_expect(w.first != kNone && w.first != w.started - 1, 0)) w.settle(w.started - 1);
    Ticket& mine = w.tickets[t];
    mine.wait = Wait::warp;
    mine.op = op;
    mine.mask = mask;
    mine.line = line;
    mine.source = source;
    mine.value = value;
    Warp& its = w.warps[warp];
    if (!its.waiting) {
        its.asked = t;
        its.mixed = false;
    } else if (!mine.meets(w.tickets[its.asked])) {
        its.mixed = true;
    }
    its.waiting |= bit;
    const unsigned group = op == Op::active ? 0 : w.group_of(warp, mine);
    return __builtin_expect(group != 0, 0) ? w.stay(warp, group, group & ~bit) : w.park();
}

EMULATOR_UNTRACED Switch wait_for_block(Worker* of, uint64_t value, int line) {
    Worker& w = running_worker(of, "__syncthreads()");
    w.in_thread.store(false, std::memory_order_relaxed);
    if (__builtin_expect(w.first != kNone && w.first != w.started - 1, 0)) w.settle(w.started - 1);
    Ticket& mine = w.tickets[w.current];
    mine.wait = Wait::barrier;
    mine.line = line;
    w.votes += value;
    if (++w.at_barrier == w.threads) w.open_barrier();
    return w.park();
}

bool Worker::is_shared(const volatile void* address) const {
    const auto* at = static_cast<const char*>(const_cast<const void*>(address));
    if (dynamic && at >= dynamic && at < shared_end()) return true;
    return std::any_of(slots.begin(), slots.end(), [&](const SharedSlot& slot) {
        const auto place = static_cast<size_t>(&slot - slots.data());
        return slot.mapping && at >= slot.mapping && at < slot.mapping + whole_pages(shared_sites()[place].bytes);
    });
}

[[noreturn]] void Worker::never_opens(int line) {
    char where[32] = "", others[400] = "";
    if (line) snprintf(where, sizeof where, " (line %d)", line);
    if (at_barrier) {
        const auto waits = [&](int t) { return waits_for_block(t); };
        int first = 0;
        while (!waits(first)) ++first;
        snprintf(others, sizeof others, ". Meanwhile %s wait at __syncthreads() (line %d)", thread_list(threads, waits).c_str(),
                 line_of_barrier(first));
    }
    fault({719, Rule::barrier},
          "waits at a barrier%s that never opens: every running thread of the block waits at a barrier, and none of these has all the "
          "threads that it counts. Let each of them arrive, in every turn of a loop, and wait for the phase at which it arrived%s",
          where, others);
}

// As all other waits of the block were in vain, too, so will this one be, once every thread has had its turn: then lanes of a
// warp that wait only for what has left may go on, and at last it is a deadlock.
EMULATOR_UNTRACED void yield_at(const volatile void* barrier, int line) {
    constexpr int kTurns = 1 << 14, kNever = 1 << 20;
    Worker& w = *self;
    if (barrier && !w.is_shared(barrier)) return yield();
    const int64_t waits = w.waits.load(std::memory_order_relaxed);
    w.vain = waits == w.vain_waits ? w.vain + 1 : 0;
    w.vain_waits = waits + 1;
    w.tickets[w.current].wait = Wait::turn;
    if (w.vain >= kTurns && w.vain % kTurns == 0) {
        const bool traced = emulator_trace_suspend();
        w.in_thread.store(false, std::memory_order_relaxed);
        if (w.finish_warp_groups()) {
            w.vain = 0;
        } else if (w.vain >= kNever) {
            w.never_opens(line);
        }
        w.in_thread.store(true, std::memory_order_relaxed);
        emulator_trace_restore(traced);
    }
    yield();
}

void grid_barrier(int line) {
    Worker& w = running_worker(self, "the barrier of a grid");
    Launch& launch = *w.launch;
    if (!launch.cooperative) {
        fault({719, Rule::barrier},
              "a barrier of the whole grid (line %d) in a launch that is not cooperative: launch the "
              "kernel by cudaLaunchCooperativeKernel",
              line);
    }
    block_operation(&w, Op::sync, 0, line);
    if (w.current == 0) {
        const int64_t mine = launch.at_grid_barrier.fetch_add(1) / launch.blocks;
        while (launch.at_grid_barrier.load() / launch.blocks == mine) sched_yield();
    }
    block_operation(&w, Op::sync, 0, line);
}

EMULATOR_UNTRACED void yield() {
    emulator_trace_pause();
    Worker& w = *self;
    {
        w.in_thread.store(false, std::memory_order_relaxed);
        w.yielded = true;
        w.release_together();
        w.push(w.current / kWarp, 1u << w.current % kWarp);
        w.park().make();
        w.in_thread.store(true, std::memory_order_relaxed);
    }
    emulator_trace_thread(w.current, w.running->top());
}

}  // namespace emulator

#ifdef EMULATOR_TRACE
EMULATOR_HOOK __attribute__((used, noinline)) inline void emulator_trace_yield() { emulator::yield(); }
#endif
