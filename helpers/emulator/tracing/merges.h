// Accesses to shared memory that nvcc makes one: LDS.128 in the place of four LDS, STS.64 in the place of two STS.
//
// Rule: four 4-byte reads by the same lanes of a warp that in each lane make up 16 aligned bytes, with no write to
// shared memory and nothing that synchronises between them, are one read of 16 bytes. A place in the code whose reads
// begin in the middle of such 16 bytes has an alignment that the compiler does not know: it keeps its 4 bytes. What is
// left of a loop whose length is no multiple of four stays single. Two of 8 bytes likewise, and where 16 bytes do not
// come together, two of 4 become one of 8. Writes as reads. trace_tables.py adds what only the source says. (From the H200's counters, data/trace_counters.csv:
// matmul, sums, layer_norm; nvcc unrolls a loop by four or whole. Global memory has no such rule: of a pointer that a
// kernel is given, no alignment beyond its type's is known.)
#pragma once

#include <array>
#include <set>

#include "events.h"

namespace trace {

constexpr int kPieces = 4;  // at most

// What may become one access, the widest first.
struct Rule {
    Kind kind;
    int bytes, pieces;
    bool local;  // in local memory, too
    int whole() const { return bytes * pieces; }
};
constexpr Rule kRules[] = {{kRead, 4, 4, true}, {kRead, 8, 2, false}, {kRead, 4, 2, false}, {kWrite, 4, 4, false}, {kWrite, 8, 2, false}, {kWrite, 4, 2, false}};
constexpr int kRuleCount = sizeof kRules / sizeof *kRules;

// What `Merge::merged` replaces when Python takes it over.
struct Merge {
    uint32_t pc[kPieces], pieces, unused;
    Counts replaced[kPieces];
    Access merged;
};

struct Merges {
    std::map<std::array<uint32_t, kPieces>, Merge> found;
    std::set<uint32_t> single;  // places whose reads stay as they are

    // Those of whose places none stays single; one that does keeps its partners from merging.
    std::vector<Merge> told() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [places, one] : found) {
                const auto is_single = [&](uint32_t pc) { return single.count(pc) > 0; };
                if (std::none_of(one.pc, one.pc + one.pieces, is_single)) continue;
                for (uint32_t k = 0; k < one.pieces; ++k) changed |= single.insert(one.pc[k]).second;
            }
        }
        std::vector<Merge> left;
        for (const auto& [places, one] : found) {
            if (!single.count(one.pc[0])) left.push_back(one);
        }
        return left;
    }
};

// 16 or 8 bytes of which a warp has read, or written, some pieces.
struct Run {
    uint32_t mask = 0, pieces = 0;
    uint64_t whole = 16;
    uint32_t pc[kPieces];
    Counts counts[kPieces];
    uint64_t begin[kWarp];

    bool is_of(uint32_t group, const uint64_t* address) const {
        if (group != mask) return false;
        for (uint32_t left = group; left; left &= left - 1) {
            const int i = __builtin_ctz(left);
            if (begin[i] != address[i] / whole * whole) return false;
        }
        return true;
    }
};

// The pieces that one warp has read and that may yet be merged.
struct Runs {
    static constexpr size_t kMost = 16;
    std::vector<Run> open;

    void clear() { open.clear(); }
    // Ends what has not come together: single reads, and a sign of unknown alignment unless they came from the front.
    void flush(Merges& merges) {
        for (const Run& run : open) end(run, merges);
        open.clear();
    }
    static void end(const Run& run, Merges& merges) {
        if ((run.pieces & (run.pieces + 1)) == 0) return;
        for (int k = 0; k < kPieces; ++k) {
            if (run.pieces >> k & 1) merges.single.insert(run.pc[k]);
        }
    }
    // Returns whether a run is whole now: it is open.back(), to be counted and taken away by the caller.
    bool add(const Rule& rule, uint32_t pc, uint32_t group, const uint64_t* address, const Counts& counts,
             Merges& merges) {
        const int first = __builtin_ctz(group);
        const auto whole = static_cast<uint64_t>(rule.whole()), bytes = static_cast<uint64_t>(rule.bytes);
        const uint64_t piece = address[first] % whole / bytes;
        for (uint32_t left = group; left; left &= left - 1) {
            if (address[__builtin_ctz(left)] % whole != piece * bytes) return merges.single.insert(pc), false;
        }
        auto run = std::find_if(open.begin(), open.end(), [&](const Run& one) { return one.is_of(group, address); });
        if (run != open.end() && run->pieces >> piece & 1) {  // read again
            end(*run, merges);
            open.erase(run);
            run = open.end();
        }
        if (run == open.end()) {
            if (open.size() == kMost) {
                end(open.front(), merges);
                open.erase(open.begin());
            }
            open.emplace_back();
            run = open.end() - 1;
            run->mask = group, run->whole = whole;
            for (int i = 0; i < kWarp; ++i) run->begin[i] = address[i] / whole * whole;
        }
        run->pieces |= 1u << piece;
        run->pc[piece] = pc;
        run->counts[piece] = counts;
        if (run->pieces != (1u << rule.pieces) - 1) return false;
        std::iter_swap(run, open.end() - 1);
        return true;
    }
};

}  // namespace trace
