// Four bytes or two halves of a word at once, and inverse error functions.
#pragma once

#include <cmath>
#include <cstdint>

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
inline int clamp(int value, int least, int most) { return value < least ? least : (value > most ? most : value); }

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
#define EMULATOR_SIMD(name, type2, type4, expression) \
    __device__ inline unsigned name##2(unsigned a, unsigned b) { \
        return emulator::by_parts<type2>(a, b, [](int x, int y) { (void)y; return static_cast<int>(expression); }); \
    } \
    __device__ inline unsigned name##4(unsigned a, unsigned b) { \
        return emulator::by_parts<type4>(a, b, [](int x, int y) { (void)y; return static_cast<int>(expression); }); \
    }
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
#undef EMULATOR_SIMD
__device__ inline unsigned __vaddus4(unsigned a, unsigned b) { return emulator::by_parts<uint8_t>(a, b, [](int x, int y) { return emulator::clamp(x + y, 0, 255); }); }
__device__ inline unsigned __vaddss4(unsigned a, unsigned b) { return emulator::by_parts<int8_t>(a, b, [](int x, int y) { return emulator::clamp(x + y, -128, 127); }); }
__device__ inline unsigned __vsubus4(unsigned a, unsigned b) { return emulator::by_parts<uint8_t>(a, b, [](int x, int y) { return emulator::clamp(x - y, 0, 255); }); }
__device__ inline unsigned __vsubss4(unsigned a, unsigned b) { return emulator::by_parts<int8_t>(a, b, [](int x, int y) { return emulator::clamp(x - y, -128, 127); }); }
__device__ inline unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
__device__ inline unsigned __vneg2(unsigned a) { return __vsub2(0, a); }
__device__ inline unsigned __vsadu4(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (int at = 0; at < 32; at += 8) {
        const int x = static_cast<int>(a >> at & 255), y = static_cast<int>(b >> at & 255);
        sum += static_cast<unsigned>(x > y ? x - y : y - x);
    }
    return sum;
}
// clang-format on

__host__ __device__ inline double erfinv(double y) { return emulator::erfinv(y); }
__host__ __device__ inline float erfinvf(float y) { return static_cast<float>(emulator::erfinv(static_cast<double>(y))); }
__host__ __device__ inline double erfcinv(double y) { return emulator::erfinv(1.0 - y); }
__host__ __device__ inline float erfcinvf(float y) { return static_cast<float>(emulator::erfinv(1.0 - static_cast<double>(y))); }
__host__ __device__ inline double normcdfinv(double p) { return M_SQRT2 * emulator::erfinv(2.0 * p - 1.0); }
__host__ __device__ inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(static_cast<double>(p))); }
