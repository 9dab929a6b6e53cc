// What ptx.py makes of inline PTX that is more than an expression: carries, atomics, barriers in shared memory, matrices of a
// warp. Source of all layouts: NVIDIA, Parallel Thread Execution ISA.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "emulator_float16.h"
#include "emulator_float8.h"

namespace [[gnu::visibility("hidden")]] emulator {

// ---- arithmetic -----------------------------------------------------------------------------------------------------

// add.cc, addc: a + b + carry, and the carry out of it.
template <typename T>
inline std::make_unsigned_t<T> add_carry(T a, T b, bool in, bool& out) {
    using U = std::make_unsigned_t<T>;
    const auto wide = static_cast<unsigned __int128>(static_cast<U>(a)) + static_cast<U>(b) + in;
    out = wide >> 8 * sizeof(T) & 1;
    return static_cast<U>(wide);
}
// sub.cc, subc: a - b - borrow.
template <typename T>
inline std::make_unsigned_t<T> subtract_carry(T a, T b, bool in, bool& out) {
    using U = std::make_unsigned_t<T>;
    const auto wide = static_cast<unsigned __int128>(static_cast<U>(a)) - static_cast<U>(b) - in;
    out = wide >> 8 * sizeof(T) & 1;
    return static_cast<U>(wide);
}
template <typename T>
inline T half_of_product(T a, T b, bool high) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<T>(high ? product >> 8 * sizeof(T) : product);
}
// dp4a, dp2a: the sum of products of the parts of `a` and the lower bytes of `b`, in which one of both has signs.
template <typename A, typename B>
inline int32_t dot(uint32_t a, uint32_t b, int32_t sum) {
    for (unsigned i = 0; i < 4 / sizeof(A); ++i) sum += static_cast<A>(a >> 8 * sizeof(A) * i) * static_cast<B>(b >> 8 * i);
    return sum;
}
// cvt.f16, cvt.bf16: a number rounded in a direction (n, z, m, p, as PTX names them), and kept within limits.
enum class Limit { none,
                   sat,
                   relu };
template <bool kBfloat>
inline uint16_t narrowed(double value, char way, Limit limit, bool finite) {
    constexpr int kDigits = kBfloat ? 7 : 10, kLeast = kBfloat ? -126 : -14;
    constexpr double kMost = kBfloat ? 0x1.fep127 : 65504.0;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (value != value) return limit == Limit::sat ? 0 : 0x7fff;
    if (limit == Limit::sat) value = std::clamp(value, 0.0, 1.0);
    if (limit == Limit::relu && !(value > 0)) value = 0;
    if (value != 0 && std::abs(value) != kInfinity) {
        const double step = std::ldexp(1.0, std::max(std::ilogb(value), kLeast) - kDigits), steps = value / step;
        value = step * (way == 'n' ? std::rint(steps) : way == 'z' ? std::trunc(steps)
                                                    : way == 'm'   ? std::floor(steps)
                                                                   : std::ceil(steps));
        const bool grows = way == 'n' || way == (value < 0 ? 'm' : 'p');
        if (std::abs(value) > kMost) value = std::copysign(grows ? kInfinity : kMost, value);
    }
    if (finite) value = std::clamp(value, -kMost, kMost);
    const auto narrow = static_cast<float>(value);  // which has it exactly
    return static_cast<uint16_t>(kBfloat ? bfloat_of(narrow) : half_of(narrow));
}
// shl, shr: a shift by more than a number has bits leaves none of them.
template <typename T>
inline T shifted_left(T value, uint32_t by) {
    return by < 8 * sizeof(T) ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) << by) : T(0);
}
template <typename T>
inline T shifted_right(T value, uint32_t by) {
    return static_cast<T>(value >> std::min<uint32_t>(by, 8 * sizeof(T) - 1) >> (by >= 8 * sizeof(T)));
}
// cvt.sat: the nearest number that the type can hold.
template <typename To, typename From>
inline To saturated(From value) {
    if constexpr (std::is_floating_point_v<From>) {
        if (value != value) return 0;
        if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
        return value >= static_cast<From>(std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max() : static_cast<To>(value);
    } else {
        const auto wide = static_cast<__int128>(value);
        return static_cast<To>(std::clamp<__int128>(wide, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
    }
}

// Video instructions: vadd.s32.u32.s32.sat, vabsdiff4.u32.u32.u32.add, ... D: what a result has to fit in; A, B: what the
// operands are read as; kParts: 1, or the bytes (4) or halves (2) of a word, whose results stand side by side or are added.
enum class Part { add,
                  sub,
                  avrg,
                  absdiff,
                  min,
                  max };
enum class Merged { none,
                    add,
                    min,
                    max };
template <typename D, typename A, typename B, int kParts, bool kSaturates>
struct Video {
    static constexpr int kBits = 32 / kParts;
    template <typename T>
    static int64_t part(uint32_t word, int at) {
        const uint32_t bits = word << (32 - kBits - at) >> (32 - kBits);
        return std::is_signed_v<T> ? static_cast<int64_t>(static_cast<int32_t>(bits << (32 - kBits)) >> (32 - kBits)) : bits;
    }
    static int64_t fitted(int64_t value) {
        constexpr int64_t kMost = (int64_t{1} << (std::is_signed_v<D> ? kBits - 1 : kBits)) - 1;
        constexpr int64_t kLeast = std::is_signed_v<D> ? -kMost - 1 : 0;
        if (kSaturates) return std::clamp(value, kLeast, kMost);
        return part<D>(static_cast<uint32_t>(value), 0);
    }
    static int64_t one(Part what, int64_t a, int64_t b) {
        switch (what) {
            case Part::add: return a + b;
            case Part::sub: return a - b;
            case Part::avrg: return (a + b + (a + b >= 0)) >> 1;
            case Part::absdiff: return a < b ? b - a : a - b;
            case Part::min: return std::min(a, b);
            default: return std::max(a, b);
        }
    }
    static uint32_t of(Part what, Merged second, uint32_t a, uint32_t b, uint32_t c) {
        uint32_t result = 0;
        for (int at = 0; at < 32; at += kBits) {
            const auto found = static_cast<uint32_t>(fitted(one(what, part<A>(a, at), part<B>(b, at))));
            if (kParts > 1 && second == Merged::add) {
                result += found;
            } else {
                result |= (found << (32 - kBits) >> (32 - kBits)) << at;
            }
        }
        const D first = static_cast<D>(result), other = static_cast<D>(c);
        switch (second) {
            case Merged::none: return result;
            case Merged::add: return result + c;
            case Merged::min: return static_cast<uint32_t>(std::min(first, other));
            default: return static_cast<uint32_t>(std::max(first, other));
        }
    }
};

// min.NaN, max.NaN: NaN if either number is.
template <typename Choose>
inline float or_nan(Choose choose, float a, float b) {
    return a != a || b != b ? std::numeric_limits<float>::quiet_NaN() : choose(a, b);
}
// min and max with .xorsign.abs: of the sizes, with the sign of the product.
template <typename Choose>
inline float with_both_signs(Choose choose, float a, float b) {
    return copysignf(choose(fabsf(a), fabsf(b)), copysignf(1.0f, a) * copysignf(1.0f, b));
}
// bfind.shiftamt: by how much the highest bit that is not the sign goes up to the top; all bits, if there is none.
template <typename T>
inline uint32_t shift_to_top(T value) {
    const auto bits = static_cast<uint64_t>(value < 0 ? ~value : value);
    return bits ? static_cast<uint32_t>(__builtin_clzll(bits)) - (64 - 8 * sizeof(T)) : ~0u;
}
// bfi.b64: the low bits of a, at a place in b.
inline uint64_t inserted(uint64_t a, uint64_t b, uint32_t position, uint32_t length) {
    if ((position &= 255) > 63 || !(length &= 255)) return b;
    const uint64_t mask = (length > 63 ? ~uint64_t{0} : (uint64_t{1} << length) - 1) << position;
    return (b & ~mask) | (a << position & mask);
}
// bmsk: so many ones from a place on, as far as there are bits.
inline uint32_t bit_mask(uint32_t position, uint32_t length) {
    return position > 31 ? 0 : static_cast<uint32_t>(((uint64_t{1} << std::min(length, 32u)) - 1) << position);
}
// mul24.hi: the upper 32 of the 48 bits.
template <typename T>
inline T high_of_24(T a, T b) {
    const auto low = [](T x) { return static_cast<int64_t>(std::is_signed_v<T> ? static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8 : x & 0xffffff); };
    return static_cast<T>(low(a) * low(b) >> 16);
}
template <typename T>
inline T apart(T a, T b) { return static_cast<T>(a < b ? b - a : a - b); }
// cvt.pack: both numbers saturated, `a` above `b`, above these the low bits of `c`.
template <typename To>
inline uint32_t packed(int32_t a, int32_t b, uint32_t c) {
    constexpr int kBits = 8 * sizeof(To);
    using U = std::make_unsigned_t<To>;
    const uint32_t both = uint32_t{static_cast<U>(saturated<To>(a))} << kBits | static_cast<U>(saturated<To>(b));
    return kBits == 8 ? c << 16 | both : both;
}
// Two numbers of 8 bits, and as many halves in a register.
#define EMULATOR_TWO_FP8(format) \
    inline uint32_t halves_of_##format(uint32_t bits) { \
        return uint32_t{half_of_##format(static_cast<uint8_t>(bits >> 8))} << 16 | half_of_##format(static_cast<uint8_t>(bits)); \
    } \
    template <typename Bits> \
    inline uint16_t format##_of_halves(Bits bits) { \
        const auto one = [](Bits half) { return format##_of(float_of_half(static_cast<uint16_t>(half)), true); }; \
        return static_cast<uint16_t>(one(bits >> 16) << 8 | one(bits)); \
    }
EMULATOR_TWO_FP8(e4m3)
EMULATOR_TWO_FP8(e5m2)
#undef EMULATOR_TWO_FP8

// Arithmetic of one or two numbers of 16 bits in a register, each result rounded once.
template <bool kBfloat, int kParts, typename Operation>
inline uint32_t by_parts(Operation operation, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    uint32_t result = 0;
    for (int shift = 0; shift < 16 * kParts; shift += 16) {
        const auto widen = [shift](uint32_t bits) {
            const auto one = static_cast<uint16_t>(bits >> shift);
            return static_cast<double>(kBfloat ? float_of_bfloat(one) : float_of_half(one));
        };
        const double value = operation(widen(a), widen(b), widen(c));
        result |= uint32_t{kBfloat ? round_bits<8, 7>(value, Round::nearest) : round_bits<5, 10>(value, Round::nearest)} << shift;
    }
    return result;
}

// ---- barriers: mbarrier -----------------------------------------------------------------------------------------------

// In eight bytes of shared memory: who is expected and who has not come, 20 bits each, and the number of the phase.
struct MBarrier {
    static constexpr int kBits = 20;
    static constexpr uint64_t kMost = (1 << kBits) - 1;
    volatile uint64_t* at;

    explicit MBarrier(uintptr_t address) : at(reinterpret_cast<volatile uint64_t*>(address)) {}
    void begin(uint64_t expected) const { *at = expected | expected << kBits; }
    EMULATOR_UNTRACED unsigned phase() const { return static_cast<unsigned>(*at >> 2 * kBits); }
    EMULATOR_UNTRACED uint64_t arrive(uint64_t by = 1, bool drops = false) const {
        emulator_trace_atomic(const_cast<const uint64_t*>(at), sizeof *at, __builtin_return_address(0), Atomic::exchange);
        emulator_trace_arrive(const_cast<const uint64_t*>(at), phase());
        const OneStep step;
        const uint64_t before = *at;
        const uint64_t expected = (before & kMost) - drops, pending = (before >> kBits & kMost) - by;
        const uint64_t number = before >> 2 * kBits << 2 * kBits;
        *at = pending ? number | pending << kBits | expected : number + (uint64_t{1} << 2 * kBits) | expected << kBits | expected;
        return before;
    }
    EMULATOR_UNTRACED bool is_over(uint64_t state) const { return pass(static_cast<unsigned>(state >> 2 * kBits)); }
    EMULATOR_UNTRACED bool is_over(bool odd) const { return pass((phase() & 1) == odd ? phase() : phase() - 1); }
    EMULATOR_UNTRACED bool pass(unsigned waited) const {
        if (phase() == waited) yield_at(at, 0);
        if (phase() == waited) return false;
        has_opened();
        emulator_trace_atomic(const_cast<const uint64_t*>(at), sizeof *at, __builtin_return_address(0), Atomic::exchange);
        emulator_trace_pass(const_cast<const uint64_t*>(at), waited);
        return true;
    }
};

// ---- a warp -----------------------------------------------------------------------------------------------------------

// Whether a shuffle reads from a lane of its segment.
inline bool is_in_segment(Shuffle kind, int by, int width) {
    const int at = lane_id() % width;
    return kind == Shuffle::up ? at >= by : kind == Shuffle::down ? at + by < width
                                                                  : true;
}
inline bool elect(unsigned mask, EMULATOR_LINE) {
    __syncwarp(mask, line);
    return lane_id() == __ffs(static_cast<int>(mask)) - 1;
}
// ldmatrix: matrix `which` of 8 x 8 halves; lane 8 * which + row has the address of its row.
template <bool kTransposed>
inline uint32_t matrix(uintptr_t address, int which, EMULATOR_LINE) {
    const int lane = lane_id(), row = lane / 4, pair = lane % 4;
    if (address % 16 && lane / 8 == which) fault({716, Rule::misaligned}, "ldmatrix (line %d): the address of a row must be a multiple of 16 bytes", line);
    const auto row_of = [&](int one) {
        return reinterpret_cast<const uint16_t*>(__shfl_sync(~0u, static_cast<unsigned long long>(address), 8 * which + one, kWarp, line));
    };
    if constexpr (kTransposed) {
        const uint16_t *first = row_of(2 * pair), *second = row_of(2 * pair + 1);
        return first[row] | uint32_t{second[row]} << 16;
    } else {
        const uint16_t* from = row_of(row);
        return from[2 * pair] | uint32_t{from[2 * pair + 1]} << 16;
    }
}
// movmatrix: the matrix of 8 x 8 halves whose row `lane / 4` has two halves in each of four lanes, transposed.
// A template, so that only a file that calls it makes a function of it and of the shuffle.
template <typename Bits>
uint32_t transposed(Bits given, EMULATOR_LINE) {
    const uint32_t bits = given;
    const int lane = lane_id(), column = lane / 4, pair = lane % 4;
    const auto half_of_row = [&](int row) { return __shfl_sync(~0u, bits, 4 * row + column / 2, kWarp, line) >> 16 * (column % 2) & 0xffffu; };
    const uint32_t first = half_of_row(2 * pair);
    return first | half_of_row(2 * pair + 1) << 16;
}

// The elements of a register, for mma: kEach of them.
struct OfHalf {
    static constexpr int kEach = 2;
    using Sum = float;
    static float get(uint32_t bits, int i) { return float_of_half(static_cast<uint16_t>(bits >> 16 * i)); }
};
struct OfBfloat {
    static constexpr int kEach = 2;
    using Sum = float;
    static float get(uint32_t bits, int i) { return float_of_bfloat(static_cast<uint16_t>(bits >> 16 * i)); }
};
struct OfTf32 {
    static constexpr int kEach = 1;
    using Sum = float;
    static float get(uint32_t bits, int) { return bits_of<float>(bits & 0xffffe000u); }
};
template <typename T>
struct OfBytes {
    static constexpr int kEach = 4;
    using Sum = int;
    static int get(uint32_t bits, int i) { return static_cast<T>(bits >> 8 * i); }
};
// mma.m16n8k: rows g and g + 8, columns 2 * t and 2 * t + 1 of lane 4 * g + t. kSteps: registers of b; a has twice as many.
template <typename Of, int kSteps>
struct Product {
    using Sum = typename Of::Sum;
    Sum sum[4];
    Product(const uint32_t (&a)[2 * kSteps], const uint32_t (&b)[kSteps], const Sum (&c)[4], EMULATOR_LINE) : sum{c[0], c[1], c[2], c[3]} {
        const int g = lane_id() / 4, t = lane_id() % 4;
        for (int step = 0; step < kSteps; ++step) {
            for (int from = 0; from < 4; ++from) {
                const uint32_t rows[2] = {__shfl_sync(~0u, a[2 * step], 4 * g + from, kWarp, line), __shfl_sync(~0u, a[2 * step + 1], 4 * g + from, kWarp, line)};
                const uint32_t columns[2] = {__shfl_sync(~0u, b[step], 8 * t + from, kWarp, line), __shfl_sync(~0u, b[step], 8 * t + 4 + from, kWarp, line)};
                for (int place = 0; place < 4; ++place) {
                    for (int i = 0; i < Of::kEach; ++i) sum[place] += Of::get(rows[place / 2], i) * Of::get(columns[place % 2], i);
                }
            }
        }
    }
};

}  // namespace emulator
