// The scheduler: which thread runs next, when a barrier opens, who waits for whom in vain. Part of the runtime.
#pragma once

#include <memory>

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

// ---- waiting ----------------------------------------------------------------------------------------------

// Notes that the running fiber's threads have ended, those of `order` from the `first` to before `until`.
void Worker::end_threads(int until) {
    if (first == kNone) return;
    for (int k = first; k < until; ++k) {
        const int t = launch->mode ? order[k] : k;
        if (!launch->mode && t % kWarp == 0 && k + kWarp <= until) {
            done[t / kWarp] = ~0u;
            k += kWarp - 1;
        } else {
            done[t / kWarp] |= 1u << (t % kWarp);
        }
    }
    finished += until - first;
    first = until;
}

__attribute__((noinline)) inline void Worker::park() {
    Fiber* mine = running;
    end_threads(started - 1);
    first = kNone;
    tickets[current].fiber = mine;
    tickets[current].index = *index;
    waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (ready_count && !(yielded && started < threads)) {  // as run_block would do, without the way through it
        next();
        if (running != mine) Fiber::change(*mine, *running);
    } else {
        Fiber::change(*mine, main);
    }
}

// The emulator's own code on behalf of a thread, which must not be interrupted to run another.
struct Uninterrupted {
    Worker& w;
    explicit Uninterrupted(Worker& w) : w(w) { w.in_thread.store(false, std::memory_order_relaxed); }
    ~Uninterrupted() { w.in_thread.store(true, std::memory_order_relaxed); }
};

// Makes the first of the ready threads the current one.
inline void Worker::next() {
    const int t = ready[ready_first];
    ready_first = (ready_first + 1) % kMaxThreads;
    --ready_count;
    current = t;
    first = kNone;
    *index = tickets[t].index;
    running = tickets[t].fiber;
}

// Whether a shared array of this kernel has the type, written 'float [33]', or consists of such rows.
inline bool is_shared_type(const char* quoted) {
    std::string type(quoted);
    while (!type.empty() && type.front() == '\'') type.erase(0, 1);
    while (!type.empty() && type.back() == '\'') type.pop_back();
    const size_t bracket = type.find('[');
    if (bracket == std::string::npos) return false;
    const std::string base = "= " + type.substr(0, bracket), rows = type.substr(bracket) + "]";
    for (const SharedSite& site : shared_sites()) {
        const std::string all = site.type;
        if (all.find(base) != std::string::npos && all.size() > rows.size() &&
            all.compare(all.size() - rows.size(), rows.size(), rows) == 0) {
            return true;
        }
    }
    return false;
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
        if (++ranges > 4) return text + ", ...";
        if (!text.empty()) text += ", ";
        text += std::to_string(t);
        if (last > t) text += "-" + std::to_string(last);
        t = last;
    }
    return (text.find_first_of(",-") == std::string::npos ? "thread " : "threads ") + text;
}

inline void Worker::release_barrier() {
    emulator_trace_barrier();
    uint64_t count = 0;
    for (int t = 0; t < threads; ++t) count += tickets[t].value != 0;
    for (int k = 0; k < threads; ++k) {
        const int t = launch->mode ? order[k] : k;
        Ticket& ticket = tickets[t];
        ticket.wait = Wait::nothing;
        ticket.result = ticket.op == Op::sync_count ? count
                        : ticket.op == Op::sync_and ? count == static_cast<uint64_t>(threads)
                                                    : count != 0;
        push(t);
    }
}

[[noreturn]] inline void Worker::deadlock() {
    const auto at_barrier = [&](int t) { return !has_ended(t) && tickets[t].wait == Wait::barrier; };
    const auto at_warp = [&](int t) { return !has_ended(t) && tickets[t].wait == Wait::warp; };
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
    const int line = tickets[barriers].line;
    const std::string here = thread_list(threads, at_barrier);
    if (warps >= 0) {
        fault({719, Rule::barrier}, "a barrier (line %d) that only part of the block reaches: %s wait there, %s at a warp operation (line %d)",
              line, here.c_str(), thread_list(threads, at_warp).c_str(), tickets[warps].line);
    }
    fault({719, Rule::barrier}, "a barrier (line %d) that only part of the block reaches: %s wait there, %s never came and left the kernel",
          line, here.c_str(), thread_list(threads, [&](int t) { return has_ended(t); }).c_str());
}

// No fiber can run: opens the barriers that are complete, else reports a deadlock.
inline void Worker::resolve() {
    if (finish_warp_groups()) return;
    bool all = true;
    for (int t = 0; t < threads && all; ++t) all = !has_ended(t) && tickets[t].wait == Wait::barrier;
    if (!all) deadlock();
    release_barrier();
}

// ---- a block --------------------------------------------------------------------------------------------

void end_fiber(Worker& w) {
    w.ended = true;
    Fiber::change(*w.running, w.main);
    __builtin_unreachable();
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
    for (size_t i = 0; i < slots.size(); ++i) {
        const size_t bytes = shared_sites()[i].bytes;
        if (slots[i].memory) unmap_guarded(slots[i].memory + bytes - whole_pages(bytes), bytes, kSharedGuard);
    }
    free(signal_stack);
}

inline void Worker::run_block(int64_t index) {
    const Launch& now = *launch;
    if (now.mode) index = static_cast<int64_t>((static_cast<__int128>(index) * now.step + now.offset) % now.blocks);
    const uint64_t b = static_cast<uint64_t>(index);
    const uint64_t gx = now.grid.x, gy = now.grid.y;
    blockIdx = {static_cast<unsigned>(b % gx), static_cast<unsigned>(b / gx % gy), static_cast<unsigned>(b / gx / gy)};
    ++epoch;
    static_bytes = 0;
    started = finished = 0;
    first = kNone;
    ready_first = ready_count = 0;
    for (int warp = 0; warp * kWarp < threads; ++warp) done[warp] = waiting[warp] = 0;
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
    if (now.shared_bytes) memset(shared_begin(), kPoison, static_cast<size_t>(shared_end() - shared_begin()));

    while (finished < threads) {
        if (ready_count && !(yielded && started < threads)) {
            next();
            ended = false;
            Fiber::change(main, *running);
            if (ended) idle.push_back(running);
        } else if (started < threads) {
            yielded = false;
            if (idle.empty()) {
                ++busy;
                if (!add_fiber()) fault({2, Rule::other}, "no memory for the stacks of the block's threads");
                --busy;
            }
            running = idle.back();
            idle.pop_back();
            running->prepare(now.loop, this);
            ended = false;
            Fiber::change(main, *running);
            if (ended) idle.push_back(running);
        } else {
            resolve();
        }
    }
    emulator_trace_block_end();
    check_shared_ends();
}

// Looks at the bytes between the shared arrays of the block that has ended and their inaccessible pages.
inline void Worker::check_shared_ends() {
    for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].epoch != epoch) continue;
        const SharedSite& site = shared_sites()[i];
        for (size_t at = site.used; at < site.bytes; ++at) {
            if (static_cast<unsigned char>(slots[i].memory[at]) == kPoison) continue;
            fault({700, Rule::shared_out_of_bounds, Access::write}, "a write past the end of the shared array %s (%zu bytes)",
                  site.name, site.used);
        }
    }
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

// All of `lanes` have come with the same operation and mask: hands each its result. The caller lets them go on.
inline void Worker::complete(int warp, unsigned lanes) {
    Ticket* lane = tickets + warp * kWarp;
    const Ticket& first = lane[__builtin_ctz(lanes)];
    const Op op = first.op;
    unsigned votes = 0;
    uint64_t total = first.value;
    for (unsigned left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (lane[i].value) votes |= 1u << i;
        if (op >= Op::add_signed && left != lanes) total = reduce(op, total, lane[i].value);
    }
    for (unsigned left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        Ticket& mine = lane[i];
        switch (op) {
            case Op::shuffle:
                if (lanes >> mine.source & 1) {
                    mine.result = lane[mine.source].value;
                } else {
                    current = warp * kWarp + i;
                    const bool named = mine.mask >> mine.source & 1;
                    fault({719, Rule::warp},
                          "a shuffle (line %d) reads from lane %d, which its mask 0x%08x %s: CUDA leaves the value undefined. "
                          "Name every lane that is read, or give the shuffle the width of the lanes that take part",
                          mine.line, mine.source, mine.mask,
                          !named                              ? "does not name"
                          : existing(warp) >> mine.source & 1 ? "names, but which has already left the kernel"
                                                              : "names, but which this block does not have");
                }
                break;
            case Op::all: mine.result = votes == lanes; break;
            case Op::any: mine.result = votes != 0; break;
            case Op::uniform: mine.result = votes == lanes || votes == 0; break;
            case Op::ballot: mine.result = votes; break;
            case Op::active: mine.result = lanes; break;
            case Op::match_any:
            case Op::match_all: {
                unsigned same = 0;
                for (unsigned all = lanes; all; all &= all - 1) {
                    const int j = __builtin_ctz(all);
                    if (lane[j].value == mine.value) same |= 1u << j;
                }
                mine.result = op == Op::match_any || same == lanes ? same : 0;
                break;
            }
            default: mine.result = total;
        }
        mine.wait = Wait::nothing;
    }
    waiting[warp] &= ~lanes;
    emulator_trace_warp(warp, lanes);
}

// The lanes that `mine`'s group consists of, or 0 while one of them is still missing.
inline unsigned group_of(const Worker& w, int warp, const Ticket& mine) {
    const unsigned lanes = mine.mask & w.existing(warp) & ~w.done[warp];
    if (lanes & ~w.waiting[warp]) return 0;
    for (unsigned left = lanes; left; left &= left - 1) {
        const Ticket& other = w.tickets[warp * kWarp + __builtin_ctz(left)];
        if (other.op != mine.op || other.mask != mine.mask) return 0;
    }
    return lanes;
}

// Lanes that left the kernel no longer hold up their warp, and __activemask answers once everybody waits.
inline bool Worker::finish_warp_groups() {
    bool any = false;
    const auto release = [&](int warp, unsigned lanes) {
        complete(warp, lanes);
        for (int k = 0; k < kWarp; ++k) {
            const int i = launch->mode == 1 ? kWarp - 1 - k : k;
            if (lanes >> i & 1) push(warp * kWarp + i);
        }
        any = true;
    };
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        for (int i = 0; i < kWarp; ++i) {
            const Ticket& mine = tickets[warp * kWarp + i];
            if (!(waiting[warp] >> i & 1) || mine.op == Op::active) continue;
            if (const unsigned lanes = group_of(*this, warp, mine)) release(warp, lanes);
        }
    }
    if (any) return true;
    for (int warp = 0; warp * kWarp < threads; ++warp) {
        unsigned lanes = 0;
        int line = 0;
        for (int i = 0; i < kWarp; ++i) {
            const Ticket& mine = tickets[warp * kWarp + i];
            if (!(waiting[warp] >> i & 1) || mine.op != Op::active || (lanes && mine.line != line)) continue;
            lanes |= 1u << i;
            line = mine.line;
        }
        if (lanes) release(warp, lanes);
    }
    return any;
}

inline Worker& running_worker(const char* what) {
    if (!self || !self->in_kernel) {
        fprintf(stderr, "%s was called outside of a kernel\n", what);
        abort();
    }
    return *self;
}

EMULATOR_UNTRACED __attribute__((noinline)) uint64_t warp_operation(Op op, unsigned mask, uint64_t value, int source, int line) {
    Worker& w = running_worker("a warp operation");
    const Uninterrupted guard(w);
    w.end_threads(w.started - 1);
    const int t = w.current, warp = t / kWarp, lane = t % kWarp;
    if (op == Op::active) mask = 1u << lane;
    if (!(mask >> lane & 1)) {
        fault({719, Rule::warp}, "a warp operation (line %d) whose mask 0x%08x does not name the lane that calls it, lane %d", line, mask,
              lane);
    }
    emulator_trace_wait(mask, __builtin_return_address(0));
    Ticket& mine = w.tickets[t];
    mine.wait = Wait::warp;
    mine.op = op;
    mine.mask = mask;
    mine.line = line;
    mine.source = source;
    mine.value = value;
    w.waiting[warp] |= 1u << lane;
    if (op != Op::active) {
        if (const unsigned lanes = group_of(w, warp, mine)) {  // I am the last: the others may go on, and so do I
            w.complete(warp, lanes);
            for (int k = 0; k < kWarp; ++k) {
                const int i = w.launch->mode == 1 ? kWarp - 1 - k : k;
                if (i != lane && lanes >> i & 1) w.push(warp * kWarp + i);
            }
            emulator_trace_thread(t, w.running->top());
            return mine.result;
        }
    }
    w.park();
    emulator_trace_thread(t, w.running->top());
    return mine.result;
}

EMULATOR_UNTRACED __attribute__((noinline)) uint64_t block_operation(Op op, uint64_t value, int line) {
    Worker& w = running_worker("__syncthreads()");
    const Uninterrupted guard(w);
    emulator_trace_wait(0, __builtin_return_address(0));
    Ticket& mine = w.tickets[w.current];
    mine.wait = Wait::barrier;
    mine.op = op;
    mine.line = line;
    mine.value = value;
    w.park();
    emulator_trace_thread(w.current, w.running->top());
    return mine.result;
}

void grid_barrier(int line) {
    Worker& w = running_worker("the barrier of a grid");
    Launch& launch = *w.launch;
    if (!launch.cooperative) {
        fault({719, Rule::barrier},
              "a barrier of the whole grid (line %d) in a launch that is not cooperative: launch the "
              "kernel by cudaLaunchCooperativeKernel",
              line);
    }
    block_operation(Op::sync, 0, line);
    if (w.current == 0) {
        const int64_t mine = launch.at_grid_barrier.fetch_add(1) / launch.blocks;
        while (launch.at_grid_barrier.load() / launch.blocks == mine) sched_yield();
    }
    block_operation(Op::sync, 0, line);
}

EMULATOR_UNTRACED void yield() {
    emulator_trace_pause();
    Worker& w = *self;
    {
        const Uninterrupted guard(w);
        w.tickets[w.current].wait = Wait::nothing;
        w.yielded = true;
        w.push(w.current);
        w.park();
    }
    emulator_trace_thread(w.current, w.running->top());
}

}  // namespace emulator

#ifdef EMULATOR_TRACE
EMULATOR_HOOK __attribute__((used, noinline)) inline void emulator_trace_yield() { emulator::yield(); }
#endif
