// Memory of the GPU: inaccessible while a launcher's own code runs, as on a machine whose CPU cannot reach it.
// Part of the runtime.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <vector>

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

// Whole pages. Those of Python's tensors (`given`) belong to it; the others are cudaMalloc's.
struct DeviceRegion {
    char* begin;
    size_t bytes;
    bool writable, given;
    char* first = nullptr;  // of these pages, the tensor's own bytes
    size_t own = 0;

    bool has(const char* at) const { return at >= begin && at < begin + bytes; }
};

// Whole pages of managed or pinned memory, which a kernel was given, or an asynchronous copy, for which the host has not waited.
struct LentRegion {
    char* begin;
    size_t bytes;
    std::vector<const void*> streams;  // a wait for one of them is enough, as each may have a part
    bool readable;             // for the host, as no kernel has written it
    std::vector<char> before;  // while a kernel runs

    bool has(const char* at) const { return at >= begin && at < begin + bytes; }
};

// What the runtime allocates while one lives is no memory of the learner's (`note_new` in emulator_heap.h).
static thread_local int of_runtime = 0;
struct OfRuntime {
    OfRuntime() { ++of_runtime; }
    OfRuntime(const OfRuntime&) = delete;
    ~OfRuntime() { --of_runtime; }
};
// Not malloc's, which the learner's code calls: near such memory a pointer that a kernel is given would be the host's.
inline char* allocate_own(size_t bytes) {
    constexpr size_t kLine = 64;
    return static_cast<char*>(aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine));
}

// The regions are closed while at least one launcher runs and no kernel, cudaMemcpy or the like does.
struct DeviceMemory {
    std::mutex mutex;
    std::vector<DeviceRegion> regions;
    std::vector<LentRegion> lent;
    int launchers = 0, users = 0;
    bool closed = false;
};
inline DeviceMemory& device_memory() {
    static DeviceMemory* one = new DeviceMemory;
    return *one;
}

// While it is set, this OS thread holds the lock and cannot leave its launcher.
static thread_local volatile sig_atomic_t holds_device_memory = 0;
static thread_local int uses_of_device_memory = 0;

struct DeviceMemoryLock {
    DeviceMemoryLock() {
        holds_device_memory = 1;
        device_memory().mutex.lock();
    }
    ~DeviceMemoryLock() {
        device_memory().mutex.unlock();
        holds_device_memory = 0;
    }
};

inline void protect(const DeviceRegion& one, bool closed) {
    mprotect(one.begin, one.bytes, closed ? PROT_NONE : one.writable ? PROT_READ | PROT_WRITE
                                                                     : PROT_READ);
}
inline void protect(const LentRegion& one, bool closed) {
    mprotect(one.begin, one.bytes, !closed ? PROT_READ | PROT_WRITE : one.readable ? PROT_READ
                                                                                   : PROT_NONE);
}
inline void change_device_memory(int launchers, int users) {
    const DeviceMemoryLock lock;
    DeviceMemory& all = device_memory();
    all.launchers += launchers;
    all.users += users;
    uses_of_device_memory += users;
    const bool closed = all.launchers > 0 && all.users == 0;
    if (closed == all.closed) return;
    all.closed = closed;
    for (const DeviceRegion& one : all.regions) protect(one, closed);
    for (const LentRegion& one : all.lent) protect(one, closed);
}

UseDeviceMemory::UseDeviceMemory() { change_device_memory(0, 1); }
UseDeviceMemory::~UseDeviceMemory() { change_device_memory(0, -1); }

inline void begin_launcher() { change_device_memory(1, 0); }
// A launcher may have been left in the middle of a use.
inline void end_launcher() { change_device_memory(-1, -uses_of_device_memory); }

inline void add_device_memory(const DeviceRegion& one) {
    const DeviceMemoryLock lock;
    DeviceMemory& all = device_memory();
    all.regions.push_back(one);
    if (all.closed) protect(one, true);
}
template <typename Condition>
inline void remove_device_memory(const Condition& condition) {
    const DeviceMemoryLock lock;
    DeviceMemory& all = device_memory();
    if (all.closed) {
        for (const DeviceRegion& one : all.regions) {
            if (condition(one)) protect(one, false);
        }
    }
    all.regions.erase(std::remove_if(all.regions.begin(), all.regions.end(), condition), all.regions.end());
}

// The host may access the pages again when it waits, and may read until then what the kernel leaves as it is.
inline void lend(char* begin, size_t bytes, const void* stream, bool is_written) {
    constexpr size_t kCompared = 64 << 20;
    const UseDeviceMemory use;
    const DeviceMemoryLock lock;
    auto& lent = device_memory().lent;
    auto at = std::find_if(lent.begin(), lent.end(), [=](const LentRegion& other) { return other.begin == begin; });
    if (at == lent.end()) at = lent.insert(at, {begin, bytes, {}, true, {}});
    at->streams.push_back(stream);
    if (is_written) at->readable = false;
    if (at->readable && bytes <= kCompared) at->before.assign(begin, begin + bytes);
}
void settle_lent() {
    if (device_memory().lent.empty()) return;
    const UseDeviceMemory use;
    const DeviceMemoryLock lock;
    for (LentRegion& one : device_memory().lent) {
        if (one.before.empty()) continue;
        one.readable = memcmp(one.before.data(), one.begin, one.bytes) == 0;
        one.before = {};
    }
}
template <typename Condition>
inline void take_back(const Condition& condition) {
    if (device_memory().lent.empty()) return;
    const DeviceMemoryLock lock;
    auto& lent = device_memory().lent;
    for (const LentRegion& one : lent) {
        if (condition(one)) protect(one, false);
    }
    lent.erase(std::remove_if(lent.begin(), lent.end(), condition), lent.end());
}
// What one stream was lent is so another's that ends behind it.
void lend_to(const void* from, const void* to) {
    const DeviceMemoryLock lock;
    for (LentRegion& one : device_memory().lent) std::replace(one.streams.begin(), one.streams.end(), from, to);
}
// Of the launch to come, whose arguments are looked at one after another.
bool has_lent_for_launch() {
    const DeviceMemoryLock lock;
    const auto& lent = device_memory().lent;
    return std::any_of(lent.begin(), lent.end(), [](const LentRegion& one) { return !one.before.empty(); });
}

// Whether a tensor has more bytes than an int counts: an index of such may wrap there.
inline bool has_far_memory() {
    const DeviceMemoryLock lock;
    const auto& all = device_memory().regions;
    return std::any_of(all.begin(), all.end(), [](const DeviceRegion& one) { return one.bytes > INT32_MAX; });
}

inline bool is_tensor(const char* at) {
    const DeviceMemoryLock lock;
    const auto& all = device_memory().regions;
    return std::any_of(all.begin(), all.end(), [=](const DeviceRegion& one) { return one.given && one.has(at); });
}

// Whether an address lies in memory of the GPU that is closed. Called in a signal handler.
inline bool is_closed(const char* at) {
    DeviceMemory& all = device_memory();
    if (!all.closed) return false;
    for (const DeviceRegion& one : all.regions) {
        if (one.has(at)) return true;
    }
    return false;
}
inline bool is_lent(const char* at) {
    const DeviceMemory& all = device_memory();
    return all.closed && std::any_of(all.lent.begin(), all.lent.end(), [=](const LentRegion& one) { return one.has(at); });
}

}  // namespace emulator
