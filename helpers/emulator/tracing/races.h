// Happens-before: which accesses of different threads are ordered, and which only look so.
//
// Each thread of a block has a clock. A barrier makes all clocks known to all threads of the block, __syncwarp() those
// of its lanes to each other. Shuffles, votes, matches and the like do not: "These intrinsics do not imply a memory
// barrier. They do not guarantee any memory ordering." (CUDA C++ Programming Guide, Warp Shuffle Functions.) Whoever
// arrives at a named barrier or a cuda::barrier tells what it knows; whoever waits there is told.
//
// Atomics and volatile accesses follow the PTX ISA's memory consistency model. A release pattern, which is a fence and
// then an atomic or volatile write, publishes what the thread knew at the fence under the word's address: to all, or,
// after __threadfence_block(), to its block. So does a release operation. An atomic or volatile read of the word observes
// it; a fence behind that (the acquire pattern), or an acquire operation, makes it known, so that plain reads are
// ordered, too. (Where the result of a count said so, as of the last block, the Python side leaves it in peace without
// that fence: NVIDIA's own samples have none.) What a fence has published stays so behind a barrier, for all threads of the block, though the model has
// the fence and the atomic in one thread: fence by each, __syncthreads(), atomic by one is in wide use, and right on all
// hardware. Atomics of one word do not race with each other, and who uses the result of one is behind those before it, as
// far as that word goes (observation order). Where the result is not used, nothing says which of two came first.
//
// An asynchronous copy reads and writes as a thread of its own would: until its thread has waited for its group, or the
// phase of the barrier that it is bound to has been waited for, its target may not be touched, nor its source written.
//
// Two accesses to one byte by different threads, one of them a write, neither ordered nor both atomic: a race. Not told:
//   - a write that leaves the bytes as they were (several threads set the same flag);
//   - a plain read of a word for which the same line of code then uses an atomic (the first guess of a CAS loop).
#pragma once

#include <atomic>
#include <set>

#include "events.h"

namespace trace {

using Clocks = std::map<uint32_t, std::vector<uint32_t>>;  // by block: what is known of each of its threads
using Known = std::shared_ptr<const Clocks>;

struct Touch {
    uint32_t who = 0, clock = 0, pc = 0;  // who: (block + 1) * 1024 + thread; 0: nobody
    uint32_t atomic : 1, silent : 1;
    uint32_t changes : 1;  // an atomic that reads the word and writes it
    uint32_t copying : 1;  // by an asynchronous copy: see `engine`
    // A write of bytes that its thread had read: how many such writes it has made here. If `copying`, the number of the
    // barrier, with its phase in place of the clock; 0: for the copy's own thread to wait for.
    uint32_t update : 28;
    Touch() : atomic(0), silent(0), changes(0), copying(0), update(0) {}
};
struct Cell {
    Touch write, other_write;  // other: by an atomic that is not ordered before the one that came last
    Touch read, other_read;
    Touch plain;  // the last write that was no atomic, while atomics have come since: of who sets a counter to zero
};
constexpr size_t kMostBytes = 4096;  // of one access: of a struct, or a call of memcpy
constexpr uint64_t kPage = 1024;
// What is known of some neighbouring bytes; of most only reads, or only writes.
struct Page {
    int granule = 4;
    std::vector<Touch> writes, other_writes, reads, other_reads, plains;  // each empty until there is one

    size_t cells() const { return kPage / static_cast<size_t>(granule); }
    Cell get(size_t i) const { return {of(writes, i), of(other_writes, i), of(reads, i), of(other_reads, i), of(plains, i)}; }
    void set(size_t i, const Cell& cell) {
        keep(writes, i, cell.write), keep(other_writes, i, cell.other_write);
        keep(reads, i, cell.read), keep(other_reads, i, cell.other_read), keep(plains, i, cell.plain);
    }
    void refine(int to) {
        const size_t times = static_cast<size_t>(granule / to);
        granule = to;
        for (auto* part : {&writes, &other_writes, &reads, &other_reads, &plains}) {
            if (part->empty()) continue;
            std::vector<Touch> finer(cells());
            for (size_t i = 0; i < finer.size(); ++i) finer[i] = (*part)[i / times];
            part->swap(finer);
        }
    }

 private:
    static Touch of(const std::vector<Touch>& part, size_t i) { return part.empty() ? Touch() : part[i]; }
    void keep(std::vector<Touch>& part, size_t i, const Touch& touch) const {
        if (part.empty()) {
            if (!touch.who) return;
            part.resize(cells());
        }
        part[i] = touch;
    }
};
constexpr size_t kPages = 1 << 14;  // 16 MB of tensors are watched; what lies beyond is not

// Of an atomic or volatile access: whether it also is a fence in one direction, and for whom.
struct Order {
    bool acquire = false, release = false, of_block = false;
};
constexpr uint32_t kBarriers = 1u << 31;  // with a block's number, in Clocks: the phases of its barriers that are over

// An asynchronous copy, of the group of that number (of its thread and key) which a commit ends.
struct Copy {
    uint64_t to, from, key;
    uint32_t bytes, group;
};

struct Races {
    std::vector<Race> found;
    std::unordered_map<uint64_t, Page> pages;
    struct {
        uint64_t number = ~0ull;
        Page* page = nullptr;
    } recent[512];  // pages that were wanted, each at its place
    uint32_t block = 0;
    int threads = 0;
    uint32_t clock[kMaxThreads], at_barrier[kMaxThreads];
    uint32_t seen[kMaxThreads][kWarp];  // what a thread knows of the lanes of its warp
    uint32_t met[kMaxThreads][kWarp];   // what it would know if every warp operation ordered memory
    uint32_t met_at[kMaxThreads];       // the place of the warp operation that it came to last
    Known known[kMaxThreads];           // what it knows of other blocks, and of its own by atomics and named barriers
    Known observed[kMaxThreads];        // what an atomic told it, and a fence has yet to make known
    uint32_t observed_at = 0;           // the place of the last update that told a thread of this block something
    Known released[kMaxThreads];        // what its fences let its atomics tell all
    Known released_in_block[kMaxThreads];  // and the same of its block
    Known hinted[kMaxThreads];          // what the atomics of others came behind, whether a fence published it or not
    uint32_t hinted_at = 0;             // the place of the last atomic that told a thread of this block so
    bool writes_volatile = false;       // a thread of this block has written a volatile word of global memory
    bool fenced_all[kMaxThreads];       // any fence since the last plain write to any
    bool any_known = false;             // any of the four
    std::vector<Copy> copies[kMaxThreads];                   // for which the thread has not waited
    std::unordered_map<uint64_t, uint32_t> barriers;         // numbers of those that copies are bound to, from 1
    std::map<std::pair<int, uint64_t>, uint32_t> committed;  // groups, of a thread under a key
    std::map<std::pair<int, uint32_t>, uint32_t> updates;  // of a thread at a place
    std::unordered_map<uint64_t, Known> published, in_block;  // by address: to all, and behind __threadfence_block()
    std::unordered_map<uint64_t, Known> hints;                // by address of an atomic: what it came behind
    std::set<uint32_t> guesses;  // places that read a word before an atomic of the same thread changes it
    struct {
        uint64_t address = 0;
        int bytes = 0;
        uint32_t who = 0;
        std::vector<size_t> suspects;
        std::vector<Cell> cells;  // as they were
        unsigned char before[kMostBytes];
    } pending;

    void begin_launch() {
        drop_pending();
        forget();
        published.clear();
        hints.clear();
    }
    void forget() {
        pages.clear();
        for (auto& one : recent) one = {~0ull, nullptr};
    }
    void begin_trace() {
        begin_launch();
        found.clear(), guesses.clear();
    }
    void begin_block(uint64_t number, int count) {
        settle();
        block = static_cast<uint32_t>(number) + 1;
        threads = count;
        for (int t = 0; t < count; ++t) {
            clock[t] = 1, at_barrier[t] = 0, fenced_all[t] = false;
            for (Known* one : {known, observed, released, released_in_block, hinted}) one[t].reset();
            copies[t].clear();
            memset(seen[t], 0, sizeof seen[t]);
            memset(met[t], 0, sizeof met[t]);
        }
        any_known = writes_volatile = false;
        updates.clear();
        committed.clear();
        barriers.clear();
        in_block.clear();
    }
    uint32_t who(int t) const { return block * kMaxThreads + static_cast<uint32_t>(t); }

    bool ordered(const Touch& touch, int t) const {
        const uint32_t its_block = touch.who / kMaxThreads, other = touch.who % kMaxThreads;
        if (touch.copying) return touch.update && is_in(known[t], its_block | kBarriers, touch.update, touch.clock);
        if (its_block == block) {
            if (static_cast<int>(other) == t || touch.clock <= at_barrier[other]) return true;
            if (static_cast<int>(other) / kWarp == t / kWarp && touch.clock <= seen[t][other % kWarp]) return true;
        }
        return is_in(known[t], its_block, other, touch.clock);
    }
    bool was_observed(const Touch& touch, int t) const {
        return !touch.copying && is_in(observed[t], touch.who / kMaxThreads, touch.who % kMaxThreads, touch.clock);
    }
    static bool is_in(const Known& clocks, uint32_t of, size_t place, uint32_t clock) {
        if (!clocks) return false;
        const auto it = clocks->find(of);
        return it != clocks->end() && place < it->second.size() && clock <= it->second[place];
    }

    // ---- what orders ----
    static void add(Clocks& sum, const Clocks& more) {
        for (const auto& [number, clocks] : more) {
            auto& mine = sum[number];
            if (mine.size() < clocks.size()) mine.resize(clocks.size());
            for (size_t i = 0; i < clocks.size(); ++i) mine[i] = std::max(mine[i], clocks[i]);
        }
    }
    static Known joined(const Known& a, const Known& b) {
        if (!b || a == b) return a;
        if (!a) return b;
        auto both = std::make_shared<Clocks>(*a);
        add(*both, *b);
        return both;
    }
    // Gives each of some threads what any of them has.
    template <typename Each>
    static void spread(Known* of, Each each) {
        Known first;
        std::shared_ptr<Clocks> sum;
        const Clocks* newest = nullptr;
        each([&](int t) {
            const Known& one = of[t];
            if (!one || one == first || one.get() == newest) return;
            if (!first) return void(first = one);
            if (!sum) sum = std::make_shared<Clocks>(*first);
            add(*sum, *one);
            newest = one.get();
        });
        const Known all = sum ? Known(sum) : first;
        if (all) each([&](int t) { of[t] = all; });
    }
    template <typename Each>
    void spread_all(Each each) {
        for (Known* of : {known, observed, released, released_in_block, hinted}) spread(of, each);
    }
    void barrier() {
        settle();
        if (any_known) {
            spread_all([&](auto act) {
                for (int t = 0; t < threads; ++t) act(t);
            });
        }
        for (int t = 0; t < threads; ++t) at_barrier[t] = clock[t]++;
    }
    // Lanes of a warp have met: at __syncwarp(), which orders memory, or at another operation.
    void warp(int number, uint32_t lanes, bool orders) {
        settle();
        const int first = number * kWarp;
        share(met, first, lanes);
        if (orders) {
            share(seen, first, lanes);
            if (any_known) spread_all([&](auto act) { each_lane(first, lanes, act); });
        }
        each_lane(first, lanes, [&](int t) { ++clock[t]; });
    }
    void share(uint32_t (*of)[kWarp], int first, uint32_t lanes) {
        uint32_t together[kWarp] = {};
        each_lane(first, lanes, [&](int t) {
            for (int i = 0; i < kWarp; ++i) together[i] = std::max(together[i], of[t][i]);
            together[t - first] = clock[t];
        });
        each_lane(first, lanes, [&](int t) { memcpy(of[t], together, sizeof together); });
    }
    template <typename Do>
    static void each_lane(int first, uint32_t lanes, Do act) {
        for (uint32_t left = lanes; left; left &= left - 1) act(first + __builtin_ctz(left));
    }
    // The place of the warp operation at which the lanes met between an access and now, or 0.
    uint32_t between(const Touch& touch, int t) const {
        const uint32_t other = touch.who % kMaxThreads;
        const bool of_warp = touch.who / kMaxThreads == block && other / kWarp == static_cast<uint32_t>(t / kWarp);
        return of_warp && touch.clock <= met[t][other % kWarp] ? met_at[t] : 0;
    }
    // What a thread knows now; what it does from here on is not part of it.
    Known so_far(int t) {
        auto mine = std::make_shared<Clocks>();
        auto& own = (*mine)[block];
        own.assign(at_barrier, at_barrier + threads);
        for (int i = 0; i < kWarp && t / kWarp * kWarp + i < threads; ++i) {
            auto& one = own[static_cast<size_t>(t / kWarp * kWarp + i)];
            one = std::max(one, seen[t][i]);
        }
        own[static_cast<size_t>(t)] = clock[t]++;
        any_known = true;
        return joined(mine, known[t]);
    }
    void fence(bool of_block, int t) {
        settle();
        fenced_all[t] = true;
        acquire(of_block, t);
        Known& told = (of_block ? released_in_block : released)[t];
        told = joined(told, so_far(t));
    }
    void acquire(bool of_block, int t) {
        if (!observed[t]) return;
        if (!of_block) return void((known[t] = joined(known[t], observed[t]), observed[t].reset()));
        auto near = std::make_shared<Clocks>();  // a fence of the block orders only what its threads did
        for (uint32_t number : {block, block | kBarriers}) {
            const auto it = observed[t]->find(number);
            if (it != observed[t]->end()) near->insert(*it);
        }
        known[t] = joined(known[t], near);
    }
    void publish(uint64_t address, const Known& to_all, const Known& to_block) {
        const auto tell = [&](auto& under, const Known& what) {
            if (what) under[address] = joined(under[address], what);
        };
        tell(published, to_all);
        tell(in_block, to_block);
    }
    // An atomic tells those behind it what it came behind itself. Without a fence between that is no order, but a count
    // of blocks by which the last one thinks that it has one: see `access`. (Only of who writes volatile words.)
    void hint(uint64_t address, int t, uint32_t pc) {
        const auto it = hints.find(address);
        if (it != hints.end()) {
            hinted[t] = joined(hinted[t], it->second);
            hinted_at = pc;
            any_known = true;
        }
        if (!writes_volatile) return;
        Known& there = hints[address];
        there = joined(there, so_far(t));
    }
    void observe(uint64_t address, int t, uint32_t pc) {
        for (const auto* told : {&published, &in_block}) {
            const auto it = told->find(address);
            if (it == told->end()) continue;
            observed[t] = joined(observed[t], it->second);
            any_known = true;
            if (pc) observed_at = pc;
        }
    }
    // A thread comes to a phase of a named barrier, or of one in shared memory: what it knows ...
    void arrive(uint64_t barrier, uint32_t phase, int t) {
        settle();
        Known& there = in_block[key_of(barrier, phase)];
        there = joined(there, so_far(t));
    }
    // ... those know who have waited for the phase, and that the copies are over that are bound to it.
    void pass(uint64_t barrier, uint32_t phase, int t) {
        settle();
        const auto it = in_block.find(key_of(barrier, phase));
        if (it != in_block.end()) known[t] = joined(known[t], it->second);
        const auto found = barriers.find(barrier);
        if (found != barriers.end()) {
            auto over = std::make_shared<Clocks>();
            auto& phases = (*over)[block | kBarriers];
            phases.resize(found->second + 1);
            phases[found->second] = phase + 1;
            known[t] = joined(known[t], over);
        }
        any_known = true;
    }
    static uint64_t key_of(uint64_t barrier, uint32_t phase) { return barrier ^ (uint64_t{phase} + 1) << 48; }

    // ---- asynchronous copies ----
    // A copy has been made, as a read and a write of its thread. phase: of the barrier `key`; below 0: by groups.
    void copied(uint64_t to, uint64_t from, uint32_t bytes, uint64_t key, int64_t phase, uint32_t pc, int t) {
        settle();
        Touch mine;
        mine.who = who(t), mine.clock = clock[t], mine.pc = pc, mine.copying = 1;
        if (phase >= 0) {
            const auto number = barriers.emplace(key, static_cast<uint32_t>(barriers.size()) + 1).first->second;
            mine.update = number & 0xfffffff, mine.clock = static_cast<uint32_t>(phase) + 1;
        } else {
            copies[t].push_back({to, from, key, bytes, committed[{t, key}]});
        }
        each_cell(to, static_cast<int>(bytes), [&](Cell& cell) { cell = {mine, {}, {}, {}, {}}; });
        if (from) each_cell(from, static_cast<int>(bytes), [&](Cell& cell) { add_read(cell, mine, t); });
    }
    // One read of a word is kept, and one that is not ordered before it: a copy's first, which lasts longest.
    void add_read(Cell& cell, const Touch& mine, int t) {
        if (cell.read.who && !ordered(cell.read, t) && (!cell.other_read.copying || ordered(cell.other_read, t))) {
            cell.other_read = cell.read;
        }
        cell.read = mine;
    }
    void commit(uint64_t key, int t) { ++committed[{t, key}]; }
    // A thread has waited for its groups but the newest `prior`; uncommitted: for what is in no group, too.
    void copies_done(uint64_t key, uint64_t prior, bool uncommitted, int t) {
        settle();
        const uint32_t groups = committed[{t, key}];
        const auto is_done = [&](const Copy& copy) {
            return copy.key == key && (uncommitted || copy.group + prior < groups);
        };
        for (const Copy& copy : copies[t]) {
            if (!is_done(copy)) continue;
            const auto end = [&](Touch& touch) {
                if (touch.who == who(t) && touch.copying && !touch.update) touch.copying = 0, touch.clock = clock[t];
            };
            each_cell(copy.to, static_cast<int>(copy.bytes), [&](Cell& cell) { end(cell.write); });
            if (copy.from) {
                each_cell(copy.from, static_cast<int>(copy.bytes), [&](Cell& cell) { end(cell.read), end(cell.other_read); });
            }
        }
        copies[t].erase(std::remove_if(copies[t].begin(), copies[t].end(), is_done), copies[t].end());
    }

    // ---- accesses ----
    Page* page_of(uint64_t number) {
        auto& one = recent[number * 0x9e3779b97f4a7c15u >> 55];
        if (one.number == number) return one.page;
        auto it = pages.find(number);
        if (it == pages.end()) {
            if (pages.size() >= kPages) return nullptr;
            it = pages.emplace(number, Page{}).first;
        }
        one = {number, &it->second};
        return one.page;
    }
    // The write that came last is done now: did it change anything?
    void settle() {
        if (!pending.bytes) return;
        const bool silent = !memcmp(pending.before, reinterpret_cast<const void*>(pending.address),
                                    static_cast<size_t>(pending.bytes));
        if (silent) {  // as if it had not been; only where nobody wrote before, it is kept
            size_t k = 0;
            each_cell(pending.address, pending.bytes, [&](Cell& cell) {
                const Cell& before = pending.cells[k++];
                if (before.write.who) {
                    const Touch read = cell.read;  // since then
                    cell = before;
                    if (read.who) add_read(cell, read, static_cast<int>(read.who % kMaxThreads));
                } else {
                    cell.write.silent = 1;
                }
            });
            for (size_t i : pending.suspects) --found[i].count;
        }
        pending.cells.clear();
        pending.bytes = 0;
        pending.suspects.clear();
    }
    // One that a fault has cut off, of a block that did not end: its memory may be gone.
    void drop_pending() { pending.bytes = 0, pending.suspects.clear(), pending.cells.clear(); }
    template <typename Do>
    __attribute__((always_inline)) inline void each_cell(uint64_t address, int bytes, Do act) {
        const int granule = bytes % 4 == 0 && address % 4 == 0 ? 4 : bytes % 2 == 0 && address % 2 == 0 ? 2
                                                                                                        : 1;
        for (uint64_t at = address; at < address + static_cast<uint64_t>(bytes);) {
            Page* page = page_of(at / kPage);
            if (!page) return;
            if (page->granule > granule) page->refine(granule);
            const size_t i = at % kPage / static_cast<size_t>(page->granule);
            Cell cell = page->get(i);
            act(cell);
            page->set(i, cell);
            at += static_cast<uint64_t>(page->granule);
        }
    }
    uint32_t scope(const Touch& earlier, int t) const {
        if (earlier.who / kMaxThreads != block) return 2;
        return earlier.who % kMaxThreads / kWarp != static_cast<uint32_t>(t / kWarp);
    }
    size_t report(uint32_t rule, const Touch& earlier, Kind earlier_kind, int t, Kind kind, uint32_t pc, Space space,
                  uint64_t address, int bytes, bool update) {
        for (size_t i = 0; i < found.size(); ++i) {
            Race& one = found[i];
            if (one.pc == pc && one.other_pc == earlier.pc && one.kind == kind && one.rule == rule) {
                ++one.count;
                if (!one.between) one.between = between(earlier, t);
                one.scope = std::max(one.scope, scope(earlier, t));
                one.update |= update;
                return i;
            }
        }
        if (found.size() >= 256) return found.size() - 1;
        found.push_back({pc, earlier.pc, space, rule, kind, earlier_kind, address, who(t), earlier.who,
                         static_cast<uint32_t>(bytes), 1, scope(earlier, t), update, between(earlier, t), 0});
        return found.size() - 1;
    }
    // No race: an access to the stack of another thread.
    void foreign(Kind kind, uint64_t address, int bytes, uint32_t pc, int t) {
        report(7, {}, kWrite, t, kind, pc, kGlobal, address, bytes, false);
    }
    // No race: an access of so many bytes past the end of its memory.
    void outside(Kind kind, uint64_t address, int bytes, uint32_t pc, int t, uint32_t past) {
        Race& one = found[report(6, {}, kWrite, t, kind, pc, kGlobal, address, bytes, false)];
        if (!one.past) one.past = past;
    }
    void access(Kind kind, Space space, uint64_t address, int bytes, uint32_t pc, int t, bool is_volatile, Order order) {
        // Of `a = b` with structs g++ tells the write, then the read, and only then copies.
        if (kind != kRead || pending.who != who(t)) settle();
        // A volatile flag in shared memory hands on what was written before a fence. Without one it is no flag but data
        // of a warp that trusts in lockstep.
        const bool is_flag = is_volatile && (space == kGlobal || kind == kRead || fenced_all[t] || order.release);
        const bool atomic = kind == kAtomic || is_flag;
        if (atomic && kind != kWrite) observe(address, t, kind == kAtomic ? pc : 0);
        if (order.acquire) acquire(order.of_block, t);
        if (kind == kAtomic && space == kGlobal) hint(address, t, pc);
        writes_volatile |= is_volatile && kind == kWrite && space == kGlobal;
        const bool trusts = is_volatile && kind == kRead && space == kGlobal && hinted[t];
        Known now;
        if (order.release) now = so_far(t);
        Touch mine;
        mine.who = who(t), mine.clock = clock[t], mine.pc = pc, mine.atomic = atomic, mine.changes = kind == kAtomic;
        bool suspected = false, unwritten = false, copying = false;
        const auto suspect = [&](const Touch& earlier, Kind earlier_kind, const Touch& behind = {}) {
            if (suspected || !earlier.who || earlier.silent || (earlier.atomic && atomic) || ordered(earlier, t)) return;
            if (earlier.copying && earlier.who / kMaxThreads == block) {
                if (!copying) report(2, earlier, earlier_kind, t, kind, pc, space, address, bytes, false);
                copying = true;
                return;
            }
            // Who has read the word by an atomic, or comes behind one that has, is behind what it read.
            const auto is_behind = [&](const Touch& one) { return one.atomic && one.who && ordered(one, t); };
            if (earlier.atomic && (is_behind(behind) && !behind.changes)) return;
            uint32_t rule = 0;
            if (was_observed(earlier, t)) {
                if (atomic) return;
                rule = 3;
            } else if (is_behind(behind)) {
                rule = 4;
            }
            suspected = true;
            // Threads that a missing barrier lets meet are in different rounds of a loop; a lost update is in one.
            const bool update = mine.update && mine.update == earlier.update && pc == earlier.pc;
            const size_t i = report(rule, earlier, earlier_kind, t, kind, pc, space, address, bytes, update);
            if (rule == 3) found[i].between = observed_at;
            if (rule == 4) found[i].between = behind.pc;
            if (kind == kWrite) pending.suspects.push_back(i);
        };
        // A volatile word of another block, of which only a count says that it is written by now, and no fence does.
        const auto is_unpublished = [&](const Touch& one) {
            return one.who && one.who / kMaxThreads != block && one.atomic && !one.changes && !ordered(one, t) &&
                   !was_observed(one, t) && is_in(hinted[t], one.who / kMaxThreads, one.who % kMaxThreads, one.clock);
        };
        each_cell(address, bytes, [&](Cell& cell) {
            if (trusts && !suspected && is_unpublished(cell.write)) {
                suspected = true;
                found[report(5, cell.write, kWrite, t, kind, pc, space, address, bytes, false)].between = hinted_at;
            }
            if (space == kShared && cell.write.who / kMaxThreads != block) {
                cell.write = cell.other_write = cell.plain = {};
                if (cell.read.who / kMaxThreads != block) cell.read = cell.other_read = {};
                if (kind != kWrite && !unwritten) {
                    unwritten = true;
                    report(1, {}, kWrite, t, kind, pc, space, address, bytes, false);
                }
            }
            const bool had_read = cell.read.who == mine.who || cell.other_read.who == mine.who;
            if (kind == kWrite && had_read && !mine.update) mine.update = ++updates[{t, pc}] & 0xfffffff;
            suspect(cell.write, cell.write.atomic ? kAtomic : kWrite, cell.read.atomic ? cell.read : cell.other_read);
            suspect(cell.other_write, kAtomic, cell.write);
            suspect(cell.plain, kWrite);
            if (kind == kRead) return add_read(cell, mine, t);
            if (kind == kWrite) pending.cells.push_back(cell);
            if (kind == kAtomic && cell.read.who == mine.who) guesses.insert(cell.read.pc);
            suspect(cell.read, kRead);
            suspect(cell.other_read, kRead);
            const auto may_race = [&](const Touch& one) { return atomic && one.who && one.atomic && !ordered(one, t); };
            if (may_race(cell.write)) {
                cell.other_write = cell.write;
            } else if (!may_race(cell.other_write)) {
                cell.other_write = {};
            }
            if (!atomic) {
                cell.plain = {};
            } else if (cell.write.who && !cell.write.atomic) {
                cell.plain = cell.write;
            }
            cell.write = mine;
            cell.read = cell.other_read = {};
        });
        if (kind == kWrite) watch(address, bytes, mine.who, is_volatile);
        if (!atomic || kind == kRead) return;
        if (now) publish(address, order.of_block ? nullptr : now, order.of_block ? now : nullptr);
        publish(address, released[t], released_in_block[t]);
        ++clock[t];
    }
    void watch(uint64_t address, int bytes, uint32_t writer, bool is_volatile) {
        if (!is_volatile) fenced_all[writer % kMaxThreads] = false;
        pending.address = address, pending.who = writer;
        // At an address without memory, the kernel's fault ends this function here, and is that of a write.
        __atomic_fetch_or(reinterpret_cast<char*>(address), 0, __ATOMIC_RELAXED);
        memcpy(pending.before, reinterpret_cast<const void*>(address), static_cast<size_t>(bytes));
        std::atomic_signal_fence(std::memory_order_seq_cst);
        pending.bytes = bytes;
    }

    // What is left once harmless pairs are taken out.
    std::vector<Race> told() {
        drop_pending();
        std::vector<Race> left;
        for (const Race& one : found) {
            const bool guess = (one.kind == kRead && one.other_kind == kAtomic && guesses.count(one.pc)) ||
                               (one.kind == kAtomic && one.other_kind == kRead && guesses.count(one.other_pc));
            if (one.count && !guess) left.push_back(one);
        }
        return left;
    }
};

}  // namespace trace
