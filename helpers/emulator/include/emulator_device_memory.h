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

// The regions are closed while at least one launcher runs and no kernel, cudaMemcpy or the like does.
struct DeviceMemory {
    std::mutex mutex;
    std::vector<DeviceRegion> regions;
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

// Whether a tensor has more bytes than an int counts: an index of such may wrap there.
inline bool has_far_memory() {
    const DeviceMemoryLock lock;
    const auto& all = device_memory().regions;
    return std::any_of(all.begin(), all.end(), [](const DeviceRegion& one) { return one.bytes > INT32_MAX; });
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

}  // namespace emulator
