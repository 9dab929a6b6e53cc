// Atomics with a memory order. All of them are sequentially consistent here; a trace is told what the kernel asked for.
#pragma once
#include "cuda_runtime.h"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
inline void emulator_trace_order(bool, bool, bool) {}
#endif

namespace [[gnu::visibility("hidden")]] cuda {

enum thread_scope { thread_scope_system,
                    thread_scope_device,
                    thread_scope_block,
                    thread_scope_thread };

namespace std {
enum memory_order { memory_order_relaxed,
                    memory_order_consume,
                    memory_order_acquire,
                    memory_order_release,
                    memory_order_acq_rel,
                    memory_order_seq_cst };
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    if (order == memory_order_relaxed) return;
    scope < thread_scope_block ? __threadfence() : __threadfence_block();
}

template <typename T, thread_scope kScope = thread_scope_system>
class atomic_ref {
 public:
    explicit atomic_ref(T& value) : at_(&value) {}

    T load(memory_order order = memory_order_seq_cst) const {
        say(order, true, false);
        return *const_cast<const volatile T*>(at_);
    }
    void store(T value, memory_order order = memory_order_seq_cst) const {
        say(order, false, true);
        *const_cast<volatile T*>(at_) = value;
    }
    operator T() const { return load(); }
    T operator=(T value) const { return store(value), value; }

#if defined(__CUDA__)
#define EMULATOR_CHANGE(name, kind, expression) T name(T value, memory_order = memory_order_seq_cst) const;
    bool compare_exchange_strong(T& expected, T value, memory_order = memory_order_seq_cst) const;
    bool compare_exchange_strong(T& expected, T value, memory_order, memory_order) const;
#else
#define EMULATOR_CHANGE(name, kind, expression) \
    T name(T value, memory_order order = memory_order_seq_cst) const { \
        say(order, true, true); \
        return ::emulator::update<::emulator::Atomic::kind>(at_, [value](T old) { return static_cast<T>(expression); }); \
    }
    bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) const {
        say(order, true, true);
        const T wanted = expected;
        expected = ::emulator::compare_exchange<T>(at_, wanted, value);
        return !memcmp(&expected, &wanted, sizeof wanted);
    }
    bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order) const {
        return compare_exchange_strong(expected, value, order);
    }
#endif
    EMULATOR_CHANGE(exchange, exchange, value)
    EMULATOR_CHANGE(fetch_add, sum, old + value)
    EMULATOR_CHANGE(fetch_sub, sum, old - value)
    EMULATOR_CHANGE(fetch_and, sum, old& value)
    EMULATOR_CHANGE(fetch_or, sum, old | value)
    EMULATOR_CHANGE(fetch_xor, sum, old ^ value)
    EMULATOR_CHANGE(fetch_min, sum, value < old ? value : old)
    EMULATOR_CHANGE(fetch_max, sum, value > old ? value : old)
#undef EMULATOR_CHANGE
    template <typename... Orders>
    bool compare_exchange_weak(T& expected, T value, Orders... orders) const {
        return compare_exchange_strong(expected, value, orders...);
    }
    T operator++() const { return fetch_add(1) + 1; }
    T operator++(int) const { return fetch_add(1); }
    T operator--() const { return fetch_sub(1) - 1; }
    T operator--(int) const { return fetch_sub(1); }
    T operator+=(T value) const { return fetch_add(value) + value; }
    T operator-=(T value) const { return fetch_sub(value) - value; }

 private:
    // order: of an access that may acquire, release, or both.
    static void say(memory_order order, bool reads, bool writes) {
        const bool acquire = reads && order != memory_order_relaxed && order != memory_order_release;
        const bool release = writes && order >= memory_order_release;
        emulator_trace_order(acquire, release, kScope >= thread_scope_block);
    }
    T* at_;
};

// The same, with a value of its own.
template <typename T, thread_scope kScope = thread_scope_system>
class atomic {
 public:
    atomic() = default;
    constexpr atomic(T value) : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    operator T() const { return load(); }
    T load(memory_order order = memory_order_seq_cst) const { return atomic_ref<T, kScope>(const_cast<T&>(value_)).load(order); }
    void store(T value, memory_order order = memory_order_seq_cst) { ref().store(value, order); }
    T operator=(T value) { return store(value), value; }
#define EMULATOR_CHANGE(name) \
    T name(T value, memory_order order = memory_order_seq_cst) { return ref().name(value, order); }
    EMULATOR_CHANGE(exchange)
    EMULATOR_CHANGE(fetch_add)
    EMULATOR_CHANGE(fetch_sub)
    EMULATOR_CHANGE(fetch_and)
    EMULATOR_CHANGE(fetch_or)
    EMULATOR_CHANGE(fetch_xor)
    EMULATOR_CHANGE(fetch_min)
    EMULATOR_CHANGE(fetch_max)
#undef EMULATOR_CHANGE
    template <typename... Orders>
    bool compare_exchange_strong(T& expected, T value, Orders... orders) {
        return ref().compare_exchange_strong(expected, value, orders...);
    }
    template <typename... Orders>
    bool compare_exchange_weak(T& expected, T value, Orders... orders) {
        return ref().compare_exchange_strong(expected, value, orders...);
    }
    T operator++() { return ++ref(); }
    T operator++(int) { return ref()++; }
    T operator--() { return --ref(); }
    T operator--(int) { return ref()--; }
    T operator+=(T value) { return ref() += value; }
    T operator-=(T value) { return ref() -= value; }

 private:
    atomic_ref<T, kScope> ref() { return atomic_ref<T, kScope>(value_); }
    T value_;
};

namespace std {
template <typename T>
using atomic = ::cuda::atomic<T>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T>;
using ::cuda::atomic_thread_fence;
}  // namespace std

}  // namespace cuda

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
