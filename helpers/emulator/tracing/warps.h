// From what 32 threads did, one after another, to what their warp does at once.
//
// The emulator runs a thread until it must wait, so the events of a warp come lane by lane. Here they are brought
// into the order of the hardware: of the lanes that could go on, those at the lowest place in the code go first,
// and all that are at the same place take part. Lanes that went another way at a branch so meet again behind it.
#pragma once

#include "merges.h"

namespace trace {

enum class Thread : uint8_t { absent,
                              running,
                              waiting,
                              ended };

struct Lane {
    std::vector<Event> events;
    size_t next = 0;       // of `events`, what its warp has yet to do
    long last_block = -1;  // of `events`, the newest block
    Thread state = Thread::absent;
    uint8_t depth = 0;
    bool wrote = false;    // to global memory
    std::map<uint64_t, unsigned> lent;  // how often it has used storage of a warp's collectives
    void clear() { events.clear(), next = 0, last_block = -1, depth = 0, wrote = false, lent.clear(); }
};

// A block of code that lanes have run together and not all have left: where they went.
struct Open {
    uint32_t block, pc, mask, left, target;
    bool divergent;
};

// What was looked up last, by the low bits of its key: most steps of a warp are at a place where another has been.
template <typename Key, typename Value, size_t kSize = 256>
struct Recent {
    struct {
        Key key;
        Value* value = nullptr;
    } found[kSize];
    template <typename Find>
    Value& get(size_t hash, const Key& key, Find find) {
        auto& one = found[hash % kSize];
        if (!one.value || one.key != key) one = {key, find()};
        return *one.value;
    }
};

struct Sums {
    std::map<std::tuple<uint32_t, uint8_t, uint8_t, uint8_t>, Access> accesses;  // pc, kind, space, bytes
    std::map<std::pair<uint32_t, uint32_t>, Branch> branches;                    // block, pc
    Recent<std::tuple<uint32_t, uint8_t, uint8_t, uint8_t>, Access> recent_accesses;
    Recent<std::pair<uint32_t, uint32_t>, Branch> recent_branches;
    std::map<std::pair<uint32_t, uint32_t>, Sync> syncs;                         // pc, kind
    std::vector<Step> steps;
    Merges merges[kRuleCount];
    std::map<std::pair<uint32_t, uint32_t>, Again> again;  // pc, the pc of the first read
    std::vector<Local> locals;
    Launched launched{};
    uint64_t followed_block = 0;
    int followed_warp = 0;
};

struct Warp {
    Sums* sums = nullptr;
    Lane* lane = nullptr;  // 32 of them
    bool followed = false;
    const Event *at[kWarp], *end[kWarp];  // while steps are taken: the next event of each lane, and behind its last
    uint32_t with_events = 0, running = 0, unfinished = 0;  // lanes
    Open open[kWarp * 2];
    uint64_t used = 0;     // of `open`, a bit each
    int8_t leaves[kWarp];  // of `open`, the branch that a lane has yet to leave, or -1
    uint32_t looping = 0;  // the lanes in a loop that is unrolled: which, how many rounds it has, in which they are
    uint64_t loop_of[kWarp], rounds_of[kWarp], key_of[kWarp];
    uint64_t keys[kWarp];  // of the lanes at the condition of a loop, while a step is chosen
    struct {               // what `is_first_round` has found last
        uint64_t loop, key;
        bool answer;
    } first_round;
    Runs runs[kRuleCount];
    struct {               // since the last write or barrier of the warp
        Read read[kReads];
        uint8_t order[kReads];  // the newest last
        size_t count = 0;
    } reads;
    struct {               // the read before this event, if nothing stands between
        uint32_t mask = 0;
        int bytes;
        uint64_t address[kWarp];
    } newest;

    bool has_event(int i) const { return with_events >> i & 1; }
    const Event& event(int i) const { return *at[i]; }
    // Where the lanes are: read before steps are taken, written back after them.
    void begin() {
        with_events = running = unfinished = 0;
        for (int i = 0; i < kWarp; ++i) {
            const Lane& one = lane[i];
            if (one.state == Thread::absent) continue;
            at[i] = one.events.data() + one.next, end[i] = one.events.data() + one.events.size();
            with_events |= static_cast<uint32_t>(at[i] < end[i]) << i;
            running |= static_cast<uint32_t>(one.state == Thread::running) << i;
            unfinished |= static_cast<uint32_t>(one.state != Thread::ended) << i;
        }
    }
    void finish() {
        for (int i = 0; i < kWarp; ++i) {
            Lane& one = lane[i];
            if (one.state == Thread::absent) continue;
            one.next = static_cast<size_t>(at[i] - one.events.data());
            if (has_event(i)) continue;
            one.events.clear();
            one.next = 0;
            one.last_block = -1;
        }
    }

    // The lanes that take the next step together, or 0: nothing to do, or a lane must run on first.
    uint32_t choose(bool all_settled) {
        if (running & ~with_events && !all_settled) return 0;
        const uint32_t alive = with_events | unfinished;
        if (with_events && with_events == alive && is_one_step(with_events)) return with_events;
        find_keys(with_events);
        int best = -1, forced = -1;
        for (uint32_t left = with_events; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            if (forced < 0 || earlier(event(i), event(forced))) forced = i;
            if (!ready(i, alive)) continue;
            if (best < 0 || earlier(event(i), event(best))) best = i;
        }
        if (best < 0) best = forced;
        if (best < 0) return 0;
        uint32_t group = 0;
        const Event& first = event(best);
        for (uint32_t left = with_events; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            const Event& other = event(i);
            if (first.kind == kLoop ? is_same_round(i, best)
                                    : other.pc == first.pc && other.kind == first.kind && other.bytes == first.bytes) {
                group |= 1u << i;
            }
        }
        return group;
    }
    // Whether all that can go on have come to the same place, in the same round of a loop: no choice, as mostly.
    bool is_one_step(uint32_t lanes) const {
        const int first = __builtin_ctz(lanes);
        const Event& mine = event(first);
        if (mine.kind == kBarrier || mine.kind == kWait) return false;
        uint64_t different = 0;
        for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
            different |= event(__builtin_ctz(left)).what() ^ mine.what();
        }
        if (different & Event::kStep) return false;
        if (mine.kind != kLoop) return true;
        for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
            if (!has_same_key(__builtin_ctz(left), first)) return false;
        }
        return true;
    }
    static bool earlier(const Event& a, const Event& b) {
        return a.depth != b.depth ? a.depth > b.depth : a.pc < b.pc;
    }
    // ---- loops that are unrolled ----
    bool is_at_loop(int i, uint64_t loop) const {
        return has_event(i) && event(i).kind == kLoop && Rounds(event(i).address).loop == loop;
    }
    // All rounds of a lane at the condition of a loop, and the one that it comes to.
    uint64_t rounds(int i) const {
        const Rounds mine(event(i).address);
        return looping >> i & 1 && loop_of[i] == mine.loop ? rounds_of[i] : mine.left;
    }
    uint64_t key(int i) const { return Rounds(event(i).address).key(rounds(i)); }
    bool has_same_key(int i, int j) const { return event(i).address == event(j).address && rounds(i) == rounds(j); }
    void find_keys(uint32_t lanes) {
        first_round.loop = ~0ull;
        int before = -1;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            if (event(i).kind != kLoop) continue;
            keys[i] = before >= 0 && has_same_key(i, before) ? keys[before] : key(i);
            before = i;
        }
    }
    bool is_same_round(int i, int j) const {
        return is_at_loop(i, Rounds(event(j).address).loop) && event(i).depth == event(j).depth && keys[i] == keys[j];
    }
    // Lanes that are in an earlier round of the same loop, or come to one, go first.
    bool is_first_round(int i) {
        const uint64_t mine = keys[i], loop = Rounds(event(i).address).loop;
        if (first_round.loop != loop || first_round.key != mine) first_round = {loop, mine, no_lane_is_before(loop, mine)};
        return first_round.answer;
    }
    bool no_lane_is_before(uint64_t loop, uint64_t mine) const {
        for (int j = 0; j < kWarp; ++j) {
            if (!((with_events | running) >> j & 1)) continue;
            if (is_at_loop(j, loop) ? keys[j] < mine : looping >> j & 1 && loop_of[j] == loop && key_of[j] < mine) return false;
        }
        return true;
    }
    void loop(uint32_t group) {
        uint64_t packed = 0, total = 0, key = 0;  // of the lane before, which mostly is at the same round
        for (uint32_t left = group; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            const Rounds mine(event(i).address);
            const uint64_t all = rounds(i);
            if (left == group || event(i).address != packed || all != total) {
                packed = event(i).address, total = all, key = mine.key(all);
            }
            loop_of[i] = mine.loop, rounds_of[i] = all, key_of[i] = key;
            looping = mine.left > 0 ? looping | 1u << i : looping & ~(1u << i);
        }
    }

    // A lane at a barrier waits for all lanes of its warp, at a warp operation for those of its mask.
    bool ready(int i, uint32_t alive) {
        const Event& mine = event(i);
        if (mine.kind == kLoop) return is_first_round(i);
        if (mine.kind != kBarrier && mine.kind != kWait) return true;
        const uint32_t wanted = mine.kind == kBarrier ? alive : alive & static_cast<uint32_t>(mine.address);
        for (uint32_t left = wanted; left; left &= left - 1) {
            const int j = __builtin_ctz(left);
            if (!has_event(j) || event(j).kind != mine.kind) return false;
        }
        return true;
    }

    void drain(bool all_settled) {
        begin();
        while (const uint32_t group = choose(all_settled)) {
            const Event first = event(__builtin_ctz(group));
            uint64_t address[kWarp] = {};
            for (uint32_t left = group; left; left &= left - 1) {
                const int i = __builtin_ctz(left);
                address[i] = event(i).address;
            }
            if (first.kind == kLoop) {
                loop(group);
            } else if (first.kind == kBlock || first.kind == kEnd) {
                arrive(first, address, group);
            } else if (first.kind == kBarrier || first.kind == kWait) {
                Sync& sync = sums->syncs[{first.pc, first.kind}];
                sync.pc = first.pc, sync.kind = first.kind;
                flush();
                reads.count = 0;
                newest.mask = 0;
                ++sync.executed;
                sync.lanes += static_cast<uint64_t>(bits(group));
            } else {
                request(first, address, group);
            }
            if (followed && sums->steps.size() < kSteps && first.kind < kEnd) {
                Step step{first.pc, group, first.kind, first.space, first.bytes, {}, {}};
                memcpy(step.address, address, sizeof address);
                sums->steps.push_back(step);
            }
            for (uint32_t left = group; left; left &= left - 1) {
                const int i = __builtin_ctz(left);
                if (++at[i] == end[i]) with_events &= ~(1u << i);
            }
        }
        finish();
    }

    // ---- branches ----
    void arrive(const Event& event, const uint64_t* comparison, uint32_t group) {
        newest.mask = 0;
        const uint32_t target = event.kind == kEnd ? ~0u : event.pc;
        int slot = leaves[__builtin_ctz(group)];
        if (event.kind != kEnd && slot >= 0 && open[slot].left == group) {  // all that are left come together
            leave(open[slot], target);
            close(open[slot]);
        } else {
            for (uint32_t left = group; left; left &= left - 1) {
                const int i = __builtin_ctz(left);
                if (leaves[i] < 0) continue;
                Open& branch = open[leaves[i]];
                leave(branch, target);
                branch.left &= ~(1u << i);
                if (!branch.left) {
                    used &= ~(1ull << leaves[i]);
                    close(branch);
                }
                leaves[i] = -1;
            }
            if (event.kind == kEnd) return;
            slot = __builtin_ctzll(~used);
            used |= 1ull << slot;
            for (uint32_t left = group; left; left &= left - 1) leaves[__builtin_ctz(left)] = static_cast<int8_t>(slot);
        }
        uint32_t pc = 0;
        for (int i = 0; i < kWarp; ++i) pc = std::max(pc, static_cast<uint32_t>(comparison[i]));  // 0: of no lane
        open[slot] = {event.pc, pc, group, group, 0, false};
    }
    static void leave(Open& branch, uint32_t target) {
        if (!branch.target) branch.target = target;
        if (branch.target != target) branch.divergent = true;
    }
    void close(const Open& one) {
        Branch& branch = sums->recent_branches.get((one.block + one.pc) / 4, {one.block, one.pc}, [&] {
            return &sums->branches[{one.block, one.pc}];
        });
        branch.pc = one.pc, branch.block = one.block;
        if (!branch.targets) branch.first_target = one.target, branch.targets = 1;
        if (one.divergent || one.target != branch.first_target) branch.targets = 2;
        ++branch.executed;
        branch.divergent += one.divergent;
        branch.lanes += static_cast<uint64_t>(bits(one.mask));
    }

    // ---- requests ----
    static Counts counted(const Event& event, const uint64_t* address, uint32_t group) {
        const auto [sectors, lines, places] = touched(address, group, event.bytes);
        const bool is_write = event.kind == kWrite;
        const Waves waves =
            event.space == kShared ? wavefronts(address, group, event.bytes, is_write) : Waves{0, 0};
        Counts one{};
        one.requests = 1;
        one.lanes = static_cast<uint64_t>(bits(group));
        one.bytes_asked = places * event.bytes;
        one.sectors = sectors;
        if (event.kind == kAtomic && event.space == kGlobal) one.sectors = atomic_sectors(address, group);
        one.lines = lines;
        if (event.space == kLocal) {
            one.sectors = static_cast<uint64_t>(local_words(address, group, event.bytes, 8).count);
            one.lines = static_cast<uint64_t>(local_words(address, group, event.bytes, kWarp).count);
        }
        one.wavefronts = static_cast<uint64_t>(waves.taken);
        one.ideal_wavefronts = static_cast<uint64_t>(waves.needed);
        one.collisions = one.lanes - places;
        if (event.space == kLocal && event.bytes > 4) {  // a request for each 4-byte word: each has its line
            const uint64_t words = event.bytes / 4u;
            one.requests *= words, one.lanes *= words, one.collisions *= words;
        }
        return one;
    }
    static void add(Access& sum, const Event& event, const uint64_t* address, uint32_t group, const Counts& one) {
        sum.pc = event.pc, sum.kind = event.kind, sum.space = event.space, sum.bytes = event.bytes;
        sum.is_sum = event.how == static_cast<uint8_t>(emulator::Atomic::sum);
        sum.sums += one;
        const auto cost = static_cast<uint32_t>(event.space == kShared ? one.wavefronts : one.sectors);
        if (cost > sum.worst_cost) {
            sum.worst_cost = cost;
            sum.worst_mask = group;
            memcpy(sum.worst, address, sizeof sum.worst);
        }
    }
    bool has_place(uint64_t address) const {
        return std::any_of(sums->locals.begin(), sums->locals.end(),
                           [&](const Local& one) { return address - one.begin < one.bytes; });
    }
    // A sum that shared memory cannot do: a loop that reads, adds, and writes if nobody else has written meanwhile. Of
    // the lanes that meet at one address one gets through a round.
    static bool is_loop(const Event& event) {
        const auto how = static_cast<emulator::Atomic>(event.how);
        return event.kind == kAtomic && event.space == kShared &&
               (how == emulator::Atomic::sum_of_floats || (how == emulator::Atomic::sum && event.bytes == 8));
    }
    void loop(Event event, const uint64_t* address, uint32_t group) {
        event.how = 0;
        Event read = event;
        read.kind = kRead;
        while (group) {
            for (const Event& part : {read, event}) {
                const Counts one = counted(part, address, group);
                add(sums->accesses[{part.pc, part.kind, part.space, part.bytes}], part, address, group, one);
            }
            Units served;
            for (uint32_t left = group; left; left &= left - 1) {
                const int before = served.count;
                served.add(address[__builtin_ctz(left)]);
                if (served.count > before) group &= ~(left & -left);
            }
        }
        flush();
    }
    void flush() {
        for (int k = 0; k < kRuleCount; ++k) runs[k].flush(sums->merges[k]);
    }
    void clear() {
        for (Runs& one : runs) one.clear();
        reads.count = 0;
        used = 0, newest.mask = 0, looping = 0;
        std::fill(leaves, leaves + kWarp, -1);
    }
    // A read of what the same lanes have read, and nobody has written since: if nothing in its address changes in a
    // loop, it stands before the loop. (Which the source says: trace_tables.py.)
    void remember(const Event& event, const uint64_t* address, uint32_t group, const Counts& one) {
        if (event.kind != kRead) reads.count = 0;
        if (event.kind != kRead || event.is_volatile) return;
        const auto is_same = [&](const Read& other) {
            if (other.bytes != event.bytes || (group & ~other.mask)) return false;
            for (uint32_t left = group; left; left &= left - 1) {
                const int i = __builtin_ctz(left);
                if (other.address[i] != address[i]) return false;
            }
            return true;
        };
        for (size_t k = reads.count; k-- > 0;) {
            const Read& found = reads.read[reads.order[k]];
            if (!is_same(found)) continue;
            Again& again = sums->again[{event.pc, found.pc}];
            again.pc = event.pc, again.first_pc = found.pc, again.bytes = event.bytes, again.space = event.space;
            again.counts += one;
            std::rotate(reads.order + k, reads.order + k + 1, reads.order + reads.count);
            return;
        }
        if (reads.count < kReads) {
            reads.order[reads.count] = static_cast<uint8_t>(reads.count);
            ++reads.count;
        } else {  // in the place of the oldest
            std::rotate(reads.order, reads.order + 1, reads.order + kReads);
        }
        Read& newest_read = reads.read[reads.order[reads.count - 1]];
        newest_read.pc = event.pc, newest_read.mask = group, newest_read.bytes = event.bytes;
        memcpy(newest_read.address, address, sizeof newest_read.address);
    }
    // x[i] * x[i] reads once.
    bool is_repeated(const Event& event, const uint64_t* address, uint32_t group) {
        const bool reads = event.kind == kRead && !event.is_volatile;
        const bool same = reads && newest.mask == group && newest.bytes == event.bytes &&
                          !memcmp(newest.address, address, sizeof newest.address);
        newest.mask = reads ? group : 0;
        newest.bytes = event.bytes;
        memcpy(newest.address, address, sizeof newest.address);
        return same;
    }
    void request(const Event& event, const uint64_t* address, uint32_t group) {
        if (is_repeated(event, address, group)) return;
        if (is_loop(event)) return loop(event, address, group);
        const Counts one = counted(event, address, group);
        const std::tuple<uint32_t, uint8_t, uint8_t, uint8_t> key{event.pc, event.kind, event.space, event.bytes};
        Access& sum = sums->recent_accesses.get(event.pc / 4, key, [&] { return &sums->accesses[key]; });
        add(sum, event, address, group, one);
        if (event.space == kGlobal) remember(event, address, group, one);
        if (event.space == kLocal) sum.has_place |= has_place(address[__builtin_ctz(group)]);
        if (event.space == kGlobal || (event.space == kLocal && !sum.has_place)) return;
        for (int k = 0; k < kRuleCount; ++k) unite(kRules[k], runs[k], sums->merges[k], event, address, group, sum, one);
    }
    void unite(const Rule& rule, Runs& open, Merges& merges, const Event& event, const uint64_t* address,
               uint32_t group, const Access& sum, const Counts& one) {
        if (event.space == kLocal && !rule.local) return;
        if (event.kind != rule.kind) return open.flush(merges);
        if (event.bytes != rule.bytes || event.is_volatile) return;
        if (!open.add(rule, event.pc, group, address, one, merges)) return;
        const Run& run = open.open.back();
        std::array<uint32_t, kPieces> places{};
        std::copy(run.pc, run.pc + rule.pieces, places.begin());
        Merge& merge = merges.found[places];
        merge.pieces = static_cast<uint32_t>(rule.pieces);
        for (int k = 0; k < rule.pieces; ++k) merge.pc[k] = run.pc[k], merge.replaced[k] += run.counts[k];
        Event whole = event;
        whole.pc = run.pc[0], whole.bytes = static_cast<uint8_t>(rule.whole());
        add(merge.merged, whole, run.begin, group, counted(whole, run.begin, group));
        merge.merged.has_place = sum.has_place;
        open.open.pop_back();
    }
};

}  // namespace trace
