// Pointers of the host in memory of the GPU: a kernel that follows one faults, as on a GPU. Each such word is exchanged for
// an address that nothing can access, as far from those beside it as it was, and exchanged back in what the host gets again.
// Part of the runtime.
#pragma once

#include "emulator_heap.h"

namespace [[gnu::visibility("hidden")]] emulator {

constexpr size_t kMostSearched = 64 << 20;  // bytes of one copy
constexpr size_t kMostSearchedForSmall = 1 << 20;  // for words that may as well be numbers, where a heap begins below 4 GB
constexpr size_t kMostSearchedManaged = 16 << 20;  // of an allocation, in each launch

// 4 GB of the host's addresses for each of the stands-ins'.
struct StandIns {
    static constexpr int kBits = 32;
    static constexpr size_t kPlaces = Unreachable::kCopied >> kBits;
    std::mutex mutex;
    std::vector<uintptr_t> places;  // their upper bits

    // Null if there is no place.
    const char* of(const char* at) {
        if (!unreachable().is_there()) return nullptr;
        const auto word = reinterpret_cast<uintptr_t>(at);
        const std::lock_guard<std::mutex> lock(mutex);
        auto place = std::find(places.begin(), places.end(), word >> kBits);
        if (place == places.end() && places.size() == kPlaces) return nullptr;
        if (place == places.end()) place = places.insert(place, word >> kBits);
        return unreachable().copied() + (static_cast<size_t>(place - places.begin()) << kBits) + (word & ((uintptr_t{1} << kBits) - 1));
    }
    // Null if it stands for nothing.
    const char* behind(const char* stand_in) {
        if (!unreachable().is_copied(stand_in)) return nullptr;
        const auto offset = static_cast<size_t>(stand_in - unreachable().copied());
        const std::lock_guard<std::mutex> lock(mutex);
        if (offset >> kBits >= places.size()) return nullptr;
        return reinterpret_cast<const char*>(places[offset >> kBits] << kBits | (offset & ((size_t{1} << kBits) - 1)));
    }
};
inline StandIns& stand_ins() {
    static StandIns* one = new StandIns;
    return *one;
}

inline bool is_small(const char* word) { return reinterpret_cast<uintptr_t>(word) >> 32 == 0; }

// Where memory of the host alone may lie, in order.
struct HostRanges {
    using Range = std::pair<const char*, const char*>;
    std::vector<Range> all;

    HostRanges() {
        all.reserve(2 + 2 * kHostArrays);  // no allocation while the lock is held
        const Stack stack;
        all.emplace_back(stack.lowest, stack.end);
        all.push_back(range_of_library());
#if EMULATOR_WRAPS_CALLS
        const HeapLock lock;
        for (const HostArray* table : {host_arrays, news}) {
            for (const HostArray* one = table; one < table + kHostArrays; ++one) {
                if (one->address && !one->freed) all.emplace_back(one->address, one->address + one->bytes);
            }
        }
#endif
        std::sort(all.begin(), all.end());
    }
    bool have(const char* at) const {
        const auto after = std::upper_bound(all.begin(), all.end(), at, [](const char* one, const Range& range) { return one < range.first; });
        return after != all.begin() && at < std::prev(after)->second && (!is_small(at) || at == std::prev(after)->first);
    }
};

// Calls change(word) for each aligned word; what it returns, if not null, takes the word's place.
template <typename Change>
inline void change_words(void* begin, size_t bytes, const Change& change) {
    const auto first = (reinterpret_cast<uintptr_t>(begin) + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*);
    const auto end = reinterpret_cast<uintptr_t>(begin) + bytes;
    const uintptr_t lowest = bytes <= kMostSearchedForSmall ? kLowestAddress : uintptr_t{1} << 32;
    for (uintptr_t at = first; at + sizeof(void*) <= end; at += sizeof(void*)) {
        const char* word;
        memcpy(&word, reinterpret_cast<void*>(at), sizeof word);
        const auto number = reinterpret_cast<uintptr_t>(word);
        if (__builtin_expect(number < lowest || number >> 47, 1)) continue;
        if (const char* const other = change(word)) memcpy(reinterpret_cast<void*>(at), &other, sizeof other);
    }
}
// Returns how many words were exchanged. statics: those of variables of the file, too.
inline size_t exchange_words(void* begin, size_t bytes, bool statics) {
    size_t count = 0;
    std::unique_ptr<HostRanges> ranges;
    change_words(begin, bytes, [&](const char* word) -> const char* {
        if (!ranges) ranges = std::make_unique<HostRanges>();
        if (!ranges->have(word)) return nullptr;
        const Side side = known(word).side;
        if (side != Side::host && !(side == Side::unknown && statics && is_static(word))) return nullptr;
        const char* const other = stand_ins().of(word);
        count += other != nullptr;
        return other;
    });
    return count;
}
inline void exchange_back(void* begin, size_t bytes) {
    if (stand_ins().places.empty()) return;
    change_words(begin, bytes, [](const char* word) { return stand_ins().behind(word); });
}
void note_copied_to_gpu(void* to, size_t bytes) {
    if (host && bytes <= kMostSearched) exchange_words(to, bytes, true);
}
void note_copied(void* to, const void* from, size_t bytes) {
    const Side written = known(static_cast<const char*>(to)).side;
    if (written != Side::gpu) return exchange_back(to, bytes);
    if (known(static_cast<const char*>(from)).side != Side::gpu) note_copied_to_gpu(to, bytes);
}
void note_copied_from_gpu(void* to, size_t bytes) { exchange_back(to, bytes); }

// A kernel may itself put there what the file's variables are called by: the tables of virtual functions.
ManagedWords::ManagedWords() {
    if (!host) return;
    std::vector<std::pair<char*, size_t>> found;
    {
        Allocations& every = allocations();
        const std::lock_guard<std::mutex> lock(every.mutex);
        for (const auto& [address, one] : every.live) {
            if (one.side != Side::gpu && one.bytes <= kMostSearchedManaged) found.emplace_back(address, one.bytes);
        }
    }
    size_t count = 0;
    for (const auto& [begin, bytes] : found) count += exchange_words(begin, bytes, false);
    if (count) exchanged = std::move(found);
}
ManagedWords::~ManagedWords() {
    for (const auto& [begin, bytes] : exchanged) exchange_back(begin, bytes);
}

}  // namespace emulator
