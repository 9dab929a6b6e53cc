// Four bytes or two halves of a word at once, and inverse error functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "emulator_types.h"

namespace [[gnu::visibility("hidden")]] emulator {

// f of each part of two words; T: the type of a part.
template <typename T, typename F>
inline unsigned by_parts(unsigned a, unsigned b, F f) {
    constexpr int kBits = 8 * sizeof(T);
    unsigned result = 0;
    for (int at = 0; at < 32; at += kBits) {
        const int one = f(static_cast<T>(a >> at), static_cast<T>(b >> at));
        result |= (static_cast<unsigned>(one) & ((1u << kBits) - 1)) << at;
    }
    return result;
}
template <typename T>
inline int saturated(int value) {
    constexpr int kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
    return value < kLeast ? kLeast : (value > kMost ? kMost : value);
}
template <typename T>
inline T largest(T a, T b) { return a > b ? a : b; }
template <typename T>
inline T smallest(T a, T b) { return a < b ? a : b; }
// The sum of the distances between the parts of two words.
template <typename T>
inline unsigned distances(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (int at = 0; at < 32; at += 8 * static_cast<int>(sizeof(T))) {
        sum += static_cast<unsigned>(std::abs(static_cast<T>(a >> at) - static_cast<T>(b >> at)));
    }
    return sum;
}

// Newton's method on erf from Winitzki's approximation of its inverse; exact to a double's last bits.
inline double erfinv(double y) {
    if (!(std::fabs(y) < 1.0)) return std::fabs(y) == 1.0 ? std::copysign(HUGE_VAL, y) : NAN;
    const double l = std::log1p(-y * y), k = 2.0 / (M_PI * 0.147) + 0.5 * l;
    double x = std::copysign(std::sqrt(std::sqrt(k * k - l / 0.147) - k), y);
    for (int i = 0; i < 4; ++i) {
        const double error = y > 0.5 ? -(std::erfc(x) - (1.0 - y)) : std::erf(x) - y;
        x -= error / (M_2_SQRTPI * std::exp(-x * x));
    }
    return x;
}

}  // namespace emulator

// clang-format off
#define EMULATOR_PARTS(name, type, expression) \
    __device__ inline unsigned name(unsigned a, unsigned b) { \
        using Part [[maybe_unused]] = type; \
        return emulator::by_parts<type>(a, b, [](int x, int y) { (void)y; return static_cast<int>(expression); }); \
    }
#define EMULATOR_SIMD(name, type2, type4, expression) \
    EMULATOR_PARTS(name##2, type2, expression) \
    EMULATOR_PARTS(name##4, type4, expression)
#define EMULATOR_OF_ONE(name, expression) \
    EMULATOR_SIMD(emulator##name, int16_t, int8_t, expression) \
    __device__ inline unsigned name##2(unsigned a) { return emulator##name##2(a, 0); } \
    __device__ inline unsigned name##4(unsigned a) { return emulator##name##4(a, 0); }
EMULATOR_SIMD(__vadd, uint16_t, uint8_t, x + y)
EMULATOR_SIMD(__vsub, uint16_t, uint8_t, x - y)
EMULATOR_SIMD(__vmaxs, int16_t, int8_t, x > y ? x : y)
EMULATOR_SIMD(__vmaxu, uint16_t, uint8_t, x > y ? x : y)
EMULATOR_SIMD(__vmins, int16_t, int8_t, x < y ? x : y)
EMULATOR_SIMD(__vminu, uint16_t, uint8_t, x < y ? x : y)
EMULATOR_SIMD(__vabsdiffu, uint16_t, uint8_t, x > y ? x - y : y - x)
EMULATOR_SIMD(__vabsdiffs, int16_t, int8_t, x > y ? x - y : y - x)
EMULATOR_SIMD(__vavgu, uint16_t, uint8_t, (x + y + 1) / 2)
EMULATOR_SIMD(__vhaddu, uint16_t, uint8_t, (x + y) / 2)
EMULATOR_SIMD(__vcmpeq, uint16_t, uint8_t, x == y ? -1 : 0)
EMULATOR_SIMD(__vcmpne, uint16_t, uint8_t, x != y ? -1 : 0)
EMULATOR_SIMD(__vcmpgtu, uint16_t, uint8_t, x > y ? -1 : 0)
EMULATOR_SIMD(__vcmpgts, int16_t, int8_t, x > y ? -1 : 0)
EMULATOR_SIMD(__vcmpltu, uint16_t, uint8_t, x < y ? -1 : 0)
EMULATOR_SIMD(__vcmplts, int16_t, int8_t, x < y ? -1 : 0)
EMULATOR_SIMD(__vcmpgeu, uint16_t, uint8_t, x >= y ? -1 : 0)
EMULATOR_SIMD(__vcmpges, int16_t, int8_t, x >= y ? -1 : 0)
EMULATOR_SIMD(__vcmpleu, uint16_t, uint8_t, x <= y ? -1 : 0)
EMULATOR_SIMD(__vcmples, int16_t, int8_t, x <= y ? -1 : 0)
EMULATOR_SIMD(__vseteq, uint16_t, uint8_t, x == y)
EMULATOR_SIMD(__vsetne, uint16_t, uint8_t, x != y)
EMULATOR_SIMD(__vsetgtu, uint16_t, uint8_t, x > y)
EMULATOR_SIMD(__vsetgts, int16_t, int8_t, x > y)
EMULATOR_SIMD(__vsetgeu, uint16_t, uint8_t, x >= y)
EMULATOR_SIMD(__vsetges, int16_t, int8_t, x >= y)
EMULATOR_SIMD(__vsetltu, uint16_t, uint8_t, x < y)
EMULATOR_SIMD(__vsetlts, int16_t, int8_t, x < y)
EMULATOR_SIMD(__vsetleu, uint16_t, uint8_t, x <= y)
EMULATOR_SIMD(__vsetles, int16_t, int8_t, x <= y)
EMULATOR_SIMD(__vavgs, int16_t, int8_t, (x + y + (x + y >= 0)) >> 1)
EMULATOR_SIMD(__vaddus, uint16_t, uint8_t, emulator::saturated<Part>(x + y))
EMULATOR_SIMD(__vaddss, int16_t, int8_t, emulator::saturated<Part>(x + y))
EMULATOR_SIMD(__vsubus, uint16_t, uint8_t, emulator::saturated<Part>(x - y))
EMULATOR_SIMD(__vsubss, int16_t, int8_t, emulator::saturated<Part>(x - y))
EMULATOR_OF_ONE(__vneg, -x)
EMULATOR_OF_ONE(__vnegss, emulator::saturated<Part>(-x))
EMULATOR_OF_ONE(__vabs, std::abs(x))
EMULATOR_OF_ONE(__vabsss, emulator::saturated<Part>(std::abs(x)))
#undef EMULATOR_OF_ONE
#undef EMULATOR_SIMD
#undef EMULATOR_PARTS
__device__ inline unsigned __vsadu2(unsigned a, unsigned b) { return emulator::distances<uint16_t>(a, b); }
__device__ inline unsigned __vsadu4(unsigned a, unsigned b) { return emulator::distances<uint8_t>(a, b); }
__device__ inline unsigned __vsads2(unsigned a, unsigned b) { return emulator::distances<int16_t>(a, b); }
__device__ inline unsigned __vsads4(unsigned a, unsigned b) { return emulator::distances<int8_t>(a, b); }

// Steps of dynamic programming: the larger or smaller of a sum and a number, of three, of two and which; at least 0.
#define EMULATOR_STEPS(end, T, sum, max, min, zero_or) \
    __host__ __device__ inline T __viaddmax_##end(T a, T b, T c) { return zero_or(max(sum(a, b), c)); } \
    __host__ __device__ inline T __viaddmin_##end(T a, T b, T c) { return zero_or(min(sum(a, b), c)); } \
    __host__ __device__ inline T __vimax3_##end(T a, T b, T c) { return zero_or(max(max(a, b), c)); } \
    __host__ __device__ inline T __vimin3_##end(T a, T b, T c) { return zero_or(min(min(a, b), c)); }
#define EMULATOR_TWO(end, T, max, min) \
    __host__ __device__ inline T __vimax_##end(T a, T b) { return max(max(a, b), T(0)); } \
    __host__ __device__ inline T __vimin_##end(T a, T b) { return max(min(a, b), T(0)); }
#define EMULATOR_WHICH(end, T) \
    __host__ __device__ inline T __vibmax_##end(T a, T b, bool* first) { return *first = a >= b, emulator::largest(a, b); } \
    __host__ __device__ inline T __vibmin_##end(T a, T b, bool* first) { return *first = a <= b, emulator::smallest(a, b); }
#define EMULATOR_WHICH_PARTS(name, function) \
    __host__ __device__ inline unsigned name(unsigned a, unsigned b, bool* high, bool* low) { \
        const unsigned found = function(a, b); \
        return *high = found >> 16 == a >> 16, *low = (found & 0xffff) == (a & 0xffff), found; \
    }
#define EMULATOR_SUM(a, b) (a + b)
#define EMULATOR_MAX_0(a) emulator::largest(a, 0)
#define EMULATOR_MAX_0_2(a) __vmaxs2(a, 0)
EMULATOR_STEPS(s32, int, EMULATOR_SUM, emulator::largest, emulator::smallest, )
EMULATOR_STEPS(u32, unsigned, EMULATOR_SUM, emulator::largest, emulator::smallest, )
EMULATOR_STEPS(s16x2, unsigned, __vadd2, __vmaxs2, __vmins2, )
EMULATOR_STEPS(u16x2, unsigned, __vadd2, __vmaxu2, __vminu2, )
EMULATOR_STEPS(s32_relu, int, EMULATOR_SUM, emulator::largest, emulator::smallest, EMULATOR_MAX_0)
EMULATOR_STEPS(s16x2_relu, unsigned, __vadd2, __vmaxs2, __vmins2, EMULATOR_MAX_0_2)
EMULATOR_TWO(s32_relu, int, emulator::largest, emulator::smallest)
EMULATOR_TWO(s16x2_relu, unsigned, __vmaxs2, __vmins2)
EMULATOR_WHICH(s32, int)
EMULATOR_WHICH(u32, unsigned)
EMULATOR_WHICH_PARTS(__vibmax_s16x2, __vmaxs2)
EMULATOR_WHICH_PARTS(__vibmin_s16x2, __vmins2)
EMULATOR_WHICH_PARTS(__vibmax_u16x2, __vmaxu2)
EMULATOR_WHICH_PARTS(__vibmin_u16x2, __vminu2)
#undef EMULATOR_STEPS
#undef EMULATOR_TWO
#undef EMULATOR_WHICH
#undef EMULATOR_WHICH_PARTS
#undef EMULATOR_SUM
#undef EMULATOR_MAX_0
#undef EMULATOR_MAX_0_2
// clang-format on

__host__ __device__ inline double erfinv(double y) { return emulator::erfinv(y); }
__host__ __device__ inline float erfinvf(float y) { return static_cast<float>(emulator::erfinv(static_cast<double>(y))); }
__host__ __device__ inline double erfcinv(double y) { return emulator::erfinv(1.0 - y); }
__host__ __device__ inline float erfcinvf(float y) { return static_cast<float>(emulator::erfinv(1.0 - static_cast<double>(y))); }
__host__ __device__ inline double normcdfinv(double p) { return M_SQRT2 * emulator::erfinv(2.0 * p - 1.0); }
__host__ __device__ inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(static_cast<double>(p))); }
