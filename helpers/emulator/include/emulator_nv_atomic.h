// nvcc's own atomics, __nv_atomic_...: orders and scopes are passed over, as all atomics here are sequentially consistent.
#pragma once

enum { __NV_ATOMIC_RELAXED,
       __NV_ATOMIC_CONSUME,
       __NV_ATOMIC_ACQUIRE,
       __NV_ATOMIC_RELEASE,
       __NV_ATOMIC_ACQ_REL,
       __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD,
       __NV_THREAD_SCOPE_BLOCK,
       __NV_THREAD_SCOPE_CLUSTER,
       __NV_THREAD_SCOPE_DEVICE,
       __NV_THREAD_SCOPE_SYSTEM };

#if defined(__CUDA__)
#define EMULATOR_NV(result, name, parameters, body) \
    template <typename T> \
    __device__ result __nv_atomic_##name parameters;
#else
#define EMULATOR_NV(result, name, parameters, body) \
    template <typename T> \
    inline result __nv_atomic_##name parameters body
#endif
#define EMULATOR_NV_CHANGE(name, kind, expression) \
    EMULATOR_NV(T, fetch_##name, (T * at, ::emulator_same<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM), { \
        return ::emulator::update<::emulator::Atomic::kind>(at, [value](T old) { return static_cast<T>(expression); }); \
    })
template <typename T>
struct emulator_same_type {
    using type = T;
};
template <typename T>
using emulator_same = typename emulator_same_type<T>::type;

EMULATOR_NV_CHANGE(add, sum, old + value)
EMULATOR_NV_CHANGE(sub, sum, old - value)
EMULATOR_NV_CHANGE(min, sum, value < old ? value : old)
EMULATOR_NV_CHANGE(max, sum, value > old ? value : old)
EMULATOR_NV_CHANGE(and, sum, old& value)
EMULATOR_NV_CHANGE(or, sum, old | value)
EMULATOR_NV_CHANGE(xor, sum, old ^ value)
EMULATOR_NV(T, load_n, (T * at, int, int = __NV_THREAD_SCOPE_SYSTEM), { return *const_cast<const volatile T*>(at); })
EMULATOR_NV(void, load, (T * at, T* to, int, int = __NV_THREAD_SCOPE_SYSTEM), { *to = *const_cast<const volatile T*>(at); })
EMULATOR_NV(void, store_n, (T * at, ::emulator_same<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM), {
    ::emulator::update<::emulator::Atomic::exchange>(at, [value](T) { return value; });
})
EMULATOR_NV(void, store, (T * at, T* from, int, int = __NV_THREAD_SCOPE_SYSTEM), {
    ::emulator::update<::emulator::Atomic::exchange>(at, [from](T) { return *from; });
})
EMULATOR_NV(T, exchange_n, (T * at, ::emulator_same<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM), {
    return ::emulator::update<::emulator::Atomic::exchange>(at, [value](T) { return value; });
})
EMULATOR_NV(void, exchange, (T * at, T* from, T* to, int, int = __NV_THREAD_SCOPE_SYSTEM), {
    *to = ::emulator::update<::emulator::Atomic::exchange>(at, [from](T) { return *from; });
})
EMULATOR_NV(bool, compare_exchange_n,
            (T * at, T* expected, ::emulator_same<T> value, bool, int, int, int = __NV_THREAD_SCOPE_SYSTEM), {
                const T wanted = *expected;
                *expected = ::emulator::compare_exchange<T>(at, wanted, value);
                return !memcmp(expected, &wanted, sizeof wanted);
            })
EMULATOR_NV(bool, compare_exchange, (T * at, T* expected, T* value, bool, int, int, int = __NV_THREAD_SCOPE_SYSTEM), {
    const T wanted = *expected;
    *expected = ::emulator::compare_exchange<T>(at, wanted, *value);
    return !memcmp(expected, &wanted, sizeof wanted);
})
#if defined(__CUDA__)
__device__ void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM);
#else
inline void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) { __threadfence(); }
#endif
#undef EMULATOR_NV_CHANGE
#undef EMULATOR_NV
