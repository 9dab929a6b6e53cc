// Memory that the CUDA runtime hands out: each allocation ends at an inaccessible gap, and is remembered when freed.
// Part of the runtime.
#pragma once

#if defined(__linux__)
#include <link.h>
#endif

#include <map>
#include <mutex>

#include "emulator_launcher.h"

namespace [[gnu::visibility("hidden")]] emulator {

constexpr size_t kMallocAlignment = 256;      // of the addresses that cudaMalloc returns
constexpr unsigned char kCanary = 0xcb;       // unless set otherwise, between an allocation's end and its gap: fewer than 256 bytes
constexpr size_t kGap = 1 << 30;              // inaccessible, on either side: where a far step would meet another's memory
constexpr size_t kRememberedFrees = 4096;
constexpr uintptr_t kLowestAddress = 1 << 16;  // that a process has memory at

struct Allocation {
    char* mapping;  // its first accessible byte
    size_t bytes, gap;
    Side side;
    unsigned char canary;
};

struct Allocations {
    std::mutex mutex;
    std::map<char*, Allocation> live;
    std::map<char*, size_t> freed;  // by address: how many bytes it had

    ~Allocations() {
        for (const auto& [address, one] : live) unmap_guarded(one.mapping, rounded(one.bytes), one.gap);
    }
    static size_t rounded(size_t bytes) { return (bytes + kMallocAlignment - 1) / kMallocAlignment * kMallocAlignment; }
};
inline Allocations& allocations() {
    static Allocations* one = new Allocations;
    return *one;
}

// What fresh memory holds: NaN and -1, unless it is set otherwise.
inline unsigned char& garbage() {
    static unsigned char one = kPoison;
    return one;
}

// What lies between an allocation's end and its gap.
inline unsigned char& canary() {
    static unsigned char one = kCanary;
    return one;
}

// Garbage in the first bytes, as what a kernel finds there is not defined; more would cost memory.
void* allocate(size_t bytes, Side side) {
    constexpr size_t kGarbage = 64 << 20;
    const size_t room = Allocations::rounded(bytes);
    size_t gap = kGap;
    char* mapping = nullptr;
    try {
        mapping = map_guarded(room, gap);
    } catch (const std::bad_alloc&) {  // address space is limited (`ulimit -v`)
        mapping = map_guarded(room, gap = page_bytes());
    }
    char* address = mapping + whole_pages(room) - room;
    memset(address, garbage(), bytes < kGarbage ? bytes : kGarbage);
    memset(address + bytes, canary(), room - bytes);
    Allocations& all = allocations();
    if (side == Side::gpu) add_device_memory({mapping, whole_pages(room), true, false});
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.live[address] = {mapping, bytes, gap, side, canary()};
    all.freed.erase(address);
    return address;
}

// Whether something was written between the allocation's end and the gap.
inline bool overrun(const char* address, const Allocation& one) {
    for (size_t i = one.bytes; i < Allocations::rounded(one.bytes); ++i) {
        if (static_cast<unsigned char>(address[i]) != one.canary) return true;
    }
    return false;
}

inline void report_overrun(size_t bytes) {
    char what[160];
    snprintf(what, sizeof what, "called cudaMalloc for %zu bytes, and memory past their end was overwritten", bytes);
    host_error({700, Rule::out_of_bounds, Access::write}, what);
}

// pinned: by cudaFreeHost, which frees pinned memory and no other.
cudaError_t release(void* pointer, const char* function, bool pinned) {
    if (!pointer) return cudaSuccess;
    do_all();
    char* const address = static_cast<char*>(pointer);
    Allocations& all = allocations();
    std::unique_lock<std::mutex> lock(all.mutex);
    const auto found = all.live.find(address);
    const bool known = found != all.live.end();
    if (!known || (found->second.side == Side::host) != pinned) {
        const char* const why = known                      ? pinned ? "memory that cudaMallocHost did not give: cudaFree is for that"
                                                                    : "pinned memory: cudaFreeHost is for that"
                                : all.freed.count(address) ? "memory that is freed already"
                                                           : "an address that cudaMalloc did not return";
        lock.unlock();
        char what[160];
        snprintf(what, sizeof what, "called %s with %s", function, why);
        host_error({1, Rule::host}, what);
        return cudaErrorInvalidValue;
    }
    const Allocation one = found->second;
    all.live.erase(found);
    take_back([&](const LentRegion& region) { return region.begin == one.mapping; });
    if (all.freed.size() >= kRememberedFrees) all.freed.clear();
    all.freed[address] = one.bytes;
    lock.unlock();
    remove_device_memory([&](const DeviceRegion& region) { return region.begin == one.mapping; });
    if (overrun(address, one)) report_overrun(one.bytes);
    unmap_guarded(one.mapping, Allocations::rounded(one.bytes), one.gap);
    return cudaSuccess;
}

// ---- what cudaMemcpy and the like are given -----------------------------------------------------------------------

// Of the memory around an address: how many bytes it has, and how many of them are there from the address on.
struct Known {
    Side side = Side::unknown;
    size_t all = 0, left = 0;
};
inline Known known_from(const char* at, const char* first, size_t bytes, Side side) {
    return {side, bytes, at < first || at > first + bytes ? 0 : static_cast<size_t>(first + bytes - at)};
}
Known known_of_host(const char* at);  // emulator_heap.h

// The launcher's own memory that cudaHostRegister has made a GPU's, too: its address and bytes.
struct Registered {
    std::mutex mutex;
    std::map<const char*, size_t> all;

    Known find(const char* at) {
        const std::lock_guard<std::mutex> lock(mutex);
        auto after = all.upper_bound(at);
        if (after == all.begin()) return {};
        const auto& [address, bytes] = *--after;
        return at < address + bytes ? known_from(at, address, bytes, Side::both) : Known{};
    }
};
inline Registered& registered() {
    static Registered* one = new Registered;
    return *one;
}
void register_memory(const void* at, size_t bytes) {
    const std::lock_guard<std::mutex> lock(registered().mutex);
    registered().all[static_cast<const char*>(at)] = bytes;
}
void forget_registered(const void* at) {
    const std::lock_guard<std::mutex> lock(registered().mutex);
    registered().all.erase(static_cast<const char*>(at));
}

inline Known known(const char* at) {
    {
        Allocations& all = allocations();
        const std::lock_guard<std::mutex> lock(all.mutex);
        auto after = all.live.upper_bound(const_cast<char*>(at));
        if (after != all.live.begin()) {
            const auto& [address, one] = *--after;
            const Side side = one.side == Side::host ? Side::both : one.side;  // a GPU can access pinned memory
            if (at <= address + one.bytes) return known_from(at, address, one.bytes, side);
        }
    }
    {
        const DeviceMemoryLock lock;
        for (const DeviceRegion& one : device_memory().regions) {
            if (one.given && one.has(at)) return known_from(at, one.first, one.own, Side::gpu);
        }
    }
    const Known ours = registered().find(at);
    return ours.side == Side::unknown ? known_of_host(at) : ours;
}
// What cudaPointerGetAttributes says: pinned memory is the host's, managed memory both sides'.
Side side_of(const char* at) {
    {
        Allocations& all = allocations();
        const std::lock_guard<std::mutex> lock(all.mutex);
        auto after = all.live.upper_bound(const_cast<char*>(at));
        if (after != all.live.begin() && at < std::prev(after)->first + std::prev(after)->second.bytes) return std::prev(after)->second.side;
    }
    if (registered().find(at).side != Side::unknown) return Side::host;
    return known(at).side == Side::gpu ? Side::gpu : Side::unknown;
}
// Stands for memory of the host in the structs that kernels are given: it cannot be accessed.
struct Unreachable {
    static constexpr size_t kBytes = size_t{1} << 36, kRound = 4096;
    static constexpr size_t kCopied = size_t{1} << 36;  // behind them, for what memory of the GPU holds (emulator_host_words.h)
    char* begin = nullptr;
    int place = 0;  // of the last such argument

    char* copied() const { return begin + kBytes; }
    bool has(const char* at) const { return begin && at >= begin && at < copied() + kCopied; }
    bool is_copied(const char* at) const { return has(at) && at >= copied(); }
    bool is_table(const char* at) const { return has(at) && at < begin + kBytes / 2 - kRound; }
    bool is_there() {
        if (begin) return true;
        void* const mapped = mmap(nullptr, kBytes + kCopied, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped != MAP_FAILED) begin = static_cast<char*>(mapped);
        return begin;  // not where address space is limited
    }
};
inline Unreachable& unreachable() {
    static Unreachable one;
    return one;
}
// The variables outside of functions, and static ones, of the learner's file. The host's and the GPU's copy of a __device__ one
// are one here.
struct Symbols {
    std::mutex mutex;
    std::map<const char*, size_t> told;  // the GPU's addresses that the host was told, with their bytes
};
inline Symbols& symbols() {
    static Symbols* one = new Symbols;
    return *one;
}
void note_symbol(const volatile void* at, size_t bytes) {
    const std::lock_guard<std::mutex> lock(symbols().mutex);
    symbols().told[static_cast<const char*>(const_cast<const void*>(at))] = bytes;
}
#if defined(__linux__)
extern "C" __attribute__((weak, visibility("hidden"))) char __start_emulator_managed[], __stop_emulator_managed[];

// From the first to the last byte of this library.
inline std::pair<const char*, const char*> range_of_library() {
    std::pair<const char*, const char*> found{nullptr, nullptr};
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* data) {
            const char *first = nullptr, *end = nullptr;
            for (int i = 0; i < library->dlpi_phnum; ++i) {
                const auto& part = library->dlpi_phdr[i];
                if (part.p_type != PT_LOAD) continue;
                const char* begin = reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr);
                if (!first) first = begin;
                end = begin + part.p_memsz;
            }
            const char* ours = reinterpret_cast<const char*>(&unreachable());
            if (ours < first || ours >= end) return 0;
            *static_cast<std::pair<const char*, const char*>*>(data) = {first, end};
            return 1;
        },
        &found);
    return found;
}
// Whether an address that the host gives is that of a host variable of this library.
inline bool is_static(const char* at) {
    struct Search {
        const char* at;
        bool found;
    };
    Search search{at, false};
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            bool ours = false, has = false;
            for (int i = 0; i < library->dlpi_phnum; ++i) {
                const auto& part = library->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || part.p_flags & PF_X) continue;  // a function is not read
                const char* first = reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr);
                const auto within = [&](const void* some) { return some >= first && some < first + part.p_memsz; };
                ours |= within(&unreachable());
                has |= within(wanted.at);
            }
            wanted.found = ours && has;
            return int{ours};
        },
        &search);
    if (!search.found || (at >= __start_emulator_managed && at < __stop_emulator_managed)) return false;
    const std::lock_guard<std::mutex> lock(symbols().mutex);
    const auto after = symbols().told.upper_bound(at);
    return after == symbols().told.begin() || at >= std::prev(after)->first + std::prev(after)->second;
}
#else
inline bool is_static(const char*) { return false; }
inline std::pair<const char*, const char*> range_of_library() { return {nullptr, nullptr}; }
#endif

// In a kernel's own code, and not in the emulator's.
inline bool in_kernel_code() { return self && self->in_kernel && self->in_thread; }

// Lends managed or pinned memory. Not what a kernel gives to a kernel.
bool lend_from(const char* at, const void* stream, bool is_written) {
    if (!host || in_kernel_code()) return false;
    Allocations& all = allocations();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto after = all.live.upper_bound(const_cast<char*>(at));
    if (after == all.live.begin()) return false;
    const auto& [address, one] = *std::prev(after);
    if (one.side == Side::gpu || at >= address + one.bytes) return false;
    lend(one.mapping, whole_pages(Allocations::rounded(one.bytes)), stream, is_written);
    return true;
}
GivenMemory given(const void* at, bool read_only) {
    const Known one = known(static_cast<const char*>(at));
    return {static_cast<const char*>(at) - (one.all - one.left), read_only};
}
enum class Hosts { no,
                   allocated,
                   of_file };
// Whether a word is the address of memory of the host alone.
inline Hosts hosts_alone(const Config& config, const char* at, bool read_only, bool is_pointer) {
    if (reinterpret_cast<uintptr_t>(at) < kLowestAddress) return Hosts::no;  // null, or a number in a struct
    const Known memory = known(at);
    const OfRuntime guard;
    if (host && (is_pointer || memory.side != Side::unknown)) given_memory().push_back({at - (memory.all - memory.left), read_only});
    if (memory.side == Side::both) lend_from(at, config.stream, false);
    if (memory.side == Side::unknown && is_static(at)) return Hosts::of_file;
    return memory.side == Side::host ? Hosts::allocated : Hosts::no;
}
constexpr char kCopyIt[] = "memory of the host, which a GPU cannot access: copy it to memory of cudaMalloc with cudaMemcpy, or pass a tensor";

bool is_accessible(const Config& config, const char* kernel, int place, const volatile void* argument, bool read_only) {
    const Hosts hosts = hosts_alone(config, static_cast<const char*>(const_cast<const void*>(argument)), read_only, true);
    if (hosts == Hosts::no) return true;
    char words[400];
    snprintf(words, sizeof words, "gave the kernel %s, as argument %d, %s%s", kernel, place, kCopyIt,
             hosts == Hosts::of_file ? ". Of a __device__ array the kernel can use the name, and cudaGetSymbolAddress gives its address" : "");
    host_error({700, Rule::host}, words);
    return false;
}

const void* as_seen_by_kernel(const Config& config, const char*, int place, const void* word) {
    if (hosts_alone(config, static_cast<const char*>(word), false, false) == Hosts::no) return word;
    Unreachable& one = unreachable();
    if (!one.is_there()) return word;
    one.place = place;
    return one.begin + one.kBytes / 2 + reinterpret_cast<uintptr_t>(word) % one.kRound;
}
const void* table_of_host() { return unreachable().is_there() ? unreachable().begin + unreachable().kBytes / 4 : nullptr; }
// The functions' stand-ins: one inaccessible page.
char* host_functions() {
    static char* const page = static_cast<char*>(mmap(nullptr, page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return page;
}
void (*address_of_host(void (*function)()))() {
    return reinterpret_cast<void (*)()>(host_functions() + reinterpret_cast<uintptr_t>(function) % page_bytes());
}
bool describe_unreachable(const char* at, const char* access, char* text, size_t size) {
    if (at >= host_functions() && at < host_functions() + page_bytes()) {
        snprintf(text, size,
                 "a call of a __device__ function by the address that host code has of it: that is not the GPU's. Take the "
                 "address in the kernel, or make the function a template's argument");
        return true;
    }
    if (!unreachable().has(at)) return false;
    if (unreachable().is_table(at)) {
        snprintf(text, size,
                 "a virtual function of an object that was made by the host, whose table of them a GPU has not: "
                 "make the object in a kernel, with new");
        return true;
    }
    if (unreachable().is_copied(at)) {
        snprintf(text, size,
                 "%s memory of the host, by a pointer that lies in memory of the GPU, and a GPU cannot follow it: "
                 "copy what it points to into memory of cudaMalloc, too, and store that address instead",
                 access);
        return true;
    }
    snprintf(text, size, "%s, by a pointer in argument %d, %s", access, unreachable().place, kCopyIt);
    return true;
}
bool is_device_memory(const char* at) { return known(at).side == Side::gpu; }

inline bool refuse_call(const char* format, ...) __attribute__((format(printf, 1, 2)));
inline bool refuse_call(const char* format, ...) {
    char words[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    host_error({1, Rule::host}, words);
    return false;
}
inline bool fits(const char* function, const Known& one, size_t bytes, const char* verb) {
    if (one.side == Side::unknown || bytes <= one.left) return true;
    if (one.left == one.all) {
        return refuse_call("called %s to %s %zu bytes of memory that has %zu: pass a size in bytes that is there", function, verb,
                           bytes, one.all);
    }
    return refuse_call("called %s to %s %zu bytes, where %zu are left of memory that has %zu: pass a size in bytes that is there",
                       function, verb, bytes, one.left, one.all);
}
inline const char* name_of(Side side) { return side == Side::gpu ? "the GPU" : "the host"; }

bool can_copy(const char* function, void* to, const void* from, size_t bytes, Side to_side, Side from_side) {
    if (!bytes) return true;
    const Known written = known(static_cast<const char*>(to)), read = known(static_cast<const char*>(from));
    const bool in_gpu = written.side == Side::gpu && read.side == Side::gpu;  // then CUDA takes any direction
    for (const auto& [one, wanted, verb] : {std::tuple{written, to_side, "to"}, std::tuple{read, from_side, "from"}}) {
        const bool known_side = one.side == Side::gpu || one.side == Side::host;
        if (in_gpu || !known_side || wanted == Side::unknown || wanted == one.side) continue;
        return refuse_call("called %s %s memory of %s, and its direction says %s: swap or correct it", function, verb,
                           name_of(one.side), name_of(wanted));
    }
    for (const auto& [at, one, wanted, verb] : {std::tuple{static_cast<const char*>(to), written, to_side, "to"},
                                                std::tuple{static_cast<const char*>(from), read, from_side, "from"}}) {
        if (wanted != Side::gpu || one.side != Side::unknown || !is_static(at)) continue;
        return refuse_call("called %s %s a variable of the file, whose name is for the host no address of the GPU: use %s", function, verb,
                           at == to ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol");
    }
    return fits(function, written, bytes, "write") && fits(function, read, bytes, "read");
}
bool can_set(const char* function, void* to, size_t bytes) {
    const Known one = known(static_cast<const char*>(to));
    if (bytes && one.side == Side::host) {
        return refuse_call("called %s with memory of the host: use memset, or memory of cudaMalloc", function);
    }
    return !bytes || fits(function, one, bytes, "write");
}
bool has_room(const char* function, size_t size, size_t offset, size_t bytes) {
    if (offset <= size && bytes <= size - offset) return true;
    return refuse_call("called %s for %zu bytes from byte %zu on of a variable that has %zu", function, bytes, offset, size);
}
bool has_storage(const char* function, const void* at, size_t bytes, size_t needed) {
    constexpr char kAsk[] = "ask for them first, with a null pointer in the storage's place";
    if (bytes < needed) {
        return refuse_call("called %s with %zu bytes of temporary storage, and it needs %zu: %s", function, bytes, needed, kAsk);
    }
    const Known one = known(static_cast<const char*>(at));
    if (one.side == Side::unknown || one.left >= needed) return true;
    return refuse_call("called %s with temporary storage of %zu bytes, and it needs %zu: %s", function, one.left, needed, kAsk);
}

// Looks at the bytes behind every allocation, when a launcher returns.
void check_overruns() {
    Allocations& all = allocations();
    const UseDeviceMemory use;
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (auto& [address, one] : all.live) {
        if (!overrun(address, one)) continue;
        memset(address + one.bytes, one.canary, Allocations::rounded(one.bytes) - one.bytes);  // told once
        return report_overrun(one.bytes);
    }
}

// An access between an allocation's end and its gap is no fault of the processor: the tracer knows of it.
void trace_rooms() {
    Allocations& all = allocations();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto& [address, one] : all.live) emulator_trace_room(address, one.bytes, Allocations::rounded(one.bytes));
}

// Says what an address is of the allocations: the words go into `text`; false if it is near none of them.
bool describe_allocation(const char* at, char* text, size_t size) {
    Allocations& all = allocations();
    const std::unique_lock<std::mutex> lock(all.mutex, std::try_to_lock);
    if (!lock) return false;
    const auto tell = [&](const char* begin, size_t bytes, const char* state) {
        snprintf(text, size, "byte %td of %zu bytes that cudaMalloc gave%s", at - begin, bytes, state);
        return true;
    };
    const std::pair<char* const, Allocation>* nearest = nullptr;
    size_t distance = 0;
    for (const auto& one : all.live) {
        const char *first = one.first, *end = first + one.second.bytes;
        const auto away = static_cast<size_t>(at < first ? first - at : at < end ? 0
                                                                                 : at - end);
        if (away < std::max(one.second.gap, whole_pages(one.second.bytes)) && (!nearest || away < distance)) {
            nearest = &one;
            distance = away;
        }
    }
    for (const auto& [begin, bytes] : all.freed) {
        const bool inside = at >= begin && at < begin + bytes;
        if (inside && (!nearest || distance > 0)) return tell(begin, bytes, " and that are freed already");
    }
    if (nearest) return tell(nearest->first, nearest->second.bytes, "");
    return false;
}

// ---- memory of which only the last bytes count ------------------------------------------------------------------

// While tensors of billions of elements are tried, of which only the ends are looked at (testing/past_2_31.py), a
// launcher's cudaMemset or cudaMemcpy touches the last bytes only.
struct Sparse {
    const char *begin, *end;
};
inline std::vector<Sparse>& sparse_regions() {
    static std::vector<Sparse> regions;
    return regions;
}
constexpr size_t kSparseEnd = 1 << 20;

size_t passed_over(const void* to, size_t bytes) {
    const char* at = static_cast<const char*>(to);
    for (const Sparse& one : sparse_regions()) {
        if (at >= one.begin && at + bytes <= one.end && bytes > kSparseEnd) return bytes - kSparseEnd;
    }
    return 0;
}

}  // namespace emulator

EMULATOR_EXPORT void emulator_add_sparse(void* begin, size_t bytes) {
    const char* first = static_cast<const char*>(begin);
    emulator::sparse_regions().push_back({first, first + bytes});
}
EMULATOR_EXPORT void emulator_clear_sparse() { emulator::sparse_regions().clear(); }
// Whole pages of Python's tensors, which a launcher's own code cannot access from now on.
// first, own: the tensor's own bytes.
EMULATOR_EXPORT void emulator_add_device_memory(void* begin, size_t bytes, int writable, void* first, size_t own) {
    emulator::add_device_memory({static_cast<char*>(begin), bytes, writable != 0, true, static_cast<char*>(first), own});
}
EMULATOR_EXPORT void emulator_clear_device_memory() {
    emulator::remove_device_memory([](const emulator::DeviceRegion& one) { return one.given; });
}

// The byte that fills memory which cudaMalloc gives, from now on.
EMULATOR_EXPORT void emulator_set_garbage(int byte, int behind) {
    emulator::garbage() = static_cast<unsigned char>(byte);
    emulator::canary() = static_cast<unsigned char>(behind);
}
