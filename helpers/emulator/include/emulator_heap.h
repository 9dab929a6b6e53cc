// The heap that the learner's code has from malloc and new: in a launcher the C library's, in a kernel the GPU's. What is
// freed twice, or was never there to free, is a fault, as is what was written past an array's end. Part of the runtime.
#pragma once

#include <map>

#include "emulator_memory.h"

#if EMULATOR_WRAPS_CALLS
extern "C" void* __real_malloc(size_t);
extern "C" void __real_free(void*);
extern "C" void* __real_realloc(void*, size_t);
extern "C" void* __real__Znwm(size_t);
extern "C" void __real__ZdlPv(void*);
#endif

namespace [[gnu::visibility("hidden")]] emulator {

#if EMULATOR_WRAPS_CALLS
// The C++ library's new and delete. Where the compiler links that library into this one (-static-libstdc++, or no
// libstdc++.so beside it), the malloc and free that they call are the wrapped ones, too: these then go straight through.
static thread_local int in_library = 0;
struct InLibrary {
    InLibrary() { ++in_library; }
    ~InLibrary() { --in_library; }
};
inline void* library_new(size_t bytes) {
    const InLibrary here;
    return __real__Znwm(bytes);
}
inline void library_delete(void* memory) {
    const InLibrary here;
    __real__ZdlPv(memory);
}
#endif

constexpr size_t kHeapCanaryBytes = 32;  // behind each array
constexpr unsigned char kHeapCanary = 0xcb;

// Its holder is neither interrupted nor stopped: the C library's locks know no fibers, and a handler allocates, too.
struct WhileAllocating {
    Worker* w = self;
    WhileAllocating() {
        add(1);
        allocating = allocating + 1;
    }
    ~WhileAllocating() {
        allocating = allocating - 1;
        add(-1);
        // A kernel that does little else would hardly ever be met outside of here.
        if (w && w->missed_tick && !w->busy) pthread_kill(w->os_thread, SIGURG);
    }
    void add(int one) const {  // by one OS thread and its signal handlers only
        if (w) w->busy.store(w->busy.load(std::memory_order_relaxed) + one, std::memory_order_relaxed);
    }
};

static std::atomic_flag heap_lock = ATOMIC_FLAG_INIT;
struct HeapLock {
    HeapLock() {
        while (heap_lock.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    ~HeapLock() { heap_lock.clear(std::memory_order_release); }
};

inline bool heap_overrun(const char* address, size_t bytes, size_t canary = kHeapCanaryBytes) {
    for (size_t i = 0; i < canary; ++i) {
        if (static_cast<unsigned char>(address[bytes + i]) != kHeapCanary) return true;
    }
    return false;
}

// A mistake of the launcher; one that may have spoilt the heap is the last that its process says.
inline void heap_error(const Cause& cause, bool spoilt, const char* format, ...) __attribute__((format(printf, 3, 4)));
inline void heap_error(const Cause& cause, bool spoilt, const char* format, ...) {
    if (!host) return;
    char words[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (spoilt) say_last_words(cause, words);
    host_error(cause, words);
}
inline void report_host_overrun(size_t bytes) {
    heap_error({700, Rule::host}, true, "itself wrote past the end of an array of %zu bytes on the host", bytes);
}

#if EMULATOR_WRAPS_CALLS
// ---- a launcher's arrays ------------------------------------------------------------------------------------------

// By a hash of the address, at one of a few places; no allocation here, as allocations come here. While the launcher runs, what
// it frees stays allocated as long as its place is not needed: then no other array can have its address.
struct HostArray {
    char* address;
    size_t bytes;
    bool freed, by_delete;
    uint64_t launch;  // of the launchers that have run, whose it is
};
constexpr size_t kHostArrays = 4096;
constexpr size_t kMostKeptOfOne = 16 << 20, kMostKeptOfAll = 64 << 20;  // bytes
static HostArray host_arrays[kHostArrays];
static size_t kept_bytes = 0;
static uint64_t launches = 1;  // 0: before the first one

inline size_t hash_of(const void* address) { return (reinterpret_cast<uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15u >> 52; }
// The place of an address: its own if it has one, else one that is empty or freed, if there is one.
inline HostArray& host_array(const char* address) {
    constexpr size_t kPlacesEach = 4;
    HostArray* best = nullptr;
    for (size_t i = 0; i < kPlacesEach; ++i) {
        HostArray& one = host_arrays[(hash_of(address) + i) % kHostArrays];
        if (one.address == address) return one;
        const auto rank = [](const HostArray& place) { return !place.address ? 0 : place.freed ? 1
                                                                                               : 2; };
        if (!best || rank(one) < rank(*best)) best = &one;
    }
    return *best;
}
inline void let_go(HostArray& one) {
    kept_bytes -= one.bytes;
    one.by_delete ? library_delete(one.address) : __real_free(one.address);
    one = {};
}
inline void let_all_go() {
    for (HostArray& one : host_arrays) {
        if (one.freed) let_go(one);
    }
}
inline void unwatch(void* memory) {
    size_t bytes = 0;
    {
        const HeapLock lock;
        HostArray& place = host_array(static_cast<char*>(memory));
        if (place.address != memory || place.freed) return;
        bytes = place.bytes;
        place.address = nullptr;
    }
    if (heap_overrun(static_cast<char*>(memory), bytes)) report_host_overrun(bytes);
}
// Enters an array if there is room for it in the table.
inline void* watch(void* memory, size_t bytes) {
    if (!memory) return memory;
    char* address = static_cast<char*>(memory);
    memset(address + bytes, kHeapCanary, kHeapCanaryBytes);
    const HeapLock lock;
    HostArray& place = host_array(address);
    if (place.freed) let_go(place);
    if (!place.address || place.address == address) place = {address, bytes, false, false, launches};
    return memory;
}
inline const char* in_kernel_heap(const char* at);

// What a launcher hands to free() or delete[] that neither has given; null if nothing is known against it.
inline const char* why_not_freed(const char* at) {
    if (is_device_memory(at)) return "memory of the GPU: cudaFree is for that";
    if (is_on_stack(at)) return "a local variable: only what malloc or new has given can be freed";
    if (in_kernel_heap(at)) return "memory that malloc or new has given to a kernel: free it in a kernel";
    const HeapLock lock;
    for (const HostArray& one : host_arrays) {
        if (one.address && at > one.address && at < one.address + one.bytes) {
            return "an address inside an array: free the pointer that malloc or new has given";
        }
    }
    if (reinterpret_cast<uintptr_t>(at) % 16) return "an address that neither malloc nor new has given";
    return nullptr;
}
// Who frees: free() and delete[] are given what `watch` knows, `delete` also what it does not.
enum class Freed { by_free,
                   by_delete_array,
                   by_delete };
// Frees what is no kernel's array, or says why not.
inline const char* free_of_host(void* memory, Freed how) {
    char* const address = static_cast<char*>(memory);
    if (!address) return nullptr;
    const bool by_delete = how != Freed::by_free, learners = host || in_kernel_code();
    bool twice = false, overrun = false, known = false, keep = false;
    size_t bytes = 0;
    if (how == Freed::by_delete && host && in_kernel_heap(address)) return why_not_freed(address);
    if (how == Freed::by_delete) (void)*static_cast<volatile char*>(address);  // a fault here, and not with the lock held
    {
        const HeapLock lock;
        HostArray& place = host_array(address);
        twice = place.address == address && place.freed;
        known = place.address == address && !place.freed;
        if (known) {
            bytes = place.bytes;
            overrun = heap_overrun(address, bytes);
        }
        if (learners && !twice && (known || how == Freed::by_delete) && bytes <= kMostKeptOfOne) {
            if (!known && place.freed) let_go(place);
            keep = known || !place.address;
            if (keep) {
                place = {address, bytes, true, by_delete, launches};
                kept_bytes += bytes;
                if (kept_bytes > kMostKeptOfAll) let_all_go();
            }
        } else if (known) {
            place = {};
        }
    }
    if (overrun) report_host_overrun(bytes);
    if (twice) return "memory that is freed already";
    if (keep) return nullptr;
    if (const char* why = host && !known && how != Freed::by_delete ? why_not_freed(address) : nullptr) return why;
    by_delete ? library_delete(memory) : __real_free(memory);
    return nullptr;
}
inline void check_host_arrays() {
    size_t bytes = 0;
    {
        const HeapLock lock;
        for (HostArray& one : host_arrays) {
            if (!one.address || one.freed || !heap_overrun(one.address, one.bytes)) continue;
            bytes = one.bytes;
            one.address = nullptr;
        }
    }
    if (bytes) report_host_overrun(bytes);
}

// What `new T` and std::vector have got from a running launcher. It is not known when the C++ library itself frees some of
// it; but nothing else can have such an address before the launcher ends, as a GPU's memory is no part of this heap.
static HostArray news[kHostArrays];
static bool has_news = false;

inline void* note_new(void* memory, size_t bytes) {
    if (!host || of_runtime || in_kernel_code()) return memory;
    const HeapLock lock;
    news[hash_of(memory)] = {static_cast<char*>(memory), bytes, false, false, launches};
    has_news = true;
    return memory;
}
inline void forget_news() {
    if (has_news) std::fill(std::begin(news), std::end(news), HostArray{});
    has_news = false;
}

// Of a launcher's own arrays and variables.
Known known_of_host(const char* at) {
    {
        const HeapLock lock;
        for (const HostArray& one : news) {
            if (has_news && one.address && at >= one.address && at < one.address + one.bytes) return {Side::host, 0, SIZE_MAX};
        }
        for (const HostArray& one : host_arrays) {
            if (!one.freed && one.address && at >= one.address && at < one.address + one.bytes) {
                return known_from(at, one.address, one.bytes, Side::host);
            }
        }
    }
    return is_on_stack(at) ? Known{Side::host, 0, SIZE_MAX} : Known{};
}

// ---- the kernels' heap --------------------------------------------------------------------------------------------

// Its own allocations are no learner's.
template <typename T>
struct Unwatched {
    using value_type = T;
    Unwatched() = default;
    template <typename U>
    Unwatched(const Unwatched<U>&) {}
    T* allocate(size_t count) { return static_cast<T*>(__real_malloc(count * sizeof(T))); }
    void deallocate(T* memory, size_t) { __real_free(memory); }
    template <typename U>
    bool operator==(const Unwatched<U>&) const { return true; }
    template <typename U>
    bool operator!=(const Unwatched<U>&) const { return false; }
};
struct KernelArray {
    size_t bytes;
    bool freed;     // it stays allocated for a while, so that no other has its address
    char* mapping;  // between two gaps, at whose second one the array ends; null: it is the C library's

    size_t room() const { return (std::max(bytes, size_t{1}) + 15) / 16 * 16; }
    size_t canary() const { return mapping ? room() - bytes : kHeapCanaryBytes; }
};
// An array between gaps costs two system calls, and a process has room for some 65,000 mappings.
constexpr size_t kGuardedArrays = 1024;
struct KernelHeap {
    std::map<char*, KernelArray, std::less<char*>, Unwatched<std::pair<char* const, KernelArray>>> arrays;
    size_t used = 0, freed = 0;  // bytes
    size_t guarded = 0;          // arrays
};
inline KernelHeap& kernel_heap() {
    static KernelHeap* one = new (__real_malloc(sizeof(KernelHeap))) KernelHeap;
    return *one;
}
template <typename Condition>
inline void drop_kernel_arrays(KernelHeap& heap, Condition condition) {
    for (auto one = heap.arrays.begin(); one != heap.arrays.end();) {
        if (!condition(one->second)) {
            ++one;
            continue;
        }
        const KernelArray& array = one->second;
        heap.guarded -= array.mapping != nullptr;
        array.mapping ? unmap_guarded(array.mapping, array.room(), kGap) : __real_free(one->first);
        one = heap.arrays.erase(one);
    }
}
// Null where the heap has no such room, as on a GPU.
inline void* kernel_malloc(size_t bytes) {
    const HeapLock lock;
    KernelHeap& heap = kernel_heap();
    if (bytes > kernel_heap_bytes || heap.used > kernel_heap_bytes - bytes) return nullptr;
    KernelArray one{bytes, false, nullptr};
    if (heap.guarded < kGuardedArrays) one.mapping = try_map_guarded(one.room(), kGap);
    heap.guarded += one.mapping != nullptr;
    char* const address = one.mapping ? one.mapping + whole_pages(one.room()) - one.room()
                                      : static_cast<char*>(__real_malloc(bytes + kHeapCanaryBytes));
    if (!address) return nullptr;
    memset(address, kPoison, bytes);
    memset(address + bytes, kHeapCanary, one.canary());
    heap.arrays[address] = one;
    heap.used += bytes;
    emulator_trace_room(address, bytes, bytes + one.canary());
    return address;
}
inline const char* in_kernel_heap(const char* at) {
    const HeapLock lock;
    const auto& arrays = kernel_heap().arrays;
    auto after = arrays.upper_bound(const_cast<char*>(at));
    if (after == arrays.begin()) return nullptr;
    const auto& [address, one] = *--after;
    return at < address + std::max(one.bytes, size_t{1}) ? address : nullptr;
}
// Of an access that failed: beside such an array, or in one that is freed.
bool describe_kernel_array(const char* at, char* text, size_t size) {
    const HeapLock lock;
    for (const auto& [address, one] : kernel_heap().arrays) {
        if (!one.mapping || at < one.mapping - kGap || at >= one.mapping + whole_pages(one.room()) + kGap) continue;
        snprintf(text, size, "byte %td of %zu bytes that malloc or new gave in a kernel%s", at - address, one.bytes,
                 one.freed ? ", and that are freed already" : "");
        return true;
    }
    return false;
}
inline bool is_kernel_array(char* address) {
    const HeapLock lock;
    return kernel_heap().arrays.count(address) != 0;
}
// What is wrong with it; null if it is freed.
inline const char* kernel_free(void* memory, size_t& bytes) {
    char* const address = static_cast<char*>(memory);
    const HeapLock lock;
    KernelHeap& heap = kernel_heap();
    const auto found = heap.arrays.find(address);
    if (found == heap.arrays.end()) return "memory that malloc did not give in a kernel";
    KernelArray& one = found->second;
    if (one.freed) return "memory that is freed already";
    one.freed = true;
    bytes = one.bytes;
    heap.used -= bytes;
    heap.freed += bytes;
    const bool overrun = heap_overrun(address, bytes, one.canary());
    emulator_trace_freed();
    if (one.mapping) mprotect(one.mapping, whole_pages(one.room()), PROT_NONE);
    if (heap.freed > kMostKeptOfOne) {
        drop_kernel_arrays(heap, [](const KernelArray& array) { return array.freed; });
        heap.freed = 0;
    }
    return overrun ? "" : nullptr;
}
// What the learner's code frees, in a launcher or in a kernel.
inline void free_of_learner(void* memory, Freed how) {
    if (!memory) return;
    const char* const function = how == Freed::by_free ? "free" : how == Freed::by_delete ? "delete"
                                                                                          : "delete[]";
    const bool kernel = in_kernel_code();
    size_t bytes = 0;
    const char* wrong = nullptr;
    {
        const WhileAllocating guard;
        const bool of_heap = kernel && (how != Freed::by_delete || is_kernel_array(static_cast<char*>(memory)));
        wrong = of_heap ? kernel_free(memory, bytes) : free_of_host(memory, how);
    }
    if (!wrong) return;
    if (!*wrong) {
        fault({700, Rule::out_of_bounds, Access::write, memory},
              "a write past the end of the %zu bytes that malloc gave, found by %s", bytes, function);
    }
    if (kernel) fault({719, Rule::trap}, "%s of %s", function, wrong);
    heap_error({719, Rule::host}, false, "called %s with %s", function, wrong);
}
inline void check_kernel_arrays() {
    size_t bytes = 0;
    {
        const HeapLock lock;
        for (auto& [address, one] : kernel_heap().arrays) {
            if (one.freed || !heap_overrun(address, one.bytes, one.canary())) continue;
            bytes = one.bytes;
            memset(address + bytes, kHeapCanary, one.canary());  // told once
        }
    }
    if (!bytes) return;
    char what[160];
    snprintf(what, sizeof what, "called a kernel that wrote past the end of the %zu bytes that its malloc gave", bytes);
    host_error({700, Rule::out_of_bounds, Access::write}, what);
}
#endif

void* new_object(size_t bytes) {
#if EMULATOR_WRAPS_CALLS
    if (in_kernel_code()) {
        const WhileAllocating guard;
        return kernel_malloc(bytes);
    }
#endif
    return ::operator new(bytes);
}

#if !EMULATOR_WRAPS_CALLS
Known known_of_host(const char*) { return {}; }
bool describe_kernel_array(const char*, char*, size_t) { return false; }
#endif

// When a launcher returns.
void check_heap() {
#if EMULATOR_WRAPS_CALLS
    check_host_arrays();
    check_kernel_arrays();
#endif
}
// A fault ends all that lives on a GPU, and with it what its kernels have not freed.
void end_heap() {
#if EMULATOR_WRAPS_CALLS
    const WhileAllocating guard;
    const HeapLock lock;
    let_all_go();
    forget_news();
    const uint64_t mine = launches++;
    if (!report().has_fault()) return;
    for (HostArray& one : host_arrays) {  // a launcher that was left has freed nothing
        if (one.launch == mine) one = {};
    }
    drop_kernel_arrays(kernel_heap(), [](const KernelArray&) { return true; });
    kernel_heap().used = kernel_heap().freed = kernel_heap().guarded = 0;
#endif
}

}  // namespace emulator

#if EMULATOR_WRAPS_CALLS
EMULATOR_HIDDEN void* __wrap_malloc(size_t bytes) {
    if (::emulator::in_library) return __real_malloc(bytes);
    const ::emulator::WhileAllocating guard;
    if (bytes > SIZE_MAX / 2) return nullptr;
    if (::emulator::in_kernel_code()) return ::emulator::kernel_malloc(bytes);
    return ::emulator::watch(__real_malloc(bytes + ::emulator::kHeapCanaryBytes), bytes);
}
EMULATOR_HIDDEN void* __wrap_calloc(size_t count, size_t each) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes)) return nullptr;
    void* memory = __wrap_malloc(bytes);
    return memory ? memset(memory, 0, bytes) : nullptr;
}
EMULATOR_HIDDEN void __wrap_free(void* memory) {
    if (::emulator::in_library) return __real_free(memory);
    ::emulator::free_of_learner(memory, ::emulator::Freed::by_free);
}
EMULATOR_HIDDEN void* __wrap_realloc(void* memory, size_t bytes) {
    if (!memory) return __wrap_malloc(bytes);
    const ::emulator::WhileAllocating guard;
    if (bytes > SIZE_MAX / 2) return nullptr;
    ::emulator::unwatch(memory);
    return ::emulator::watch(__real_realloc(memory, bytes + ::emulator::kHeapCanaryBytes), bytes);
}
EMULATOR_HIDDEN void* __wrap__Znam(size_t bytes) {  // new T[n]
    const ::emulator::WhileAllocating guard;
    if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
    if (::emulator::in_kernel_code()) return ::emulator::kernel_malloc(bytes);
    return ::emulator::watch(::emulator::library_new(bytes + ::emulator::kHeapCanaryBytes), bytes);
}
EMULATOR_HIDDEN void __wrap__ZdaPv(void* memory) { ::emulator::free_of_learner(memory, ::emulator::Freed::by_delete_array); }
EMULATOR_HIDDEN void __wrap__ZdaPvm(void* memory, size_t) { __wrap__ZdaPv(memory); }
EMULATOR_HIDDEN void* __wrap__Znwm(size_t bytes) {  // new T, std::vector: the C++ library itself may free it
    const ::emulator::WhileAllocating guard;
    return ::emulator::note_new(::emulator::library_new(bytes), bytes);
}
EMULATOR_HIDDEN void __wrap__ZdlPv(void* memory) { ::emulator::free_of_learner(memory, ::emulator::Freed::by_delete); }
EMULATOR_HIDDEN void __wrap__ZdlPvm(void* memory, size_t) { __wrap__ZdlPv(memory); }
#endif
