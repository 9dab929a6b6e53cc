// Happens-before: which accesses of different threads are ordered, and which only look so.
//
// Each thread of a block has a clock. A barrier makes all clocks known to all threads of the block, __syncwarp() those
// of its lanes to each other. Shuffles, votes, matches and the like do not: "These intrinsics do not imply a memory
// barrier. They do not guarantee any memory ordering." (CUDA C++ Programming Guide, Warp Shuffle Functions.) A fence and then an atomic (or a volatile store to global memory)
// publish what the thread knows under the atomic's address: to all, or, after __threadfence_block(), to its block. So does
// a volatile store to shared memory. An
// atomic or volatile load takes it over. What an asynchronous copy writes is written when its thread has waited for the
// copy: until then nobody may touch it, and from then on it is a write of that thread's. Two accesses to one byte by different threads, one of them a write, neither
// ordered nor both atomic: a race. Not told:
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
    uint32_t copying : 1;  // by an asynchronous copy for which its thread has not waited yet
    uint32_t update : 29;  // a write of bytes that its thread had read: how many such writes it has made here
    Touch() : atomic(0), silent(0), copying(0), update(0) {}
};
struct Cell {
    Touch write, read, other_read;
};
constexpr uint64_t kPage = 1024;
// What is known of some neighbouring bytes; of most only reads, or only writes.
struct Page {
    int granule = 4;
    std::vector<Touch> writes, reads, other_reads;  // each empty until there is one

    size_t cells() const { return kPage / static_cast<size_t>(granule); }
    Cell get(size_t i) const { return {of(writes, i), of(reads, i), of(other_reads, i)}; }
    void set(size_t i, const Cell& cell) {
        keep(writes, i, cell.write), keep(reads, i, cell.read), keep(other_reads, i, cell.other_read);
    }
    void refine(int to) {
        const size_t times = static_cast<size_t>(granule / to);
        granule = to;
        for (auto* part : {&writes, &reads, &other_reads}) {
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

enum class Fence : uint8_t { none,
                             block,
                             device };

// An asynchronous copy, of the group of that number (of its thread and key) which a commit ends.
struct Copy {
    uint64_t address, key;
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
    Known known[kMaxThreads];           // what it knows of other blocks, and of its own by atomics
    Fence fenced[kMaxThreads];          // the widest fence since the last plain write to global memory
    bool fenced_all[kMaxThreads];       // any fence since the last plain write to any
    bool any_known = false;
    std::vector<Copy> copies[kMaxThreads];                   // for which the thread has not waited
    std::map<std::pair<int, uint64_t>, uint32_t> committed;  // groups, of a thread under a key
    std::map<std::pair<int, uint32_t>, uint32_t> updates;  // of a thread at a place
    std::unordered_map<uint64_t, Known> published, in_block;  // by address: to all, and behind __threadfence_block()
    std::set<uint32_t> guesses;  // places that read a word before an atomic of the same thread changes it
    struct {
        uint64_t address = 0;
        int bytes = 0;
        uint32_t who = 0;
        std::vector<size_t> suspects;
        std::vector<Cell> cells;  // as they were
        unsigned char before[64];
    } pending;

    void begin_launch() {
        settle();
        forget();
        published.clear();
    }
    void forget() {
        pages.clear();
        for (auto& one : recent) one = {~0ull, nullptr};
    }
    void begin_trace() {
        pending.bytes = 0, pending.suspects.clear(), pending.cells.clear();
        begin_launch();
        found.clear(), guesses.clear();
    }
    void begin_block(uint64_t number, int count) {
        settle();
        block = static_cast<uint32_t>(number) + 1;
        threads = count;
        for (int t = 0; t < count; ++t) {
            clock[t] = 1, at_barrier[t] = 0, fenced[t] = Fence::none, fenced_all[t] = false;
            known[t].reset();
            copies[t].clear();
            memset(seen[t], 0, sizeof seen[t]);
            memset(met[t], 0, sizeof met[t]);
        }
        any_known = false;
        updates.clear();
        committed.clear();
        in_block.clear();
    }
    uint32_t who(int t) const { return block * kMaxThreads + static_cast<uint32_t>(t); }

    bool ordered(const Touch& touch, int t) const {
        const uint32_t its_block = touch.who / kMaxThreads, other = touch.who % kMaxThreads;
        if (its_block == block) {
            if (static_cast<int>(other) == t || touch.clock <= at_barrier[other]) return true;
            if (static_cast<int>(other) / kWarp == t / kWarp && touch.clock <= seen[t][other % kWarp]) return true;
        }
        if (!known[t]) return false;
        const auto it = known[t]->find(its_block);
        return it != known[t]->end() && touch.clock <= it->second[other];
    }

    // ---- what orders ----
    static Known joined(const Known& a, const Known& b) {
        if (!b || a == b) return a;
        if (!a) return b;
        auto both = std::make_shared<Clocks>(*a);
        for (const auto& [number, clocks] : *b) {
            auto& mine = (*both)[number];
            if (mine.size() < clocks.size()) mine.resize(clocks.size());
            for (size_t i = 0; i < clocks.size(); ++i) mine[i] = std::max(mine[i], clocks[i]);
        }
        return both;
    }
    void barrier() {
        settle();
        Known all;
        if (any_known) {
            for (int t = 0; t < threads; ++t) all = joined(all, known[t]);
        }
        for (int t = 0; t < threads; ++t) {
            at_barrier[t] = clock[t]++;
            if (any_known) known[t] = all;
        }
    }
    // Lanes of a warp have met: at __syncwarp(), which orders memory, or at another operation.
    void warp(int number, uint32_t lanes, bool orders) {
        settle();
        const int first = number * kWarp;
        share(met, first, lanes);
        if (orders) {
            share(seen, first, lanes);
            Known all;
            if (any_known) each_lane(first, lanes, [&](int t) { all = joined(all, known[t]); });
            if (any_known) each_lane(first, lanes, [&](int t) { known[t] = all; });
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
    void fence(bool of_block, int t) {
        fenced[t] = std::max(fenced[t], of_block ? Fence::block : Fence::device);
        fenced_all[t] = true;
    }
    void publish(uint64_t address, int t) {
        if (fenced[t] == Fence::none) return;
        auto mine = std::make_shared<Clocks>();
        auto& own = (*mine)[block];
        own.assign(at_barrier, at_barrier + threads);
        for (int i = 0; i < kWarp && t / kWarp * kWarp + i < threads; ++i) {
            auto& one = own[static_cast<size_t>(t / kWarp * kWarp + i)];
            one = std::max(one, seen[t][i]);
        }
        own[static_cast<size_t>(t)] = clock[t]++;
        Known& there = (fenced[t] == Fence::device ? published : in_block)[address];
        there = joined(joined(there, known[t]), mine);
    }
    // At a phase of a named barrier: what those knew that have come to it, this thread knows, too, and those who follow.
    void meet(uint64_t phase, int t) {
        settle();
        take_over(phase, t);
        const Fence before = fenced[t];
        fenced[t] = Fence::block;
        publish(phase, t);
        fenced[t] = before;
    }
    void take_over(uint64_t address, int t) {
        for (const auto* told : {&published, &in_block}) {
            const auto it = told->find(address);
            if (it == told->end()) continue;
            known[t] = joined(known[t], it->second);
            any_known = true;
        }
    }

    // ---- asynchronous copies ----
    void copied(uint64_t address, uint32_t bytes, uint64_t key, uint32_t pc, int t) {
        settle();
        Touch mine;
        mine.who = who(t), mine.clock = clock[t], mine.pc = pc, mine.copying = 1;
        each_cell(address, static_cast<int>(bytes), [&](Cell& cell) {
            cell.write = mine;
            cell.read = cell.other_read = {};
        });
        copies[t].push_back({address, key, bytes, committed[{t, key}]});
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
            each_cell(copy.address, static_cast<int>(copy.bytes), [&](Cell& cell) {
                if (cell.write.who == who(t) && cell.write.copying) cell.write.copying = 0, cell.write.clock = clock[t];
            });
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
                    cell = before;
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
    void access(Kind kind, Space space, uint64_t address, int bytes, uint32_t pc, int t, bool is_volatile) {
        settle();
        // A volatile flag in shared memory hands on what was written before a fence. Without one it is no flag but data
        // of a warp that trusts in lockstep.
        const bool is_flag = is_volatile && (space == kGlobal || kind == kRead || fenced_all[t]);
        const bool atomic = kind == kAtomic || is_flag;
        if (atomic) take_over(address, t);
        Touch mine;
        mine.who = who(t), mine.clock = clock[t], mine.pc = pc, mine.atomic = atomic;
        bool suspected = false, unwritten = false, copying = false;
        const auto suspect = [&](const Touch& earlier, Kind earlier_kind) {
            if (suspected || earlier.copying || !earlier.who || earlier.silent || (earlier.atomic && atomic) || ordered(earlier, t)) return;
            suspected = true;
            // Threads that a missing barrier lets meet are in different rounds of a loop; a lost update is in one.
            const bool update = mine.update && mine.update == earlier.update && pc == earlier.pc;
            const size_t i = report(0, earlier, earlier_kind, t, kind, pc, space, address, bytes, update);
            if (kind == kWrite) pending.suspects.push_back(i);
        };
        each_cell(address, bytes, [&](Cell& cell) {
            if (space == kShared && cell.write.who / kMaxThreads != block) {
                cell.write = {};
                if (cell.read.who / kMaxThreads != block) cell.read = cell.other_read = {};
                if (kind != kWrite && !unwritten) {
                    unwritten = true;
                    report(1, {}, kWrite, t, kind, pc, space, address, bytes, false);
                }
            }
            if (cell.write.copying && !copying) {
                copying = true;
                report(2, cell.write, kWrite, t, kind, pc, space, address, bytes, false);
            }
            const bool had_read = cell.read.who == mine.who || cell.other_read.who == mine.who;
            if (kind == kWrite && had_read && !mine.update) mine.update = ++updates[{t, pc}] & 0x1fffffff;
            suspect(cell.write, cell.write.atomic ? kAtomic : kWrite);
            if (kind == kRead) {
                if (cell.read.who && !ordered(cell.read, t)) cell.other_read = cell.read;
                cell.read = mine;
                return;
            }
            if (kind == kWrite) pending.cells.push_back(cell);
            if (kind == kAtomic && cell.read.who == mine.who) guesses.insert(cell.read.pc);
            suspect(cell.read, kRead);
            suspect(cell.other_read, kRead);
            cell.write = mine;
            cell.read = cell.other_read = {};
        });
        if (kind == kWrite) watch(space, address, bytes, mine.who, is_volatile);
        if (atomic && kind != kRead) publish(address, t);
    }
    void watch(Space space, uint64_t address, int bytes, uint32_t writer, bool is_volatile) {
        if (space == kGlobal && !is_volatile) fenced[writer % kMaxThreads] = Fence::none;
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
        settle();
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
