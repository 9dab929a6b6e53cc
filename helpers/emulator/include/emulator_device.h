// What a kernel may call: shared memory, barriers, warp operations, atomics, loads with a hint, clocks, printf.
#pragma once

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

// ---- shared memory ----------------------------------------------------------------------------------------

template <typename T>
const char* type_name() {
    return __PRETTY_FUNCTION__;
}

// One static shared array of the source, per worker, between inaccessible pages, at one of them.
// Filled with garbage for every block, as what a block finds there is not defined. Function: a type that is local to
// the array's function.
template <typename T, size_t kAlign, uint64_t kSite, typename Function = void>
struct StaticShared {
    static inline int index = -1;
    static constexpr size_t kAlignment = kAlign > alignof(T) ? kAlign : alignof(T);
    // What this leaves between its end and the inaccessible page is looked at when the block ends.
    static constexpr size_t kVector = vector_alignment(sizeof(T));
    static constexpr size_t kStart = kVector > kAlignment ? kVector : kAlignment;
    static constexpr size_t kBytes = (sizeof(T) + kStart - 1) / kStart * kStart;
    static constexpr size_t kCounted = (sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    static_assert(sizeof(T) <= kDefaultShared, "static shared memory is limited to 48 KB (49,152 bytes) a block");

    static SharedSite site(const char* name) {
        return {name, kBytes, type_name<T>(), sizeof(T), sizeof(std::remove_all_extents_t<T>)};
    }
    EMULATOR_QUICK static T& get(const char* name) {
        Worker& w = *worker();
        const SharedPlace& known = w.places[static_cast<unsigned>(index) % kPlaces];
        if (__builtin_expect(known.epoch == w.epoch && known.index == index, 1)) return *reinterpret_cast<T*>(known.memory);
        return find(w, name);
    }
    EMULATOR_UNTRACED EMULATOR_UNCHECKED __attribute__((noinline)) static T& find(Worker& w, const char* name) {
        const auto place = static_cast<size_t>(index);
        if (index < 0 || w.slots.size() <= place || w.slots[place].epoch != w.epoch) {
            emulator_trace_pause();
            begin_shared(w, index, site(name), kCounted);
            if (w.running) emulator_trace_thread(w.current, w.running->top());
        }
        char* const memory = w.slots[static_cast<size_t>(index)].memory;
        w.places[static_cast<unsigned>(index) % kPlaces] = {w.epoch, memory, index};
        return *reinterpret_cast<T*>(memory);
    }
    // For an array outside of functions. Its name is bound once to the memory of the OS thread's worker.
    EMULATOR_UNTRACED EMULATOR_UNCHECKED static T& of_thread(const char* name) {
        Worker& w = worker_of_thread();
        SharedSlot& slot = shared_slot(w, index, site(name));
        slot.place(kBytes, self && self->launch->shared_front);
        return *reinterpret_cast<T*>(slot.memory);
    }
    // Its bytes do not count, as not every kernel of the file uses it.
    EMULATOR_UNTRACED EMULATOR_UNCHECKED static void begin_block(const char* name, const T& array) {
        asm volatile("" ::"r"(&array));  // binds the name, before a thread may be interrupted
        fill_shared(*self, index, site(name), true);
    }
};

template <typename T>
EMULATOR_UNTRACED inline T* dynamic_shared() {
    emulator_trace_array("", self->shared_begin(), self->launch->shared_bytes, sizeof(T));
    self->note_dynamic(sizeof(T));
    return reinterpret_cast<T*>(self->shared_begin());
}

}  // namespace emulator

// ---- barriers and warp operations -------------------------------------------------------------------------

#define EMULATOR_LINE int line = __builtin_LINE()

inline void __syncthreads(EMULATOR_LINE) { emulator::block_operation(emulator::worker(), emulator::Op::sync, 0, line); }
inline int __syncthreads_count(int p, EMULATOR_LINE) {
    return static_cast<int>(emulator::block_operation(emulator::worker(), emulator::Op::sync_count, p != 0, line));
}
inline int __syncthreads_and(int p, EMULATOR_LINE) {
    return static_cast<int>(emulator::block_operation(emulator::worker(), emulator::Op::sync_and, p != 0, line));
}
inline int __syncthreads_or(int p, EMULATOR_LINE) {
    return static_cast<int>(emulator::block_operation(emulator::worker(), emulator::Op::sync_or, p != 0, line));
}
inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_LINE) {
    emulator::warp_operation(emulator::worker(), emulator::Op::syncwarp, mask, 0, 0, line);
}
inline unsigned __activemask(EMULATOR_LINE) {
    return static_cast<unsigned>(emulator::warp_operation(emulator::worker(), emulator::Op::active, 0, 0, 0, line));
}

namespace [[gnu::visibility("hidden")]] emulator {

EMULATOR_UNCHECKED inline int lane_id() { return worker()->current & (kWarp - 1); }

template <typename T>
inline T shuffle(unsigned mask, T value, int source, int line) {
    static_assert(sizeof(T) <= 8, "a shuffle moves a number of at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = warp_operation(worker(), Op::shuffle, mask, bits, source, line);
    memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}
inline void check_width(int width, int line) {
    if (width < 1 || width > kWarp || (width & (width - 1))) {
        fault({719, Rule::warp}, "a shuffle (line %d) with width %d: a power of two up to 32 is meant", line, width);
    }
}

}  // namespace emulator

// Which lane a lane reads from: another of its segment of `width` lanes, or itself where there is none.
namespace [[gnu::visibility("hidden")]] emulator {
enum class Shuffle { index,
                     up,
                     down,
                     exclusive_or };
EMULATOR_INLINED inline int shuffle_source(Shuffle kind, int lane, int by, int width) {
    const int place = lane & (width - 1), first = lane - place;
    if (kind == Shuffle::index) return first + (by & (width - 1));
    if (kind == Shuffle::up) return static_cast<unsigned>(by) <= static_cast<unsigned>(place) ? lane - by : lane;
    if (kind == Shuffle::down) return static_cast<unsigned>(by) < static_cast<unsigned>(width - place) ? lane + by : lane;
    // A lane may read from its own segment and from those below, as the hardware does.
    return (lane ^ by) < first + width && (lane ^ by) >= 0 ? lane ^ by : lane;
}
}  // namespace emulator

#define EMULATOR_SHUFFLE(name, kind, type) \
    template <typename T> \
    inline T name(unsigned mask, T value, type by, int width = 32, EMULATOR_LINE) { \
        emulator::check_width(width, line); \
        const int lane = emulator::lane_id(); \
        const int source = emulator::shuffle_source(emulator::Shuffle::kind, lane, static_cast<int>(by), width); \
        return emulator::shuffle(mask, value, source, line); \
    }
EMULATOR_SHUFFLE(__shfl_sync, index, int)
EMULATOR_SHUFFLE(__shfl_up_sync, up, unsigned)
EMULATOR_SHUFFLE(__shfl_down_sync, down, unsigned)
EMULATOR_SHUFFLE(__shfl_xor_sync, exclusive_or, int)
#undef EMULATOR_SHUFFLE

#define EMULATOR_VOTE(name, op, type) \
    inline type name(unsigned mask, int predicate, EMULATOR_LINE) { \
        return static_cast<type>(emulator::warp_operation(emulator::worker(), emulator::Op::op, mask, predicate != 0, 0, line)); \
    }
EMULATOR_VOTE(__all_sync, all, int)
EMULATOR_VOTE(__any_sync, any, int)
EMULATOR_VOTE(__uni_sync, uniform, int)
EMULATOR_VOTE(__ballot_sync, ballot, unsigned)
#undef EMULATOR_VOTE

template <typename T>
inline unsigned __match_any_sync(unsigned mask, T value, EMULATOR_LINE) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return static_cast<unsigned>(emulator::warp_operation(emulator::worker(), emulator::Op::match_any, mask, bits, 0, line));
}
template <typename T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all, EMULATOR_LINE) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    const auto same = static_cast<unsigned>(emulator::warp_operation(emulator::worker(), emulator::Op::match_all, mask, bits, 0, line));
    *all = same != 0;
    return same;
}

#define EMULATOR_REDUCE(name, op, type) \
    inline type name(unsigned mask, type value, EMULATOR_LINE) { \
        const uint64_t bits = static_cast<uint32_t>(value); \
        return static_cast<type>(emulator::warp_operation(emulator::worker(), emulator::Op::op, mask, bits, 0, line)); \
    }
EMULATOR_REDUCE(__reduce_add_sync, add, unsigned)
EMULATOR_REDUCE(__reduce_add_sync, add_signed, int)
EMULATOR_REDUCE(__reduce_min_sync, min, unsigned)
EMULATOR_REDUCE(__reduce_min_sync, min_signed, int)
EMULATOR_REDUCE(__reduce_max_sync, max, unsigned)
EMULATOR_REDUCE(__reduce_max_sync, max_signed, int)
EMULATOR_REDUCE(__reduce_and_sync, bit_and, unsigned)
EMULATOR_REDUCE(__reduce_or_sync, bit_or, unsigned)
EMULATOR_REDUCE(__reduce_xor_sync, bit_xor, unsigned)
#undef EMULATOR_REDUCE

inline void __threadfence() {
    emulator_trace_fence(false);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_block() {
    emulator_trace_fence(true);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_system() { __threadfence(); }

// ---- named barriers: `count` threads of a block meet, or all of it ---------------------------------------------

namespace [[gnu::visibility("hidden")]] emulator {

struct NamedBarrier {
    uint64_t epoch;  // the block for which it counts
    unsigned arrived, phase;
};
constexpr unsigned kNamed = 16, kOfTiles = 31;  // barriers of a block: by number, and of tiles of 64 to 1024 threads
EMULATOR_UNTRACED inline NamedBarrier& named_barrier(unsigned id) {
    static thread_local NamedBarrier of_block[kNamed + kOfTiles];
    const OneStep step;
    NamedBarrier& one = of_block[id];
    if (one.epoch != self->epoch) one = {self->epoch, 0, 0};
    return one;
}
EMULATOR_UNTRACED inline void meet_at(unsigned id, unsigned count, bool waits, int line = 0) {
    const auto arrive = [&](NamedBarrier& here) {
        const OneStep step;
        emulator_trace_arrive(&here, here.phase);
        const unsigned phase = here.phase;
        if (++here.arrived == count) here.arrived = 0, ++here.phase;
        return phase;
    };
    NamedBarrier& here = named_barrier(id);
    const unsigned phase = arrive(here);
    if (!waits) return;
    const volatile unsigned& now = here.phase;
    while (now == phase) yield_at(nullptr, line);
    has_opened();
    emulator_trace_pass(&here, phase);
}
// PTX's bar.sync and bar.arrive. count: 0 stands for all threads of the block.
EMULATOR_UNTRACED inline void meet(unsigned id, unsigned count, bool waits, EMULATOR_LINE) {
    const unsigned most = static_cast<unsigned>(self->threads);
    if (id >= kNamed) fault({719, Rule::barrier}, "a barrier (line %d) with the number %u: a block has 16, from 0 to 15", line, id);
    if (count % kWarp) fault({719, Rule::barrier}, "a barrier (line %d) for %u threads: whole warps are meant, so a multiple of 32", line, count);
    if (count > most) fault({719, Rule::barrier}, "a barrier (line %d) for %u threads never opens: the block has %u", line, count, most);
    meet_at(id, count ? count : most, waits, line);
}

}  // namespace emulator

inline void __barrier_sync(unsigned id, EMULATOR_LINE) { emulator::meet(id, 0, true, line); }
inline void __barrier_sync_count(unsigned id, unsigned count, EMULATOR_LINE) { emulator::meet(id, count, true, line); }

// ---- atomics ------------------------------------------------------------------------------------------------

namespace [[gnu::visibility("hidden")]] emulator {

// A thread that waits for another of its block in a loop of atomics lets it run now and then.
inline void after_atomic() {
    Worker* w = self;
    if (w && w->in_kernel && ++w->atomics % 64 == 0 && w->has_others()) yield();
}

// Lets threads of a block, and blocks of two workers, meet at a launch's first exchanges, if its threads run in another
// order: one waits between what it has read and its exchange, so that the others may change it.
inline void before_exchange() {
    Worker* w = self;
    if (!w || !w->in_kernel || w->launch->meetings <= 0 || w->launch->meetings.fetch_sub(1) <= 0) return;
    if (w->has_others()) yield();
    if (!w->launch->several) return;
    const timespec pause{0, 200'000};
    nanosleep(&pause, nullptr);
}

template <size_t kBytes> struct WordOf;
template <> struct WordOf<2> {
    using Type = uint16_t;
};
template <> struct WordOf<4> {
    using Type = uint32_t;
};
template <> struct WordOf<8> {
    using Type = uint64_t;
};
template <> struct WordOf<16> {
    using Type = unsigned __int128;
};

// *word = after if it is `before`; else what it is becomes `before`. For 16 bytes g++ calls a library, but where a function asks
// for this instruction.
template <typename Word>
#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
EMULATOR_UNTRACED inline bool
swap_wide_word(Word* word, Word& before, Word after) {
    const Word wanted = before;
    return (before = __sync_val_compare_and_swap(word, wanted, after)) == wanted;
}

// A GPU faults on an access whose address is not a multiple of its bytes; the compiler checks those that it sees.
EMULATOR_UNTRACED inline void must_be_aligned(const volatile void* address, size_t bytes, const char* what) {
    if (__builtin_expect(!bytes || reinterpret_cast<uintptr_t>(address) % bytes == 0, 1)) return;
    char place[32];
    snprintf(place, sizeof place, "%p", const_cast<const void*>(address));
    fault({716, Rule::misaligned, Access::unknown, const_cast<const void*>(address), place},
          "a misaligned %s %s: the address must be a multiple of %zu bytes", what, place, bytes);
}

EMULATOR_UNTRACED inline void must_be_aligned_both(const void* to, const void* from, size_t bytes) {
    must_be_aligned(to, bytes, "copy to");
    must_be_aligned(from, bytes, "copy from");
}

// *address = change(*address) in one step; the old value. Any type of 2, 4, 8 or 16 bytes.
template <Atomic kKind, typename T, typename Change>
EMULATOR_UNTRACED inline T update(T* address, Change change) {
    constexpr Atomic kHow = kKind == Atomic::sum && !std::is_integral_v<T> ? Atomic::sum_of_floats : kKind;
    must_be_aligned(address, sizeof(T), "atomic operation on");
    emulator_trace_atomic(address, sizeof(T), __builtin_return_address(0), kHow);
    using Word = typename WordOf<sizeof(T)>::Type;
    Word* word = reinterpret_cast<Word*>(address);
    Word before;
    if constexpr (sizeof(Word) == 16)
        before = *word;  // should others write meanwhile, the swap says so
    else
        before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        T old, next;
        memcpy(static_cast<void*>(&old), &before, sizeof old);
        next = change(old);
        Word after;
        memcpy(&after, &next, sizeof after);
        if constexpr (sizeof(Word) == 16) {
            if (swap_wide_word(word, before, after)) return old;
        } else {
            if (__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
        }
    }
}

// The stack of this OS thread, which holds the variables of threads that have none of their own.
struct Stack {
    const char* lowest = nullptr;
    const char* end = nullptr;

    Stack() {
#if defined(__linux__)
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes)) return;
        void* at = nullptr;
        size_t bytes = 0;
        pthread_attr_getstack(&attributes, &at, &bytes);
        pthread_attr_destroy(&attributes);
        end = static_cast<const char*>(at) + bytes;
        lowest = end - std::min<size_t>(bytes, 64 << 20);
#endif
    }
};

inline bool is_on_stack(const char* at) {
    static thread_local const Stack stack;
    return at >= stack.lowest && at < stack.end;
}
inline bool is_local(const char* at) {
    const auto* fiber = self->running;
    if (fiber && fiber->stack) return at >= fiber->stack && at < fiber->stack + kStackBytes;
    return is_on_stack(at);
}

// nvcc warns ("Cannot do atomic on local memory") and puts a trap in its place.
EMULATOR_UNTRACED inline void must_be_shared(const void* address, const char* name) {
    if (self && self->in_kernel && is_local(static_cast<const char*>(address)))
        fault({719, Rule::trap}, "%s on a variable of the thread itself: a GPU has atomic operations on shared and global memory only", name);
}

// nvcc warns of a write to constant memory ("Cannot store to pointer that points to constant memory space") and puts a trap in its
// place.
template <typename T>
EMULATOR_UNTRACED T& in_constant_memory(T& variable) {
    fault({719, Rule::trap}, "a write to a __constant__ variable: it is for reading only, and the host sets it with cudaMemcpyToSymbol");
    return variable;
}

// One of two arrays, as an expression of its own: translate.py says why.
template <typename T>
__attribute__((always_inline)) constexpr T&& chosen(T&& array) {
    return static_cast<T&&>(array);
}

template <typename T>
struct Same {
    using Type = T;
};
template <typename T>
using Given = typename Same<T>::Type;  // not deduced: atomicAdd(float*, 1) takes the 1 as a float

}  // namespace emulator

#define EMULATOR_ATOMIC(name, kind, expression) \
    template <typename T> \
    inline T name(T* address, ::emulator::Given<T> value) { \
        ::emulator::must_be_shared(address, #name); \
        return ::emulator::update<::emulator::Atomic::kind>( \
            address, [value](T old) { return static_cast<T>(expression); }); \
    } \
    template <typename T> \
    inline T name##_block(T* address, ::emulator::Given<T> value) { return name(address, value); } \
    template <typename T> \
    inline T name##_system(T* address, ::emulator::Given<T> value) { return name(address, value); }
EMULATOR_ATOMIC(atomicAdd, sum, old + value)
// Each element is added by itself (compute capability 9.0).
inline float2 atomicAdd(float2* address, float2 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4* address, float4 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
            atomicAdd(&address->w, value.w)};
}
EMULATOR_ATOMIC(atomicSub, sum, old - value)
EMULATOR_ATOMIC(atomicMin, sum, value < old ? value : old)
EMULATOR_ATOMIC(atomicMax, sum, value > old ? value : old)
EMULATOR_ATOMIC(atomicAnd, sum, old& value)
EMULATOR_ATOMIC(atomicOr, sum, old | value)
EMULATOR_ATOMIC(atomicXor, sum, old ^ value)
EMULATOR_ATOMIC(atomicInc, exchange, old >= value ? 0 : old + 1)
EMULATOR_ATOMIC(atomicDec, exchange, old == 0 || old > value ? value : old - 1)
#undef EMULATOR_ATOMIC
namespace [[gnu::visibility("hidden")]] emulator {
template <typename T>
inline T compare_exchange(T* address, T compare, T value) {
    before_exchange();
    const T old = update<Atomic::exchange>(
        address, [=](T old) { return memcmp(&old, &compare, sizeof old) ? old : value; });
    after_atomic();
    return old;
}
}  // namespace emulator

template <typename T>
inline T atomicExch(T* address, emulator::Given<T> value) {
    emulator::must_be_shared(address, "atomicExch");
    const T old = emulator::update<emulator::Atomic::exchange>(address, [value](T) { return value; });
    emulator::after_atomic();
    return old;
}
template <typename T>
inline T atomicCAS(T* address, emulator::Given<T> compare, emulator::Given<T> value) {
    emulator::must_be_shared(address, "atomicCAS");
    return emulator::compare_exchange<T>(address, compare, value);
}
template <typename T>
inline T atomicExch_block(T* address, emulator::Given<T> value) { return atomicExch(address, value); }
template <typename T>
inline T atomicExch_system(T* address, emulator::Given<T> value) { return atomicExch(address, value); }
template <typename T>
inline T atomicCAS_block(T* address, emulator::Given<T> compare, emulator::Given<T> value) { return atomicCAS(address, compare, value); }
template <typename T>
inline T atomicCAS_system(T* address, emulator::Given<T> compare, emulator::Given<T> value) { return atomicCAS(address, compare, value); }

// ---- loads and stores with a hint: the caches of the CPU do as they like --------------------------------------

#define EMULATOR_LOAD(name) \
    template <typename T> \
    inline T name(const T* address) { return *address; }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldlu)
EMULATOR_LOAD(__ldcv)
#undef EMULATOR_LOAD
#define EMULATOR_STORE(name) \
    template <typename T> \
    inline void name(T* address, ::emulator::Given<T> value) { *address = value; }
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stwt)
#undef EMULATOR_STORE

// ---- clocks, special registers, ends ------------------------------------------------------------------------

inline long long clock64() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}
inline unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }
// Launches follow each other here, so that a kernel has nothing to wait for.
inline void cudaTriggerProgrammaticLaunchCompletion() {}
inline void cudaGridDependencySynchronize() {}
inline void __nanosleep(unsigned) {
    if (emulator::self && emulator::self->has_others()) emulator::yield();
}
[[noreturn]] inline void __trap() { emulator::fault({719, emulator::Rule::trap}, "the kernel called __trap()"); }
inline void __brkpt() {}
inline void __prof_trigger(int) {}
template <typename T>
inline size_t __cvta_generic_to_shared(T* pointer) { return reinterpret_cast<size_t>(pointer); }
template <typename T>
inline size_t __cvta_generic_to_global(T* pointer) { return reinterpret_cast<size_t>(pointer); }
inline size_t __cvta_generic_to_local(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
inline size_t __cvta_generic_to_constant(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
inline void* __cvta_shared_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
inline void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
inline void* __cvta_local_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
inline void* __cvta_constant_to_generic(size_t address) { return reinterpret_cast<void*>(address); }

// In which memory a generic address lies.
inline unsigned __isShared(const void* pointer) {
    const char* at = static_cast<const char*>(pointer);
    const emulator::Worker& w = *emulator::self;
    if (w.dynamic && at >= w.shared_begin() && at < w.shared_end()) return 1;
    const auto& sites = emulator::shared_sites();
    for (size_t i = 0; i < w.slots.size(); ++i) {
        const char* memory = w.slots[i].memory;
        if (memory && at >= memory && at < memory + sites[i].used) return 1;
    }
    return 0;
}
inline unsigned __isLocal(const void* pointer) {
    return emulator::is_local(static_cast<const char*>(pointer));
}
// translate.py gives constant variables their section where a file asks for it.
extern "C" __attribute__((weak, visibility("hidden"))) char __start_emulator_constant[], __stop_emulator_constant[];
#define EMULATOR_CONSTANT static __attribute__((unused, section("emulator_constant")))
inline unsigned __isConstant(const void* pointer) {
    const auto at = reinterpret_cast<uintptr_t>(pointer);
    return at >= reinterpret_cast<uintptr_t>(__start_emulator_constant) && at < reinterpret_cast<uintptr_t>(__stop_emulator_constant);
}
inline unsigned __isGlobal(const void* pointer) {
    return pointer && !__isShared(pointer) && !__isLocal(pointer) && !__isConstant(pointer);
}

namespace [[gnu::visibility("hidden")]] emulator {

// An operand of PTX that holds an address: a pointer or a number.
template <typename T>
inline uint64_t address(T of) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<uint64_t>(of);
    else
        return of;
}

// The values of %laneid, %warpid, ... ; translate.py turns `asm("mov.u32 %0, %%laneid;" ...)` into this.
// clang-format off
enum class Special { laneid, warpid, nwarpid, smid, nsmid, lanemask_eq, lanemask_lt, lanemask_le, lanemask_gt, lanemask_ge,
                     clock, clock64, globaltimer, gridid };
// clang-format on
EMULATOR_UNTRACED inline long long special(Special which) {
    const Worker& w = *self;
    const int lane = w.current % kWarp;
    const unsigned mine = 1u << lane;
    switch (which) {
        case Special::laneid: return lane;
        case Special::warpid: return w.current / kWarp;
        case Special::nwarpid: return kMaxWarps * 2;
        case Special::smid: return (blockIdx.x + blockIdx.y + blockIdx.z) % static_cast<unsigned>(card().multiprocessors);
        case Special::nsmid: return card().multiprocessors;
        case Special::lanemask_eq: return mine;
        case Special::lanemask_lt: return mine - 1;
        case Special::lanemask_le: return mine | (mine - 1);
        case Special::lanemask_gt: return ~(mine | (mine - 1));
        case Special::lanemask_ge: return ~(mine - 1);
        case Special::gridid: return 1;
        default: return ::clock64();
    }
}

// ---- what ptx.py makes of inline PTX ------------------------------------------------------------------------------

// std::is_pointer denies it of a pointer that is declared __restrict__, and of what is computed of one.
template <typename T>
constexpr bool kPointer = std::is_pointer_v<T>;
template <typename T>
constexpr bool kPointer<T* __restrict__> = true;

// Whether an operand of inline PTX has the type that the letter of its constraint means.
template <char kLetter, typename T>
constexpr bool fits() {
    using V = std::decay_t<T>;
    if (kLetter == 'f') return std::is_same_v<V, float>;
    if (kLetter == 'd') return std::is_same_v<V, double>;
    constexpr size_t kBytes = kLetter == 'h' ? 2 : kLetter == 'r' ? 4
                                                                  : 8;
    return sizeof(V) == kBytes && (std::is_integral_v<V> || std::is_enum_v<V> || kPointer<V>);
}

// The address of shared memory of which only the low 32 bits are left, as PTX uses it; others as they are.
inline uintptr_t shared_address(uint64_t address) {
    if (address >> 32 || !self) return address;
    const auto inside = [&](const char* begin, const char* end) {
        const auto first = reinterpret_cast<uintptr_t>(begin);
        const uintptr_t whole = (first & ~uintptr_t{0xffffffff}) | address;
        const uintptr_t next = whole < first ? whole + (uintptr_t{1} << 32) : whole;
        return next < reinterpret_cast<uintptr_t>(end) ? next : 0;
    };
    if (self->dynamic) {
        if (const uintptr_t found = inside(self->dynamic, self->shared_end())) return found;
    }
    for (size_t i = 0; i < self->slots.size(); ++i) {
        const char* begin = self->slots[i].memory;
        if (!begin) continue;
        if (const uintptr_t found = inside(begin, begin + shared_sites()[i].bytes)) return found;
    }
    return address;
}
template <typename P>
inline uintptr_t address(P pointer, long long offset) {
    return shared_address((uint64_t)pointer) + static_cast<uintptr_t>(offset);
}
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Words {  // of a vector: moved by one access
    T word[kCount];
};
template <typename T, int kCount>
inline Words<T, kCount>* checked(uintptr_t address) {
    return reinterpret_cast<Words<T, kCount>*>(address);
}
// Accesses as by a volatile pointer: the words of a vector one by one.
template <typename T, int kCount>
inline Words<T, kCount> strong_load(Words<T, kCount>* from) {
    Words<T, kCount> value;
    for (int i = 0; i < kCount; ++i) value.word[i] = *const_cast<const volatile T*>(&from->word[i]);
    return value;
}
template <typename T, int kCount>
inline void strong_store(Words<T, kCount>* to, const Words<T, kCount>& value) {
    for (int i = 0; i < kCount; ++i) *const_cast<volatile T*>(&to->word[i]) = value.word[i];
}
// A const variable, too, which nvcc takes as an output.
template <typename T>
inline T& output(const T& operand) {
    return const_cast<T&>(operand);
}
template <typename T, typename From>
inline void set_bits(T& operand, const From& from) {
    using To = std::remove_const_t<T>;
    To& to = const_cast<To&>(operand);
    if constexpr (std::is_integral_v<To> && sizeof(To) > sizeof(From)) {
        to = static_cast<To>(from);
    } else {
        static_assert(sizeof(To) == sizeof(From), "a register of another size");
        memcpy(static_cast<void*>(&to), &from, sizeof to);
    }
}
template <typename To, typename From>
inline To as_bits(const From& from) {
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        return static_cast<To>(from);
    } else {
        static_assert(sizeof(To) == sizeof(From), "a register of another size");
        To to;
        memcpy(&to, &from, sizeof to);
        return to;
    }
}
inline void copy_async(uintptr_t to, uintptr_t from, size_t bytes, size_t used) {
    must_be_aligned(reinterpret_cast<const void*>(to), bytes, "cp.async at");
    must_be_aligned(reinterpret_cast<const void*>(from), bytes, "cp.async at");
    for (size_t i = 0; i < bytes; ++i) {
        reinterpret_cast<char*>(to)[i] = i < used ? reinterpret_cast<const char*>(from)[i] : 0;
    }
    emulator_trace_copied(reinterpret_cast<const void*>(to), reinterpret_cast<const void*>(from), used, nullptr);
    if (used < bytes) emulator_trace_copied(reinterpret_cast<const void*>(to + used), nullptr, bytes - used, nullptr);
}
// PTX's bfe: position and length count up to 255, and behind the last bit a signed field has its sign.
template <typename T>
inline T bit_field(std::make_unsigned_t<T> bits, uint32_t position, uint32_t length) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    position &= 255, length &= 255;
    if (!length) return 0;
    const auto wide = static_cast<__int128>(static_cast<T>(bits));
    if (position + length >= kBits) return static_cast<T>(wide >> std::min(position, kBits));
    const auto field = static_cast<std::make_unsigned_t<T>>(wide >> position) << (kBits - length);
    return static_cast<T>(field) >> (kBits - length);
}
inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (int i = 0; i < 32; ++i) {
        result |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    }
    return result;
}

// How many arguments a format of printf takes.
inline int count_conversions(const char* format) {
    int count = 0;
    while ((format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, " +-#0123456789.");
        if (*format && *format++ != '%') ++count;
    }
    return count;
}

// printf of a kernel, whose result is the number of its arguments, and of a launcher: kept until Python asks for it.
int print(const char* format, ...) __attribute__((format(printf, 1, 2)));
#ifndef EMULATOR_RUNTIME_APART
int print(const char* format, ...) {
    constexpr size_t kLimit = 1 << 20;  // as much as CUDA keeps; more is dropped here, the oldest there
    if (self) ++self->busy;
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(line, sizeof line, format, arguments);
    if (self && self->in_kernel) count = count_conversions(format);
    va_end(arguments);
    {
        Report& r = report();
        const std::lock_guard<std::mutex> lock(r.mutex);
        if (r.printed.size() < kLimit) r.printed += line;
    }
    if (self) --self->busy;
    return count;
}
#endif

[[noreturn]] inline void assert_failed(const char* condition, int line, const char* message) {
    fault({710, Rule::assertion}, "assertion `%s` failed (line %d)%s%s", condition, line, *message ? ": " : "", message);
}

}  // namespace emulator
