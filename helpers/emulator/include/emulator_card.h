// What the runtime tells of the device: a small one with the limits of compute capability 9.0, or a card's facts
// (helpers/emulator/card.py), for launchers that choose by them.
#pragma once

namespace [[gnu::visibility("hidden")]] emulator {

struct Card {  // the fields of `CardFacts` in helpers/emulator/card.py
    int major = 9, minor = 0;
    int multiprocessors = 4, threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
    int registers_per_block = 65536, registers_per_multiprocessor = 65536;
    int shared_per_multiprocessor = 228 << 10, shared_per_block = 227 << 10;
    int shared_reserved = 1024, shared_unit = 128;
    int l2_bytes = 1 << 20;
    int clock_khz = 1'000'000, memory_clock_khz = 1'000'000, memory_bits = 128;
    char name[256] = "CPU emulator";

    // Blocks that an SM holds. Threads and shared memory decide; registers, which are not known here, do not.
    int resident_blocks(int threads, long long shared_bytes) const {
        const long long warps = (threads + 31) / 32, shared = (shared_bytes + shared_unit - 1) / shared_unit * shared_unit;
        const long long by_threads = threads_per_multiprocessor / (warps * 32);
        const long long taken = shared + shared_reserved;
        const long long by_shared = taken ? shared_per_multiprocessor / taken : by_threads;
        const long long least = by_threads < by_shared ? by_threads : by_shared;
        return static_cast<int>(least < blocks_per_multiprocessor ? least : blocks_per_multiprocessor);
    }
};
inline Card& card() {
    static Card one;
    return one;
}

}  // namespace emulator
