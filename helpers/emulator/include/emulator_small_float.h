// A 16-bit float type and its pair, with CUDA's functions for both. Included once for half and once for bfloat16,
// which the EMULATOR_ macros describe. Every result is the exact one, rounded once.

#include <cmath>
#include <type_traits>

#include "emulator_float16.h"
#include "emulator_types.h"

// The checks of accesses are for the kernel's own.
#define EMULATOR_BOTH __host__ __device__ EMULATOR_UNCHECKED
#define EMULATOR_DEVICE __device__ EMULATOR_UNCHECKED

#define EMULATOR_INFINITY (((1 << EMULATOR_EXPONENT) - 1) << EMULATOR_FRACTION)

struct EMULATOR_RAW {
    unsigned short x;
};
struct alignas(4) EMULATOR_RAW2 {
    unsigned short x, y;
};

// The conversions are CUDA's (cuda_fp16.h and cuda_bf16.h of 13.0), each written out: with one more or one less, an
// expression such as x + 1.0f would be ambiguous on one side only.
struct EMULATOR_T {
    unsigned short emulator_bits;

    EMULATOR_T() = default;
    EMULATOR_BOTH constexpr EMULATOR_T(EMULATOR_RAW raw) : emulator_bits(raw.x) {}
    EMULATOR_BOTH EMULATOR_T(float value) : emulator_bits(EMULATOR_NARROW(value)) {}
    EMULATOR_BOTH EMULATOR_T(double value)
        : emulator_bits(::emulator::round_bits<EMULATOR_EXPONENT, EMULATOR_FRACTION>(value, ::emulator::Round::nearest)) {}
    EMULATOR_BOTH operator float() const { return EMULATOR_WIDEN(emulator_bits); }
    EMULATOR_BOTH operator EMULATOR_RAW() const { return {emulator_bits}; }
    EMULATOR_BOTH operator bool() const { return (emulator_bits & 0x7fff) != 0; }
    EMULATOR_BOTH EMULATOR_T& operator=(EMULATOR_RAW raw) {
        emulator_bits = raw.x;
        return *this;
    }
    EMULATOR_BOTH EMULATOR_T& operator=(float value) { return *this = EMULATOR_T(value); }
    EMULATOR_BOTH EMULATOR_T& operator=(double value) { return *this = EMULATOR_T(value); }
#define EMULATOR_FROM_INTEGER(T) \
    EMULATOR_BOTH EMULATOR_T(T value) : EMULATOR_T(static_cast<double>(value)) {}
#define EMULATOR_ASSIGN_INTEGER(T) \
    EMULATOR_BOTH EMULATOR_T& operator=(T value) { return *this = EMULATOR_T(value); }
#define EMULATOR_AS_INTEGER(T) \
    EMULATOR_BOTH operator T() const { return ::emulator::to_integer<T>(truncf(float(*this))); }
#define EMULATOR_INTEGERS(F) \
    F(short) \
    F(unsigned short) \
    F(int) \
    F(unsigned) \
    F(long long) \
    F(unsigned long long)
    EMULATOR_INTEGERS(EMULATOR_FROM_INTEGER)
    EMULATOR_FROM_INTEGER(long)
    EMULATOR_FROM_INTEGER(unsigned long)
    EMULATOR_INTEGERS(EMULATOR_ASSIGN_INTEGER)
    EMULATOR_INTEGERS(EMULATOR_AS_INTEGER)
    EMULATOR_AS_INTEGER(char)
    EMULATOR_AS_INTEGER(signed char)
    EMULATOR_AS_INTEGER(unsigned char)
    EMULATOR_AS_INTEGER(long)
    EMULATOR_AS_INTEGER(unsigned long)
#undef EMULATOR_INTEGERS
#undef EMULATOR_AS_INTEGER
#undef EMULATOR_ASSIGN_INTEGER
#undef EMULATOR_FROM_INTEGER
};

struct alignas(4) EMULATOR_T2 {
    EMULATOR_T x, y;

    EMULATOR_T2() = default;
    EMULATOR_BOTH EMULATOR_T2(const EMULATOR_T& x, const EMULATOR_T& y) : x(x), y(y) {}
    EMULATOR_BOTH EMULATOR_T2(const EMULATOR_RAW2& raw) : x(EMULATOR_RAW{raw.x}), y(EMULATOR_RAW{raw.y}) {}
    EMULATOR_BOTH operator EMULATOR_RAW2() const { return {x.emulator_bits, y.emulator_bits}; }
#ifdef EMULATOR_TRACE  // as in CUDA's header, where a pair is copied as one word, also inside of a struct
    EMULATOR_T2(const EMULATOR_T2& v) { *this = v; }
    EMULATOR_T2& operator=(const EMULATOR_T2& v) {
        *reinterpret_cast<uint32_t*>(this) = reinterpret_cast<const uint32_t&>(v);
        return *this;
    }
#endif
};

// ---- bits and conversions ---------------------------------------------------------------------------------

EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__ushort_as_, )(unsigned short bits) { return EMULATOR_RAW{bits}; }
EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__short_as_, )(short bits) { return EMULATOR_RAW{static_cast<unsigned short>(bits)}; }
EMULATOR_BOTH inline unsigned short EMULATOR_NAME(__, _as_ushort)(EMULATOR_T h) { return h.emulator_bits; }
EMULATOR_BOTH inline short EMULATOR_NAME(__, _as_short)(EMULATOR_T h) { return static_cast<short>(h.emulator_bits); }

EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__float2, )(float x) { return x; }
EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__double2, )(double x) { return x; }
EMULATOR_BOTH inline float EMULATOR_NAME(__, 2float)(EMULATOR_T h) { return h; }
EMULATOR_BOTH inline float __low2float(EMULATOR_T2 v) { return v.x; }
EMULATOR_BOTH inline float __high2float(EMULATOR_T2 v) { return v.y; }

#define EMULATOR_ROUNDED(from, type, suffix, mode) \
    EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__##from##2, suffix)(type x) { \
        return EMULATOR_RAW{::emulator::round_bits<EMULATOR_EXPONENT, EMULATOR_FRACTION>( \
            static_cast<double>(x), ::emulator::Round::mode)}; \
    }
#define EMULATOR_ALL_ROUNDED(from, type) \
    EMULATOR_ROUNDED(from, type, _rn, nearest) \
    EMULATOR_ROUNDED(from, type, _rz, zero) \
    EMULATOR_ROUNDED(from, type, _rd, down) \
    EMULATOR_ROUNDED(from, type, _ru, up)
EMULATOR_ROUNDED(float, float, _rz, zero)
EMULATOR_ROUNDED(float, float, _rd, down)
EMULATOR_ROUNDED(float, float, _ru, up)
EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__float2, _rn)(float x) { return x; }
EMULATOR_ALL_ROUNDED(int, int)
EMULATOR_ALL_ROUNDED(uint, unsigned)
EMULATOR_ALL_ROUNDED(short, short)
EMULATOR_ALL_ROUNDED(ushort, unsigned short)
EMULATOR_ALL_ROUNDED(ll, long long)
EMULATOR_ALL_ROUNDED(ull, unsigned long long)
#undef EMULATOR_ALL_ROUNDED
#undef EMULATOR_ROUNDED

#define EMULATOR_TO_INTEGER(to, type) \
    EMULATOR_DEVICE inline type EMULATOR_NAME(__, 2##to##_rn)(EMULATOR_T h) { return ::emulator::to_integer<type>(rintf(float(h))); } \
    EMULATOR_BOTH inline type EMULATOR_NAME(__, 2##to##_rz)(EMULATOR_T h) { return ::emulator::to_integer<type>(truncf(float(h))); } \
    EMULATOR_DEVICE inline type EMULATOR_NAME(__, 2##to##_rd)(EMULATOR_T h) { return ::emulator::to_integer<type>(floorf(float(h))); } \
    EMULATOR_DEVICE inline type EMULATOR_NAME(__, 2##to##_ru)(EMULATOR_T h) { return ::emulator::to_integer<type>(ceilf(float(h))); }
EMULATOR_TO_INTEGER(int, int)
EMULATOR_TO_INTEGER(uint, unsigned)
EMULATOR_TO_INTEGER(short, short)
EMULATOR_TO_INTEGER(ushort, unsigned short)
EMULATOR_TO_INTEGER(ll, long long)
EMULATOR_TO_INTEGER(ull, unsigned long long)
#undef EMULATOR_TO_INTEGER
EMULATOR_BOTH inline signed char EMULATOR_NAME(__, 2char_rz)(EMULATOR_T h) { return ::emulator::to_integer<signed char>(truncf(float(h))); }
EMULATOR_BOTH inline unsigned char EMULATOR_NAME(__, 2uchar_rz)(EMULATOR_T h) { return ::emulator::to_integer<unsigned char>(truncf(float(h))); }

// ---- pairs --------------------------------------------------------------------------------------------------

EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__low2, )(EMULATOR_T2 v) { return v.x; }
EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(__high2, )(EMULATOR_T2 v) { return v.y; }
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME2(__halves2, )(EMULATOR_T x, EMULATOR_T y) { return {x, y}; }
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME2(__low2, )(EMULATOR_T2 v) { return {v.x, v.x}; }
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME2(__high2, )(EMULATOR_T2 v) { return {v.y, v.y}; }
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME2(__lows2, )(EMULATOR_T2 a, EMULATOR_T2 b) { return {a.x, b.x}; }
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME2(__highs2, )(EMULATOR_T2 a, EMULATOR_T2 b) { return {a.y, b.y}; }
EMULATOR_BOTH inline EMULATOR_T2 __lowhigh2highlow(EMULATOR_T2 v) { return {v.y, v.x}; }

// A pair as one word, and back: behind two short stores, a wide load would wait until they are in the cache.
EMULATOR_BOTH inline uint32_t emulator_word(EMULATOR_T2 pair) {
    uint32_t bits;
    memcpy(&bits, static_cast<const void*>(&pair), sizeof bits);
    return bits;
}
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME(emulator_pair_of_, )(uint32_t bits) {
    EMULATOR_T2 pair;
    memcpy(static_cast<void*>(&pair), &bits, sizeof pair);
    return pair;
}

// f of both parts of two pairs.
template <typename F>
EMULATOR_BOTH inline EMULATOR_T2 EMULATOR_NAME(emulator_by_pairs_of_, )(EMULATOR_T2 a, EMULATOR_T2 b, F f) {
    return EMULATOR_NAME(emulator_pair_of_, )(EMULATOR_BY_PAIRS(emulator_word(a), emulator_word(b), f));
}

// ---- arithmetic: in float, whose 24 bits are more than twice 11 or 8, so that rounding again changes nothing ----

#define EMULATOR_BINARY(name, name2, op) \
    EMULATOR_BOTH inline EMULATOR_T name(EMULATOR_T a, EMULATOR_T b) { return float(a) op float(b); } \
    EMULATOR_BOTH inline EMULATOR_T2 name2(EMULATOR_T2 a, EMULATOR_T2 b) { \
        return EMULATOR_NAME(emulator_by_pairs_of_, )(a, b, [](auto x, auto y) { return x op y; }); \
    }
EMULATOR_BINARY(__hadd, __hadd2, +)
EMULATOR_BINARY(__hsub, __hsub2, -)
EMULATOR_BINARY(__hmul, __hmul2, *)
EMULATOR_BINARY(__hadd_rn, __hadd2_rn, +)
EMULATOR_BINARY(__hsub_rn, __hsub2_rn, -)
EMULATOR_BINARY(__hmul_rn, __hmul2_rn, *)
EMULATOR_BINARY(__hdiv, __h2div, /)
#undef EMULATOR_BINARY

EMULATOR_DEVICE inline EMULATOR_T __hfma(EMULATOR_T a, EMULATOR_T b, EMULATOR_T c) {
    return EMULATOR_RAW{static_cast<unsigned short>(EMULATOR_FMA_PAIRS<1>(a.emulator_bits, b.emulator_bits, c.emulator_bits))};
}
EMULATOR_BOTH inline EMULATOR_T __hneg(EMULATOR_T h) { return EMULATOR_RAW{static_cast<unsigned short>(h.emulator_bits ^ 0x8000)}; }
EMULATOR_BOTH inline EMULATOR_T __habs(EMULATOR_T h) { return EMULATOR_RAW{static_cast<unsigned short>(h.emulator_bits & 0x7fff)}; }
EMULATOR_BOTH inline bool __hisnan(EMULATOR_T h) { return ::emulator::is_nan_of<EMULATOR_INFINITY>(h.emulator_bits); }
EMULATOR_BOTH inline EMULATOR_T __hmax(EMULATOR_T a, EMULATOR_T b) { return EMULATOR_RAW{::emulator::maximum_of<EMULATOR_INFINITY>(a.emulator_bits, b.emulator_bits)}; }
EMULATOR_BOTH inline EMULATOR_T __hmin(EMULATOR_T a, EMULATOR_T b) { return EMULATOR_RAW{::emulator::minimum_of<EMULATOR_INFINITY>(a.emulator_bits, b.emulator_bits)}; }
EMULATOR_BOTH inline EMULATOR_T __hmax_nan(EMULATOR_T a, EMULATOR_T b) { return __hisnan(a) ? a : (__hisnan(b) ? b : __hmax(a, b)); }
EMULATOR_BOTH inline EMULATOR_T __hmin_nan(EMULATOR_T a, EMULATOR_T b) { return __hisnan(a) ? a : (__hisnan(b) ? b : __hmin(a, b)); }
EMULATOR_DEVICE inline EMULATOR_T __hfma_relu(EMULATOR_T a, EMULATOR_T b, EMULATOR_T c) { return __hmax_nan(__hfma(a, b, c), EMULATOR_T(0.0f)); }
EMULATOR_BOTH inline EMULATOR_T EMULATOR_NAME(emulator_saturate_, )(EMULATOR_T h) { return float(h) > 0.0f ? (float(h) < 1.0f ? h : EMULATOR_T(1.0f)) : EMULATOR_T(0.0f); }
EMULATOR_BOTH inline EMULATOR_T __hadd_sat(EMULATOR_T a, EMULATOR_T b) { return EMULATOR_NAME(emulator_saturate_, )(__hadd(a, b)); }
EMULATOR_BOTH inline EMULATOR_T __hsub_sat(EMULATOR_T a, EMULATOR_T b) { return EMULATOR_NAME(emulator_saturate_, )(__hsub(a, b)); }
EMULATOR_BOTH inline EMULATOR_T __hmul_sat(EMULATOR_T a, EMULATOR_T b) { return EMULATOR_NAME(emulator_saturate_, )(__hmul(a, b)); }
EMULATOR_DEVICE inline EMULATOR_T __hfma_sat(EMULATOR_T a, EMULATOR_T b, EMULATOR_T c) { return EMULATOR_NAME(emulator_saturate_, )(__hfma(a, b, c)); }

EMULATOR_BOTH inline EMULATOR_T2 __hneg2(EMULATOR_T2 v) { return {__hneg(v.x), __hneg(v.y)}; }
EMULATOR_BOTH inline EMULATOR_T2 __habs2(EMULATOR_T2 v) { return {__habs(v.x), __habs(v.y)}; }
EMULATOR_DEVICE inline EMULATOR_T2 __hfma2(EMULATOR_T2 a, EMULATOR_T2 b, EMULATOR_T2 c) {
    return EMULATOR_NAME(emulator_pair_of_, )(EMULATOR_FMA_PAIRS(emulator_word(a), emulator_word(b), emulator_word(c)));
}
EMULATOR_DEVICE inline EMULATOR_T2 __hfma2_relu(EMULATOR_T2 a, EMULATOR_T2 b, EMULATOR_T2 c) {
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
EMULATOR_DEVICE inline EMULATOR_T2 __hfma2_sat(EMULATOR_T2 a, EMULATOR_T2 b, EMULATOR_T2 c) {
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
// a * b + c of complex numbers.
EMULATOR_DEVICE inline EMULATOR_T2 __hcmadd(EMULATOR_T2 a, EMULATOR_T2 b, EMULATOR_T2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
#define EMULATOR_PAIRWISE(name2, name) \
    EMULATOR_BOTH inline EMULATOR_T2 name2(EMULATOR_T2 a, EMULATOR_T2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
EMULATOR_PAIRWISE(__hmax2, __hmax)
EMULATOR_PAIRWISE(__hmin2, __hmin)
EMULATOR_PAIRWISE(__hmax2_nan, __hmax_nan)
EMULATOR_PAIRWISE(__hmin2_nan, __hmin_nan)
EMULATOR_PAIRWISE(__hadd2_sat, __hadd_sat)
EMULATOR_PAIRWISE(__hsub2_sat, __hsub_sat)
EMULATOR_PAIRWISE(__hmul2_sat, __hmul_sat)
#undef EMULATOR_PAIRWISE

EMULATOR_BOTH inline EMULATOR_T operator+(const EMULATOR_T& a, const EMULATOR_T& b) { return __hadd(a, b); }
EMULATOR_BOTH inline EMULATOR_T operator-(const EMULATOR_T& a, const EMULATOR_T& b) { return __hsub(a, b); }
EMULATOR_BOTH inline EMULATOR_T operator*(const EMULATOR_T& a, const EMULATOR_T& b) { return __hmul(a, b); }
EMULATOR_BOTH inline EMULATOR_T operator/(const EMULATOR_T& a, const EMULATOR_T& b) { return __hdiv(a, b); }
EMULATOR_BOTH inline EMULATOR_T operator+(const EMULATOR_T& h) { return h; }
EMULATOR_BOTH inline EMULATOR_T operator-(const EMULATOR_T& h) { return __hneg(h); }
EMULATOR_BOTH inline EMULATOR_T& operator+=(EMULATOR_T& a, const EMULATOR_T& b) { return a = a + b; }
EMULATOR_BOTH inline EMULATOR_T& operator-=(EMULATOR_T& a, const EMULATOR_T& b) { return a = a - b; }
EMULATOR_BOTH inline EMULATOR_T& operator*=(EMULATOR_T& a, const EMULATOR_T& b) { return a = a * b; }
EMULATOR_BOTH inline EMULATOR_T& operator/=(EMULATOR_T& a, const EMULATOR_T& b) { return a = a / b; }
EMULATOR_BOTH inline EMULATOR_T& operator++(EMULATOR_T& h) { return h = h + EMULATOR_T(1.0f); }
EMULATOR_BOTH inline EMULATOR_T& operator--(EMULATOR_T& h) { return h = h - EMULATOR_T(1.0f); }
EMULATOR_BOTH inline EMULATOR_T operator++(EMULATOR_T& h, int) {
    const EMULATOR_T before = h;
    ++h;
    return before;
}
EMULATOR_BOTH inline EMULATOR_T operator--(EMULATOR_T& h, int) {
    const EMULATOR_T before = h;
    --h;
    return before;
}
EMULATOR_BOTH inline EMULATOR_T2 operator+(const EMULATOR_T2& a, const EMULATOR_T2& b) { return __hadd2(a, b); }
EMULATOR_BOTH inline EMULATOR_T2 operator-(const EMULATOR_T2& a, const EMULATOR_T2& b) { return __hsub2(a, b); }
EMULATOR_BOTH inline EMULATOR_T2 operator*(const EMULATOR_T2& a, const EMULATOR_T2& b) { return __hmul2(a, b); }
EMULATOR_BOTH inline EMULATOR_T2 operator/(const EMULATOR_T2& a, const EMULATOR_T2& b) { return __h2div(a, b); }
EMULATOR_BOTH inline EMULATOR_T2 operator+(const EMULATOR_T2& v) { return v; }
EMULATOR_BOTH inline EMULATOR_T2 operator-(const EMULATOR_T2& v) { return __hneg2(v); }
EMULATOR_BOTH inline EMULATOR_T2& operator++(EMULATOR_T2& v) {
    ++v.x, ++v.y;
    return v;
}
EMULATOR_BOTH inline EMULATOR_T2& operator--(EMULATOR_T2& v) {
    --v.x, --v.y;
    return v;
}
EMULATOR_BOTH inline EMULATOR_T2 operator++(EMULATOR_T2& v, int) {
    const EMULATOR_T2 before = v;
    ++v;
    return before;
}
EMULATOR_BOTH inline EMULATOR_T2 operator--(EMULATOR_T2& v, int) {
    const EMULATOR_T2 before = v;
    --v;
    return before;
}
EMULATOR_BOTH inline EMULATOR_T2& operator+=(EMULATOR_T2& a, const EMULATOR_T2& b) { return a = a + b; }
EMULATOR_BOTH inline EMULATOR_T2& operator-=(EMULATOR_T2& a, const EMULATOR_T2& b) { return a = a - b; }
EMULATOR_BOTH inline EMULATOR_T2& operator*=(EMULATOR_T2& a, const EMULATOR_T2& b) { return a = a * b; }
EMULATOR_BOTH inline EMULATOR_T2& operator/=(EMULATOR_T2& a, const EMULATOR_T2& b) { return a = a / b; }

// ---- comparison: plain ones are false where a NaN takes part, those with a u are true -----------------------

#define EMULATOR_COMPARE(word, op) \
    EMULATOR_BOTH inline bool __h##word(EMULATOR_T a, EMULATOR_T b) { \
        return !__hisnan(a) && !__hisnan(b) && float(a) op float(b); \
    } \
    EMULATOR_BOTH inline bool __h##word##u(EMULATOR_T a, EMULATOR_T b) { return __hisnan(a) || __hisnan(b) || float(a) op float(b); } \
    EMULATOR_BOTH inline EMULATOR_T2 __h##word##2(EMULATOR_T2 a, EMULATOR_T2 b) { \
        return {EMULATOR_T(__h##word(a.x, b.x) ? 1.0f : 0.0f), EMULATOR_T(__h##word(a.y, b.y) ? 1.0f : 0.0f)}; \
    } \
    EMULATOR_BOTH inline bool __hb##word##2(EMULATOR_T2 a, EMULATOR_T2 b) { return __h##word(a.x, b.x) && __h##word(a.y, b.y); } \
    EMULATOR_BOTH inline EMULATOR_T2 __h##word##u2(EMULATOR_T2 a, EMULATOR_T2 b) { \
        return {EMULATOR_T(__h##word##u(a.x, b.x) ? 1.0f : 0.0f), EMULATOR_T(__h##word##u(a.y, b.y) ? 1.0f : 0.0f)}; \
    } \
    EMULATOR_BOTH inline bool __hb##word##u2(EMULATOR_T2 a, EMULATOR_T2 b) { return __h##word##u(a.x, b.x) && __h##word##u(a.y, b.y); } \
    EMULATOR_BOTH inline unsigned __h##word##2_mask(EMULATOR_T2 a, EMULATOR_T2 b) { \
        return (__h##word(a.x, b.x) ? 0xffffu : 0u) | (__h##word(a.y, b.y) ? 0xffff0000u : 0u); \
    } \
    EMULATOR_BOTH inline unsigned __h##word##u2_mask(EMULATOR_T2 a, EMULATOR_T2 b) { \
        return (__h##word##u(a.x, b.x) ? 0xffffu : 0u) | (__h##word##u(a.y, b.y) ? 0xffff0000u : 0u); \
    }
EMULATOR_COMPARE(eq, ==)
EMULATOR_COMPARE(ne, !=)
EMULATOR_COMPARE(lt, <)
EMULATOR_COMPARE(le, <=)
EMULATOR_COMPARE(gt, >)
EMULATOR_COMPARE(ge, >=)
#undef EMULATOR_COMPARE
#define EMULATOR_OPERATOR(op, word) \
    EMULATOR_BOTH inline bool operator op(const EMULATOR_T& a, const EMULATOR_T& b) { return float(a) op float(b); } \
    EMULATOR_BOTH inline bool operator op(const EMULATOR_T2& a, const EMULATOR_T2& b) { return __hb##word##2(a, b); }
EMULATOR_OPERATOR(==, eq)
EMULATOR_OPERATOR(!=, neu)
EMULATOR_OPERATOR(<, lt)
EMULATOR_OPERATOR(<=, le)
EMULATOR_OPERATOR(>, gt)
EMULATOR_OPERATOR(>=, ge)
#undef EMULATOR_OPERATOR
EMULATOR_BOTH inline int __hisinf(EMULATOR_T h) { return std::isinf(float(h)) ? (float(h) > 0.0f ? 1 : -1) : 0; }
EMULATOR_BOTH inline EMULATOR_T2 __hisnan2(EMULATOR_T2 v) { return {EMULATOR_T(__hisnan(v.x) ? 1.0f : 0.0f), EMULATOR_T(__hisnan(v.y) ? 1.0f : 0.0f)}; }

// ---- functions: in float, then rounded ------------------------------------------------------------------------

#define EMULATOR_FUNCTION(name, f) \
    EMULATOR_DEVICE inline EMULATOR_T h##name(EMULATOR_T h) { \
        const float x = h; \
        return EMULATOR_T(f); \
    } \
    EMULATOR_DEVICE inline EMULATOR_T2 h2##name(EMULATOR_T2 v) { return {h##name(v.x), h##name(v.y)}; }
EMULATOR_FUNCTION(exp, expf(x))
EMULATOR_FUNCTION(exp2, exp2f(x))
EMULATOR_FUNCTION(exp10, powf(10.0f, x))
EMULATOR_FUNCTION(log, logf(x))
EMULATOR_FUNCTION(log2, log2f(x))
EMULATOR_FUNCTION(log10, log10f(x))
EMULATOR_FUNCTION(sqrt, sqrtf(x))
EMULATOR_FUNCTION(rsqrt, 1.0f / sqrtf(x))
EMULATOR_FUNCTION(rcp, 1.0f / x)
EMULATOR_FUNCTION(sin, sinf(x))
EMULATOR_FUNCTION(cos, cosf(x))
EMULATOR_FUNCTION(tanh, tanhf(x))
EMULATOR_FUNCTION(tanh_approx, tanhf(x))
EMULATOR_FUNCTION(ceil, ceilf(x))
EMULATOR_FUNCTION(floor, floorf(x))
EMULATOR_FUNCTION(trunc, truncf(x))
EMULATOR_FUNCTION(rint, rintf(x))
#undef EMULATOR_FUNCTION
#undef EMULATOR_INFINITY
#undef EMULATOR_DEVICE
#undef EMULATOR_BOTH
