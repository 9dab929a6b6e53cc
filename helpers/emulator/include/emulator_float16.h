// Conversions between float, double, half (1 + 5 + 10 bits) and bfloat16 (1 + 8 + 7 bits), rounded to nearest even,
// subnormals kept, NaN made the GPU's own (0x7fff).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__F16C__)
#include <immintrin.h>
#endif

// Half's conversions, for which the compiler calls those of four or eight numbers where it works on so many: they have
// the names that the vector ABI of x86-64 gives them (b: SSE, c: AVX, d: AVX2; N: how many).
#if defined(__AVX2__) && defined(__F16C__) && !defined(__AVX512F__) && defined(__linux__) && !defined(__clang__)
#define EMULATOR_HALVES_BY_EIGHT 1
#ifdef EMULATOR_ABREAST
#define EMULATOR_LANE extern "C" __attribute__((simd("notinbranch"), const, visibility("hidden")))
EMULATOR_LANE uint32_t emulator_half_of(float) noexcept;
EMULATOR_LANE float emulator_float_of_half(uint32_t) noexcept;
#endif
#endif

namespace [[gnu::visibility("hidden")]] emulator {

template <typename To, typename From>
inline To bits_of(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    memcpy(&result, &value, sizeof result);
    return result;
}

enum class Round {
    nearest,
    zero,
    down,
    up,
};

// A double rounded once to a format of `kExponent` and `kFraction` bits.
template <int kExponent, int kFraction>
inline uint16_t round_bits(double value, Round mode) {
    const auto bits = bits_of<uint64_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
    constexpr int kBias = (1 << (kExponent - 1)) - 1;
    constexpr uint16_t kInfinity = ((1 << kExponent) - 1) << kFraction;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & 0xfffffffffffffu;
    if (exponent == 0x7ff) return fraction ? 0x7fff : static_cast<uint16_t>(sign | kInfinity);
    if (exponent == 0) {  // zero, or too small even for a subnormal
        const bool away = fraction && (sign ? mode == Round::down : mode == Round::up);
        return static_cast<uint16_t>(sign | away);
    }
    int e = exponent - 1023 + kBias;
    const uint64_t significand = fraction | 1ull << 52;
    int shift = 52 - kFraction;
    if (e < 1) {
        shift += 1 - e;
        e = 1;
    }
    uint64_t kept = 0, rest = 1, half = 2;  // far below the smallest subnormal: less than half of it
    if (shift < 63) {
        kept = significand >> shift;
        rest = significand & ((1ull << shift) - 1);
        half = 1ull << (shift - 1);
    }
    bool away = false;
    if (mode == Round::nearest) away = rest > half || (rest == half && (kept & 1));
    if (mode == Round::up) away = rest && !sign;
    if (mode == Round::down) away = rest && sign;
    // The hidden bit of `kept` adds one to the exponent field, and a carry out of the fraction one more: as it should.
    const uint64_t result = (static_cast<uint64_t>(e - 1) << kFraction) + kept + away;
    if (result < kInfinity) return static_cast<uint16_t>(sign | result);
    const bool clipped = mode == Round::zero || (mode == Round::up && sign) || (mode == Round::down && !sign);
    return static_cast<uint16_t>(sign | (clipped ? kInfinity - 1 : kInfinity));
}

#if defined(__F16C__)
// The lower two of four numbers, rounded. A NaN becomes 0x7fffffff first, which is rounded to 0x7fff.
inline uint32_t halves_of(__m128 x) {
    const __m128 gpu = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff));
    const __m128 number = _mm_blendv_ps(x, gpu, _mm_cmpunord_ps(x, x));
    return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(number, _MM_FROUND_TO_NEAREST_INT)));
}
// The lower two of the halves in a word, as floats.
inline __m128 floats_of_halves(uint32_t pair) { return _mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(pair))); }
#endif

inline uint16_t half_of(float value) {
#if defined(__F16C__)
    if (__builtin_constant_p(value)) return round_bits<5, 10>(value, Round::nearest);  // computed by the compiler
#if defined(__clang__)
    const __m128 number = _mm_set_ss(value);  // it sees that the other parts are not asked for
#else
    __m128 number;
    asm("" : "=x"(number) : "0"(value));  // whatever the other parts are
#endif
    return static_cast<uint16_t>(halves_of(number));
#else
    return round_bits<5, 10>(value, Round::nearest);
#endif
}

inline float float_of_half(uint16_t h) {
#if defined(__F16C__)
    return _mm_cvtss_f32(floats_of_halves(h));
#else
    const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ffu;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return bits_of<float>(sign | (exponent == 31 ? 0xffu : exponent + 112) << 23 | fraction << 13);
#endif
}

#if defined(EMULATOR_ABREAST)
// Without branches, comparisons and calls: what the compiler can do for eight numbers at once.
// All bits where a > b; both are below 2^31.
inline uint32_t where_more(uint32_t a, uint32_t b) { return static_cast<uint32_t>(static_cast<int32_t>(b - a) >> 31); }
inline uint32_t choose(uint32_t where, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & where); }
constexpr uint32_t kMagnitude = 0x7fffffff, kInfinityBits = 0x7f800000;

#if defined(EMULATOR_HALVES_BY_EIGHT)
inline uint16_t plain_half_of(float value) {
    if (__builtin_constant_p(value)) return round_bits<5, 10>(value, Round::nearest);  // a call stays a branch's own
    return static_cast<uint16_t>(emulator_half_of(value));
}
inline float plain_float_of_half(uint16_t h) { return emulator_float_of_half(h); }
#else
inline uint16_t plain_half_of(float value) {
    const auto bits = bits_of<uint32_t>(value), magnitude = bits & kMagnitude;
    const uint32_t most = 0x47800000, kept = magnitude < most ? magnitude : most;  // 2^16: infinity
    const uint32_t normal = (kept + 0xc8000fffu + (kept >> 13 & 1)) >> 13;
    const uint32_t subnormal = bits_of<uint32_t>(bits_of<float>(kept) + 0.5f) - 0x3f000000u;  // the sum is rounded to 2^-24
    const uint32_t rounded = choose(where_more(0x38800000, kept), subnormal, normal);
    return static_cast<uint16_t>(choose(where_more(magnitude, kInfinityBits), 0x7fff, rounded | (bits >> 16 & 0x8000)));
}
inline float plain_float_of_half(uint16_t h) {
    const uint32_t moved = static_cast<uint32_t>(static_cast<int16_t>(h)) << 13 & 0x8fffe000;
    // All bits for infinity and NaN, whose exponent carries.
    const auto special = static_cast<uint32_t>(static_cast<int32_t>(((moved & 0x0f800000) + 0x00800000) << 3) >> 31);
    const uint32_t factor = 0x77800000 - (special & 0x38000000);  // 2^112, else 1
    return bits_of<float>(moved | (special & 0x70000000)) * bits_of<float>(factor);
}
#endif
inline uint16_t bfloat_of(float value) {
    const auto bits = bits_of<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return static_cast<uint16_t>(choose(where_more(bits & kMagnitude, kInfinityBits), 0x7fff, rounded));
}
#else
inline uint16_t bfloat_of(float value) {
    const auto bits = bits_of<uint32_t>(value);
    const auto rounded = static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
    return value != value ? uint16_t{0x7fff} : rounded;
}
#endif
inline float float_of_bfloat(uint16_t b) { return bits_of<float>(static_cast<uint32_t>(b) << 16); }

#if defined(__F16C__)
// The same for the two numbers in a word, and the lower two of four.
inline __m128 floats_of_bfloats(uint32_t pair) {
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_cvtsi32_si128(static_cast<int>(pair))));
}
inline uint32_t bfloats_of(__m128 x) {
    const __m128i bits = _mm_castps_si128(x), odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
    const __m128i rounded = _mm_srli_epi32(_mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7fff)), odd), 16);
    const __m128i nan = _mm_castps_si128(_mm_cmpunord_ps(x, x));
    const __m128i number = _mm_blendv_epi8(rounded, _mm_set1_epi32(0x7fff), nan);
    return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi32(number, number)));
}
#endif

// Two floats as the halves of a word, and back.
inline uint32_t halves_of(float low, float high) {
#if defined(__F16C__)
    return halves_of(_mm_setr_ps(low, high, 0.0f, 0.0f));
#else
    return half_of(low) | static_cast<uint32_t>(half_of(high)) << 16;
#endif
}

// CUDA's maximum and minimum of 16-bit numbers, from their bits: a NaN counts for nothing beside a number, and -0.0 is
// less than 0.0. kInfinity: the bits of infinity; above them are NaNs.
template <int kInfinity>
constexpr bool is_nan_of(uint16_t h) { return (h & 0x7fff) > kInfinity; }
// In the order of the numbers, and back; that of a NaN is `nan`, 0x7fff or -0x8000.
template <int kInfinity>
constexpr int16_t rank_of(uint16_t h, int16_t nan) {
    const auto rank = static_cast<int16_t>(h ^ (static_cast<int16_t>(h) >> 15 & 0x7fff));
    return is_nan_of<kInfinity>(h) ? nan : rank;
}
constexpr uint16_t of_rank(int16_t rank) {
    const auto bits = static_cast<uint16_t>(rank ^ (rank >> 15 & 0x7fff));
    return rank == -0x8000 ? uint16_t{0x7fff} : bits;
}
template <int kInfinity>
constexpr uint16_t maximum_of(uint16_t a, uint16_t b) {
    const int16_t x = rank_of<kInfinity>(a, -0x8000), y = rank_of<kInfinity>(b, -0x8000);
    return of_rank(x > y ? x : y);
}
template <int kInfinity>
constexpr uint16_t minimum_of(uint16_t a, uint16_t b) {
    const int16_t x = rank_of<kInfinity>(a, 0x7fff), y = rank_of<kInfinity>(b, 0x7fff);
    return of_rank(x < y ? x : y);
}

// f of the two numbers in each of two words, rounded. f takes floats, or vectors of them.
template <typename F>
inline uint32_t by_halves(uint32_t a, uint32_t b, F f) {
#if defined(__F16C__)
    return halves_of(f(floats_of_halves(a), floats_of_halves(b)));
#else
    const auto one = [&](int shift) {
        const auto part = [&](uint32_t pair) { return float_of_half(static_cast<uint16_t>(pair >> shift)); };
        return static_cast<uint32_t>(half_of(f(part(a), part(b)))) << shift;
    };
    return one(0) | one(16);
#endif
}
template <typename F>
inline uint32_t by_bfloats(uint32_t a, uint32_t b, F f) {
#if defined(__F16C__)
    return bfloats_of(f(floats_of_bfloats(a), floats_of_bfloats(b)));
#else
    const uint32_t low = bfloat_of(f(bits_of<float>(a << 16), bits_of<float>(b << 16)));
    return low | static_cast<uint32_t>(bfloat_of(f(bits_of<float>(a & 0xffff0000u), bits_of<float>(b & 0xffff0000u)))) << 16;
#endif
}

// CUDA's fmaxf and fminf: a NaN counts for nothing beside a number, and -0.0 is less than 0.0.
// A processor chooses without a branch, which would be taken half of the time.
#if defined(EMULATOR_ABREAST)  // then it is done for eight at once
// An integer in the order of the numbers, and back.
inline int32_t rank_of(float x) {
    const auto bits = bits_of<int32_t>(x);
    return bits ^ (bits >> 31 & static_cast<int32_t>(kMagnitude));
}
inline uint32_t where_nan(float x) { return where_more(bits_of<uint32_t>(x) & kMagnitude, kInfinityBits); }
// `rank` is that of a and b; of a only, if b is a NaN.
inline float of_rank(int32_t rank, float a, float b) {
    const auto number = static_cast<uint32_t>(rank ^ (rank >> 31 & static_cast<int32_t>(kMagnitude)));
    return bits_of<float>(choose(where_nan(a), bits_of<uint32_t>(b), number));
}
inline float maximum(float a, float b) {
    const auto x = rank_of(a), y = static_cast<int32_t>(choose(where_nan(b), 0x80000000u, static_cast<uint32_t>(rank_of(b))));
    return of_rank(x > y ? x : y, a, b);
}
inline float minimum(float a, float b) {
    const auto x = rank_of(a), y = static_cast<int32_t>(choose(where_nan(b), kMagnitude, static_cast<uint32_t>(rank_of(b))));
    return of_rank(x < y ? x : y, a, b);
}
#elif defined(__SSE4_1__) && !defined(__clang__)
inline __m128 lowest_of_four(float x) {
    __m128 number;
    asm("" : "=x"(number) : "0"(x));  // whatever the other parts are
    return number;
}
inline float maximum(float a, float b) {
    const __m128 x = lowest_of_four(a), y = lowest_of_four(b);
    const __m128 more = _mm_max_ss(y, x);  // a where they are equal, or one is a NaN
    const __m128 number = _mm_blendv_ps(more, y, _mm_cmpunord_ss(x, x));
    return _mm_cvtss_f32(_mm_and_ps(number, _mm_or_ps(y, _mm_cmpneq_ss(x, y))));
}
inline float minimum(float a, float b) {
    const __m128 x = lowest_of_four(a), y = lowest_of_four(b);
    const __m128 number = _mm_blendv_ps(_mm_min_ss(y, x), y, _mm_cmpunord_ss(x, x));
    return _mm_cvtss_f32(_mm_or_ps(number, _mm_and_ps(y, _mm_cmpeq_ss(x, y))));
}
#else
inline float maximum(float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
}
inline float minimum(float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
}
#endif

// A float or double as an integer, cut and clamped to its range, as the GPU's conversions do: NaN becomes 0 in 32 bits, and
// the highest bit alone in 64 bits and from double (PTX ISA, cvt).
template <typename I, typename F>
constexpr I to_integer(F value) {
    if (value != value) return sizeof(I) == 8 || (sizeof(I) == 4 && sizeof(F) == 8) ? static_cast<I>(uint64_t{1} << (8 * sizeof(I) - 1)) : I{0};
    if (value <= static_cast<F>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
    if (value >= static_cast<F>(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
    return static_cast<I>(value);
}

// a * b + c of numbers with at most 24 bits each, to odd: a later rounding to fewer bits is then rounded only once.
inline double fma_to_odd(float a, float b, float c) {
    const double product = static_cast<double>(a) * b;  // exact
    const double sum = product + c;
    const double part = sum - product;
    const double lost = (product - (sum - part)) + (c - part);
    if (lost == 0.0 || lost != lost || !(bits_of<uint64_t>(sum) << 1 < 0xffe0000000000000u)) return sum;
    auto bits = bits_of<uint64_t>(sum);
    if (bits & 1) return sum;
    // The exact value lies between sum and its neighbour on the side of `lost`: the odd one of the two.
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
    return bits_of<double>(bits);
}

// a * b + c, rounded once to the 16 bits of a word's lower half.
template <int kExponent, int kFraction>
inline uint32_t fma_of_floats(float a, float b, float c) {
    return round_bits<kExponent, kFraction>(fma_to_odd(a, b, c), Round::nearest);
}

// By way of a float, to which a * b + c is rounded once. To round it again is wrong only where the float lies halfway
// between two of the 16-bit numbers.
#if defined(__F16C__) && defined(__FMA__)
template <int kCount>
inline bool any_of_lower(__m128i parts) { return _mm_movemask_ps(_mm_castsi128_ps(parts)) & ((1 << kCount) - 1); }
inline __m128i are_last_bits(__m128 x, int mask, int bits) {
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_castps_si128(x), _mm_set1_epi32(mask)), _mm_set1_epi32(bits));
}
// Whether the lower two sums are a * b + c, without any rounding.
inline bool are_exact(__m128 a, __m128 b, __m128 c, __m128 sums) {
    const __m128d product = _mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)), addend = _mm_cvtps_pd(c);
    const __m128d sum = _mm_add_pd(product, addend);
    const auto differ = [](__m128d x, __m128d y) { return _mm_cmp_pd(x, y, _CMP_NEQ_OQ); };
    const __m128d rounded = _mm_or_pd(differ(_mm_sub_pd(sum, product), addend), differ(_mm_sub_pd(sum, addend), product));
    return !_mm_movemask_pd(_mm_or_pd(rounded, differ(_mm_cvtps_pd(sums), sum)));
}
// The lower two, one by one. It takes vectors, as words would keep the quick way's numbers in two places.
template <int kExponent, int kFraction>
[[gnu::noinline, gnu::cold]] inline uint32_t fma_one_by_one(__m128 a, __m128 b, __m128 c) {
    const auto one = [&](int i) { return fma_of_floats<kExponent, kFraction>(a[i], b[i], c[i]); };
    return one(0) | one(1) << 16;
}
#else
// Of the two numbers in each word.
template <int kExponent, int kFraction, float (*kWiden)(uint16_t)>
inline uint32_t fma_one_by_one(uint32_t a, uint32_t b, uint32_t c) {
    const auto one = [&](int shift) {
        const auto part = [&](uint32_t pair) { return kWiden(static_cast<uint16_t>(pair >> shift)); };
        return fma_of_floats<kExponent, kFraction>(part(a), part(b), part(c)) << shift;
    };
    return one(0) | one(16);
}
#endif

// kCount: how many of the two numbers in a word matter.
template <int kCount = 2>
inline uint32_t fma_halves(uint32_t a, uint32_t b, uint32_t c) {
#if defined(__F16C__) && defined(__FMA__)
    const __m128 x = floats_of_halves(a), y = floats_of_halves(b), z = floats_of_halves(c);
    const __m128 sum = _mm_fmadd_ps(x, y, z);
    // Subnormal halves, below 2^-14, have fewer bits. Zeros and NaNs count as special, too.
    const __m128 special = _mm_cmp_ps(_mm_andnot_ps(_mm_set1_ps(-0.0f), sum), _mm_set1_ps(0x1p-14f), _CMP_NGE_UQ);
    const __m128i halfway = _mm_or_si128(are_last_bits(sum, 0x1fff, 0x1000), _mm_castps_si128(special));
    if (__builtin_expect(!any_of_lower<kCount>(halfway), 1)) {
        return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT)));
    }
    return are_exact(x, y, z, sum) ? halves_of(sum) : fma_one_by_one<5, 10>(x, y, z);
#else
    return fma_one_by_one<5, 10, float_of_half>(a, b, c);
#endif
}
template <int kCount = 2>
inline uint32_t fma_bfloats(uint32_t a, uint32_t b, uint32_t c) {
#if defined(__F16C__) && defined(__FMA__)
    const __m128 x = floats_of_bfloats(a), y = floats_of_bfloats(b), z = floats_of_bfloats(c);
    const __m128 sum = _mm_fmadd_ps(x, y, z);
    const __m128i halfway = _mm_or_si128(are_last_bits(sum, 0xffff, 0x8000), _mm_castps_si128(_mm_cmpunord_ps(sum, sum)));
    if (__builtin_expect(!any_of_lower<kCount>(halfway), 1)) {  // then the upper half of sum + 0x8000 is the nearest
        const __m128i rounded = _mm_add_epi32(_mm_castps_si128(sum), _mm_set1_epi32(0x8000));
        return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_shuffle_epi8(rounded, _mm_set1_epi32(0x07060302))));
    }
    return are_exact(x, y, z, sum) ? bfloats_of(sum) : fma_one_by_one<8, 7>(x, y, z);
#else
    return fma_one_by_one<8, 7, float_of_bfloat>(a, b, c);
#endif
}

// a * b + c rounded once, to the float that is not greater, or not less, than the exact value.
inline float fma_directed(float a, float b, float c, bool up) {
    const double exact = fma_to_odd(a, b, c);  // on the same side of every float as the exact value
    if (exact == 0.0 && !up && (std::signbit(c) || std::signbit(a) != std::signbit(b))) return -0.0f;
    const float nearest = static_cast<float>(exact), infinity = std::numeric_limits<float>::infinity();
    if (up ? nearest < exact : nearest > exact) return nextafterf(nearest, up ? infinity : -infinity);
    return nearest;
}
inline float fma_towards_zero(float a, float b, float c) { return fma_directed(a, b, c, !(fma_to_odd(a, b, c) > 0.0)); }

}  // namespace emulator

#if defined(EMULATOR_HALVES_BY_EIGHT) && !defined(EMULATOR_RUNTIME_APART)
#define EMULATOR_LANE(result, name, lanes) \
    extern "C" __attribute__((visibility("hidden"), used)) result emulator_##lanes##name
#define EMULATOR_NAMED(lanes, name) asm("_ZGV" #lanes "v_emulator_" #name)
EMULATOR_LANE(__m128i, half_of, bN4_)(__m128 x) EMULATOR_NAMED(bN4, half_of);
EMULATOR_LANE(__m128i, half_of, cN4_)(__m128 x) EMULATOR_NAMED(cN4, half_of);
EMULATOR_LANE(__m256i, half_of, dN8_)(__m256 x) EMULATOR_NAMED(dN8, half_of);
EMULATOR_LANE(__m128, float_of_half, bN4_)(__m128i h) EMULATOR_NAMED(bN4, float_of_half);
EMULATOR_LANE(__m256, float_of_half, cN8_)(__m128i low, __m128i high) EMULATOR_NAMED(cN8, float_of_half);
EMULATOR_LANE(__m256, float_of_half, dN8_)(__m256i h) EMULATOR_NAMED(dN8, float_of_half);
EMULATOR_LANE(uint32_t, half_of, )(float x) { return ::emulator::half_of(x); }
EMULATOR_LANE(float, float_of_half, )(uint32_t h) { return ::emulator::float_of_half(static_cast<uint16_t>(h)); }
__m128i emulator_bN4_half_of(__m128 x) {
    const __m128 gpu = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff));
    const __m128 number = _mm_blendv_ps(x, gpu, _mm_cmpunord_ps(x, x));
    return _mm_cvtepu16_epi32(_mm_cvtps_ph(number, _MM_FROUND_TO_NEAREST_INT));
}
__m128i emulator_cN4_half_of(__m128 x) { return emulator_bN4_half_of(x); }
__m256i emulator_dN8_half_of(__m256 x) {
    const __m256 gpu = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    const __m256 number = _mm256_blendv_ps(x, gpu, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(number, _MM_FROUND_TO_NEAREST_INT));
}
__m128 emulator_bN4_float_of_half(__m128i h) { return _mm_cvtph_ps(_mm_packus_epi32(h, h)); }
__m256 emulator_cN8_float_of_half(__m128i low, __m128i high) { return _mm256_cvtph_ps(_mm_packus_epi32(low, high)); }
__m256 emulator_dN8_float_of_half(__m256i h) {
    return emulator_cN8_float_of_half(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
}
#undef EMULATOR_NAMED
#undef EMULATOR_LANE
#endif
