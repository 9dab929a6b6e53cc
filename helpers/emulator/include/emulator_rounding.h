// CUDA's functions that round down, up or towards zero (_rd, _ru, _rz): of double, of quotients and roots, conversions.
#pragma once

#include <cfenv>
#include <cmath>

#include "emulator_types.h"

namespace [[gnu::visibility("hidden")]] emulator {

// The result of f in a rounding mode; volatile keeps the compiler from working it out before, or after.
template <int kMode, typename F>
inline auto rounded(F f) {
    const int before = std::fegetround();
    std::fesetround(kMode);
    volatile auto result = f();
    std::fesetround(before);
    return static_cast<decltype(f())>(result);
}

}  // namespace emulator

// clang-format off
#define EMULATOR_ONE(name, To, From, mode, expression) \
    __device__ inline To name(From a) { \
        return ::emulator::rounded<mode>([=] { volatile From x = a; return static_cast<To>(expression); }); \
    }
#define EMULATOR_TWO(name, T, mode, op) \
    __device__ inline T name(T a, T b) { \
        return ::emulator::rounded<mode>([=] { volatile T x = a, y = b; return static_cast<T>(x op y); }); \
    }
#define EMULATOR_ROUNDINGS(suffix, mode) \
    EMULATOR_TWO(__fdiv##suffix, float, mode, /) \
    EMULATOR_TWO(__dadd##suffix, double, mode, +) \
    EMULATOR_TWO(__dsub##suffix, double, mode, -) \
    EMULATOR_TWO(__dmul##suffix, double, mode, *) \
    EMULATOR_TWO(__ddiv##suffix, double, mode, /) \
    __device__ inline double __fma##suffix(double a, double b, double c) { \
        return ::emulator::rounded<mode>([=] { volatile double x = a, y = b, z = c; return std::fma(x, y, z); }); \
    } \
    EMULATOR_ONE(__frcp##suffix, float, float, mode, 1.0f / x) \
    EMULATOR_ONE(__drcp##suffix, double, double, mode, 1.0 / x) \
    EMULATOR_ONE(__fsqrt##suffix, float, float, mode, std::sqrt(static_cast<float>(x))) \
    EMULATOR_ONE(__dsqrt##suffix, double, double, mode, std::sqrt(static_cast<double>(x))) \
    EMULATOR_ONE(__double2float##suffix, float, double, mode, x) \
    EMULATOR_ONE(__int2float##suffix, float, int, mode, x) \
    EMULATOR_ONE(__uint2float##suffix, float, unsigned, mode, x) \
    EMULATOR_ONE(__ll2float##suffix, float, long long, mode, x) \
    EMULATOR_ONE(__ull2float##suffix, float, unsigned long long, mode, x) \
    EMULATOR_ONE(__ll2double##suffix, double, long long, mode, x) \
    EMULATOR_ONE(__ull2double##suffix, double, unsigned long long, mode, x)
EMULATOR_ROUNDINGS(_rd, FE_DOWNWARD)
EMULATOR_ROUNDINGS(_ru, FE_UPWARD)
EMULATOR_ROUNDINGS(_rz, FE_TOWARDZERO)
#undef EMULATOR_ROUNDINGS
#undef EMULATOR_TWO
#undef EMULATOR_ONE
// clang-format on
__device__ inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
__device__ inline double __ull2double_rn(unsigned long long a) { return static_cast<double>(a); }
__device__ inline double __uint2double_rn(unsigned a) { return a; }
