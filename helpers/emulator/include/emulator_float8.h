// Conversions between double and eight bits: e4m3 (1 + 4 + 3 bits, no infinity, NaN is 0x7f) and e5m2 (1 + 5 + 2),
// rounded once to nearest even, subnormals kept. Source: OCP 8-bit Floating Point Specification (OFP8), revision 1.0.
#pragma once

#include "emulator_float16.h"

namespace [[gnu::visibility("hidden")]] emulator {

constexpr uint8_t kFloat8NaN = 0x7f, kE4m3Largest = 0x7e, kE5m2Largest = 0x7b, kE5m2Infinity = 0x7c;

// saturate: beyond the largest finite number comes that number, also for infinity; without it infinity, or e4m3's NaN.
// Templates, so that a file without them compiles none.
template <int kFraction = 2>
inline uint8_t e5m2_of(double value, bool saturate) {
    const uint16_t bits = round_bits<5, kFraction>(value, Round::nearest);
    const int magnitude = bits & 0x7fff;
    if (value != value) return kFloat8NaN;
    return static_cast<uint8_t>((bits >> 8 & 0x80) | (magnitude < kE5m2Infinity || !saturate ? magnitude : kE5m2Largest));
}
template <int kFraction = 3>
inline uint8_t e4m3_of(double value, bool saturate) {
    if (value != value) return kFloat8NaN;
    // Its exponents reach 15, where others have infinity: round with one more bit of exponent, whose bias is 8 more.
    const int magnitude = std::fabs(value) < 1.0 ? round_bits<4, kFraction>(std::fabs(value), Round::nearest)
                                                 : round_bits<5, kFraction>(std::fabs(value), Round::nearest) - (8 << kFraction);
    const int most = saturate ? kE4m3Largest : kFloat8NaN;
    return static_cast<uint8_t>((std::signbit(value) ? 0x80 : 0) | (magnitude > kE4m3Largest ? most : magnitude));
}

// As bits of a half, which holds every value of both exactly; a NaN becomes 0x7fff.
inline uint16_t half_of_e5m2(uint8_t bits) { return (bits & 0x7f) > kE5m2Infinity ? 0x7fff : static_cast<uint16_t>(bits << 8); }
inline uint16_t half_of_e4m3(uint8_t bits) {
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    if ((bits & 0x7f) == kFloat8NaN) return 0x7fff;
    const float magnitude = exponent ? std::ldexp(8.0f + static_cast<float>(fraction), exponent - 10)
                                     : std::ldexp(static_cast<float>(fraction), -9);
    return half_of(bits & 0x80 ? -magnitude : magnitude);
}

// A power of two, without a sign: 2^(bits - 127). Of what lies between two, the greater one if `up` says so.
inline uint8_t e8m0_of(double value, bool saturate, bool up) {
    constexpr int kBias = 127, kMost = 254, kNaN = 255;
    if (value != value) return kNaN;
    if (std::isinf(value)) return static_cast<uint8_t>(saturate ? kMost : kNaN);
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(value), &exponent);  // [0.5, 1) * 2^exponent
    const int bits = exponent - 1 + kBias + (up && fraction > 0.5);
    if (value == 0 || bits < 0) return 0;
    return static_cast<uint8_t>(bits <= kMost ? bits : saturate ? kMost
                                                                : kNaN);
}
inline uint16_t bfloat_of_e8m0(uint8_t bits) {
    return bits == 0xff ? 0x7fff : bits ? static_cast<uint16_t>(bits << 7)
                                        : 0x0040;
}

}  // namespace emulator
