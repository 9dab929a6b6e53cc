// What a traced thread does, as events, and what is kept of them: sums by place in the code, never a log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "../include/emulator_trace.h"

namespace trace {

constexpr int kWarp = 32, kMaxThreads = 1024;
constexpr size_t kBuffered = 4096;         // events that a thread may be ahead of its warp
constexpr size_t kSteps = 4096;            // of the one warp whose steps are kept

enum Kind : uint8_t {
    kBlock,    // a basic block begins; address: the place of its last comparison
    kRead,
    kWrite,
    kAtomic,
    kBarrier,
    kWait,     // a warp operation; address: its mask
    kEnd,      // of the thread
    kLoop,     // the condition of an unrolled loop; address: `rounds`
};
enum Space : uint8_t { kGlobal,
                       kShared,
                       kLocal };

struct Event {
    uint64_t address;
    uint32_t pc;  // behind the call, counted from the library's beginning
    Kind kind;
    uint8_t bytes;
    Space space : 4;
    uint8_t is_volatile : 1;
    uint8_t how : 3;  // of an atomic: emulator::Atomic
    uint8_t depth;  // of calls

    Event(uint64_t address, uint32_t pc, Kind kind, uint8_t depth, int bytes = 0, Space space = kGlobal,
          bool is_volatile = false, emulator::Atomic how = emulator::Atomic::exchange)
        : address(address), pc(pc), kind(kind), bytes(static_cast<uint8_t>(bytes)), space(space), is_volatile(is_volatile), how(static_cast<uint8_t>(how)), depth(depth) {}
    // All but the address, and the part of it in which the events of one step agree.
    uint64_t what() const {
        uint64_t packed;
        memcpy(&packed, &pc, sizeof packed);
        return packed;
    }
    static constexpr uint64_t kStep = 0xff00ffffffffffff;  // without the space, is_volatile and how
};
static_assert(sizeof(Event) == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// What a thread says at the condition of an unrolled loop: which one, how it is unrolled, how many rounds are left.
struct Rounds {
    uint64_t loop, how, left;
    static uint64_t pack(uint64_t loop, uint64_t how, uint64_t left) {
        return loop << 44 | (how & 0xfff) << 32 | std::min<uint64_t>(left, 0xffffffff);
    }
    explicit Rounds(uint64_t packed) : loop(packed >> 44), how(packed >> 32 & 0xfff), left(packed & 0xffffffff) {}

    // A number that is the same for the rounds in which lanes meet, and greater for later ones. total: at the start.
    uint64_t key(uint64_t total) const {
        if (!left) return ~0ull;
        const uint64_t unroll = how & emulator::kUnroll, rest = total % unroll, done = total - left;
        const auto at = [](uint64_t part, uint64_t round) { return part << 40 | round; };
        if (how & emulator::kRestLast) return done < total - rest ? at(1, done) : at(5, done - (total - rest));
        if (done < rest) return at(0, done);
        if (!(how & emulator::kAgain)) return at(1, done - rest);
        const uint64_t all = (total - rest) / unroll, mine = (done - rest) / unroll, part = (done - rest) % unroll;
        const uint64_t four = all / 4 * 4, two = all % 4 / 2 * 2;  // by 4 x unroll, by 2 x unroll, by unroll
        if (mine < four) return at(1, mine * unroll + part);
        if (mine < four + two) return at(2, (mine - four) * unroll + part);
        return at(3, part);
    }
};

// Sums over requests. The names are those of helpers/emulator/trace.py.
struct Counts {
    uint64_t requests, lanes, bytes_asked, sectors, lines, wavefronts, ideal_wavefronts, collisions;
    void operator+=(const Counts& other) {
        requests += other.requests, lanes += other.lanes, bytes_asked += other.bytes_asked;
        sectors += other.sectors, lines += other.lines, wavefronts += other.wavefronts;
        ideal_wavefronts += other.ideal_wavefronts, collisions += other.collisions;
    }
};
// All requests of one instruction.
struct Access {
    uint32_t pc;
    uint8_t kind, space, bytes;
    uint8_t is_sum : 1;     // an atomic of integers that a warp can do as one
    uint8_t has_place : 1;  // of an array that the kernel keeps in local memory
    Counts sums;
    uint32_t worst_mask, worst_cost;  // the request of most sectors, or wavefronts, and its addresses
    uint64_t worst[kWarp];
};
struct Branch {
    uint32_t pc, block;  // of the comparison, of the basic block that it ends
    uint32_t first_target, targets;  // targets: 1 or 2, where 2 means several
    uint64_t executed, divergent, lanes;
};
struct Sync {
    uint32_t pc, kind;
    uint64_t executed, lanes;
};
// One step of the warp that is followed: a request, a block or a barrier, and who took part.
struct Step {
    uint32_t pc, mask;
    uint8_t kind, space, bytes, unused[5];
    uint64_t address[kWarp];
};
struct Race {
    uint32_t pc, other_pc, space, rule;  // rule: see RULES in trace_tables.py
    uint32_t kind, other_kind;
    uint64_t address, thread, other_thread;  // block * 1024 + thread
    uint32_t bytes, count;
    uint32_t scope;   // the farthest threads of all such pairs: 0 of one warp, 1 of one block, 2 of two blocks
    uint32_t update;  // whether both threads read the bytes and then write them: one update may be lost
    uint32_t between;  // the place of a warp operation or an atomic at which the two met, and which does not order them
    uint32_t past;     // bytes behind the end of its memory
};
struct Array {
    char name[64];
    uint64_t begin, bytes, element;
};

// Reads at one place of what a read at another, or the same in an earlier round of a loop, has brought already.
struct Again {
    uint32_t pc, first_pc, bytes, space;
    Counts counts;
};
constexpr size_t kReads = 32;
struct Read {
    uint32_t pc, mask;
    uint8_t bytes;
    uint64_t address[kWarp];
};

// Over all launches of a call.
struct Launched {
    uint64_t blocks, threads;
    uint64_t writers;  // threads that wrote to global memory, plainly or by an atomic
    uint64_t together;  // launches that are not traced: their blocks run at the same time
};

// An array of a thread, of which the compiler does not know which element is wanted: it has an address.
struct Local {
    uint64_t begin, bytes;  // on the thread's stack, where it lies at the same place in each
};

inline int bits(uint32_t mask) { return __builtin_popcount(mask); }

// How many different values of `of(address)` there are, for small steps of a range.
struct Units {
    uint64_t found[kWarp * 4];
    int count = 0;
    void add(uint64_t unit) {
        for (int i = count; i-- > 0;) {
            if (found[i] == unit) return;
        }
        found[count++] = unit;
    }
};

// The 32-byte sectors, the 128-byte lines and the addresses of a request.
struct Touched {
    uint64_t sectors, lines, places;
};
inline Touched touched(const uint64_t* address, uint32_t mask, uint64_t bytes) {
    Touched sum{};
    uint64_t sector = ~0ull, line = ~0ull, before = ~0ull;
    const auto count = [](uint64_t& of, uint64_t& newest, uint64_t unit) { of += unit != newest, newest = unit; };
    uint32_t left = mask;
    for (; left; left &= left - 1) {  // where no lane goes back, a unit that comes again comes at once
        const uint64_t at = address[__builtin_ctz(left)], last = at + bytes - 1;
        if (before != ~0ull && at != before && at < before + bytes) break;
        if (at == before) continue;
        count(sum.sectors, sector, at / 32), count(sum.sectors, sector, last / 32);
        count(sum.lines, line, at / 128), count(sum.lines, line, last / 128);
        count(sum.places, before, at);
    }
    if (!left) return sum;
    Units sectors, lines, places;
    for (left = mask; left; left &= left - 1) {
        const uint64_t at = address[__builtin_ctz(left)], last = at + bytes - 1;
        sectors.add(at / 32), sectors.add(last / 32);
        lines.add(at / 128), lines.add(last / 128);
        places.add(at);
    }
    return {static_cast<uint64_t>(sectors.count), static_cast<uint64_t>(lines.count), static_cast<uint64_t>(places.count)};
}

// Local memory is interleaved: the same 4-byte word of 32 threads makes up 128 bytes.
inline Units local_words(const uint64_t* address, uint32_t mask, int bytes, int lanes_apart) {
    Units units;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        for (int k = 0; k < (bytes + 3) / 4; ++k) {
            const uint64_t word = address[lane] / 4 + static_cast<uint64_t>(k);
            units.add(word * kWarp + static_cast<uint64_t>(lane / lanes_apart));
        }
    }
    return units;
}

// The sectors of an atomic: lanes that meet at one address take turns, each with its sector. (From the H200's counters:
// data/trace_counters.csv, sum_atomic_each and global_histogram.)
inline uint64_t atomic_sectors(const uint64_t* address, uint32_t mask) {
    std::map<uint64_t, std::map<uint64_t, uint64_t>> lanes;  // by sector and address
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint64_t at = address[__builtin_ctz(left)];
        ++lanes[at / 32][at];
    }
    uint64_t sum = 0;
    for (const auto& [sector, places] : lanes) {
        uint64_t most = 0;
        for (const auto& [at, count] : places) most = std::max(most, count);
        sum += most;
    }
    return sum;
}

// The words that lanes want of the bank that is wanted most: the wavefronts of a part of a warp.
inline int most_in_a_bank(const uint64_t* address, uint32_t mask, int bytes) {
    uint64_t words[kWarp * 4];
    int count = 0, in_bank[32] = {}, most = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        for (int k = 0; k < (bytes + 3) / 4; ++k) {
            const uint64_t word = address[__builtin_ctz(left)] / 4 + static_cast<uint64_t>(k);
            if (std::find(words, words + count, word) != words + count) continue;
            words[count++] = word;
            most = std::max(most, ++in_bank[word % 32]);
        }
    }
    return most;
}

struct Waves {
    int taken, needed;  // needed: of the same width without a conflict
};

// A wavefront serves each of the 32 banks once, with one 4-byte word. Accesses of 8 bytes go by half warps, of 16 by
// quarters, each on its own; two neighbouring parts share one wavefront if they do not conflict at all, as when all
// lanes read the same; writes never do. (From the H200's counters: data/trace_counters.csv, shared_widths, matmul,
// layer_norm and some16.)
inline Waves wavefronts(const uint64_t* address, uint32_t mask, int bytes, bool is_write) {
    if (bytes <= 4) return {most_in_a_bank(address, mask, bytes), 1};
    const int part = bytes == 8 ? 16 : 8;
    Waves sum{0, 0};
    for (int first = 0; first < kWarp; first += 2 * part) {
        const uint32_t low = mask & (((1u << part) - 1) << first);
        const uint32_t high = mask & (((1u << part) - 1) << (first + part));
        if (!is_write && most_in_a_bank(address, low | high, bytes) <= 1) {
            sum.taken += (low | high) != 0;
            sum.needed += (low | high) != 0;
        } else {
            sum.taken += most_in_a_bank(address, low, bytes) + most_in_a_bank(address, high, bytes);
            sum.needed += (low != 0) + (high != 0);
        }
    }
    return sum;
}
}  // namespace trace
