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

namespace trace {

constexpr int kWarp = 32, kMaxThreads = 1024;
constexpr size_t kBuffered = 4096;         // events that a thread may be ahead of its warp
constexpr size_t kStackBytes = 256 << 10;  // as emulator_fiber.h has it
constexpr size_t kSteps = 4096;            // of the one warp whose steps are kept

enum Kind : uint8_t {
    kBlock,    // a basic block begins; address: the place of its last comparison
    kRead,
    kWrite,
    kAtomic,
    kBarrier,
    kWait,     // a warp operation; address: its mask
    kEnd,      // of the thread
};
enum Space : uint8_t { kGlobal,
                       kShared,
                       kLocal };

struct Event {
    uint64_t address;
    uint32_t pc;  // behind the call, counted from the library's beginning
    Kind kind;
    uint8_t bytes;
    Space space;
    uint8_t depth;  // of calls
};

// All requests of one instruction. The names are those of helpers/emulator/trace.py.
struct Access {
    uint32_t pc;
    uint8_t kind, space, bytes, unused;
    uint64_t requests, lanes, bytes_asked, sectors, lines, wavefronts, ideal_wavefronts, collisions;
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
    uint32_t pc, other_pc, space, rule;  // rule: 0 a race, 1 a read of what nobody has written
    uint32_t kind, other_kind;
    uint64_t address, thread, other_thread;  // block * 1024 + thread
    uint32_t bytes, count;
};
struct Array {
    char name[64];
    uint64_t begin, bytes, element;
};

inline int bits(uint32_t mask) { return __builtin_popcount(mask); }

// How many different values of `of(address)` there are, for small steps of a range.
struct Units {
    uint64_t found[kWarp * 2];
    int count = 0;
    void add(uint64_t unit) {
        for (int i = count; i-- > 0;) {
            if (found[i] == unit) return;
        }
        found[count++] = unit;
    }
};

// A wavefront serves each of the 32 banks once, with one 4-byte word. Accesses of 8 bytes go by half warps, of 16
// by quarters: the lanes of a part share wavefronts, different parts do not.
inline int wavefronts(const uint64_t* address, uint32_t mask, int bytes) {
    const int part = bytes <= 4 ? 32 : bytes == 8 ? 16
                                                  : 8;
    int sum = 0;
    for (int first = 0; first < kWarp; first += part) {
        uint64_t words[kWarp * 2];
        int count = 0, in_bank[32] = {}, most = 0;
        for (int lane = first; lane < first + part; ++lane) {
            if (!(mask >> lane & 1)) continue;
            for (int k = 0; k < (bytes + 3) / 4; ++k) {
                const uint64_t word = address[lane] / 4 + static_cast<uint64_t>(k);
                if (std::find(words, words + count, word) != words + count) continue;
                words[count++] = word;
                most = std::max(most, ++in_bank[word % 32]);
            }
        }
        sum += most;
    }
    return sum;
}

}  // namespace trace
