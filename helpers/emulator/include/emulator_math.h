// CUDA's math and integer functions that C++ lacks. The fast ones (__expf) give the exact function's value here.
#pragma once

#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "emulator_float16.h"
#include "emulator_types.h"

using std::fpclassify;
using std::isfinite;
using std::isgreater;
using std::isgreaterequal;
using std::isinf;
using std::isless;
using std::islessequal;
using std::islessgreater;
using std::isnan;
using std::isnormal;
using std::isunordered;
using std::signbit;

// clang-format off
#define EMULATOR_MINMAX(T) \
    constexpr T min(T a, T b) { return b < a ? b : a; } \
    constexpr T max(T a, T b) { return a < b ? b : a; }
EMULATOR_MINMAX(int) EMULATOR_MINMAX(unsigned) EMULATOR_MINMAX(long) EMULATOR_MINMAX(unsigned long)
EMULATOR_MINMAX(long long) EMULATOR_MINMAX(unsigned long long)
#undef EMULATOR_MINMAX
#define EMULATOR_MIXED(A, B, T) \
    constexpr T min(A a, B b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
    constexpr T max(A a, B b) { return max(static_cast<T>(a), static_cast<T>(b)); } \
    constexpr T min(B a, A b) { return min(static_cast<T>(a), static_cast<T>(b)); } \
    constexpr T max(B a, A b) { return max(static_cast<T>(a), static_cast<T>(b)); }
EMULATOR_MIXED(int, unsigned, unsigned)
EMULATOR_MIXED(long, unsigned long, unsigned long)
EMULATOR_MIXED(long long, unsigned long long, unsigned long long)
#undef EMULATOR_MIXED
#define EMULATOR_NAMED_MINMAX(prefix, T) \
    __host__ __device__ inline T prefix##min(T a, T b) { return min(a, b); } \
    __host__ __device__ inline T prefix##max(T a, T b) { return max(a, b); }
EMULATOR_NAMED_MINMAX(u, unsigned) EMULATOR_NAMED_MINMAX(ll, long long) EMULATOR_NAMED_MINMAX(ull, unsigned long long)
#undef EMULATOR_NAMED_MINMAX
__host__ __device__ inline float min(float a, float b) { return emulator::minimum(a, b); }
__host__ __device__ inline float max(float a, float b) { return emulator::maximum(a, b); }
__host__ __device__ inline double min(double a, double b) { return ::fmin(a, b); }
__host__ __device__ inline double max(double a, double b) { return ::fmax(a, b); }
__host__ __device__ inline double min(float a, double b) { return ::fmin(a, b); }
__host__ __device__ inline double max(float a, double b) { return ::fmax(a, b); }
__host__ __device__ inline double min(double a, float b) { return ::fmin(a, b); }
__host__ __device__ inline double max(double a, float b) { return ::fmax(a, b); }

// Other C libraries declare erff without noexcept; the front end, for which CUDA is defined, calls it only by name.
#if defined(__GLIBC__) && !defined(__clang__) && !defined(__CUDA__)
namespace [[gnu::visibility("hidden")]] emulator {

// What a conversion gives on a GPU, where C++ leaves it open: conversions.py has it in their place. Types of 8 and 16 bits
// are cut from the one of 32.
template <typename To, typename From>
EMULATOR_INLINED constexpr To nearest(From value) {
    if constexpr (!std::is_floating_point_v<From> || !std::is_integral_v<To> || std::is_same_v<To, bool>) {
        return static_cast<To>(value);
    } else if constexpr (sizeof(To) < sizeof(int)) {
        return static_cast<To>(to_integer<std::conditional_t<std::is_signed_v<To>, int, unsigned>>(value));
    } else {
        return to_integer<std::remove_cv_t<To>>(value);
    }
}

// erf(x) / x around the middle of each sixteenth of [0, 4): a polynomial in the distance, exact to 1e-9.
struct ErfPiece {
    static constexpr int kTerms = 5;
    double middle, coefficient[kTerms];
};
struct ErfTable {
    static constexpr int kPieces = 64;
    ErfPiece of[kPieces];
    // m * (erf(x) / x)' + erf(x) / x = 2 / sqrt(pi) * exp(-x^2) gives each coefficient by the one before.
    constexpr ErfTable() : of{} {
        for (int i = 0; i < kPieces; ++i) {
            const double m = (i + 0.5) / 16;
            double power = 1, sum = 1, ratio = 1, exponential = 1;
            for (int k = 1; k < 100; ++k) {  // all terms are positive: nothing cancels
                sum += ratio *= 2 * m * m / (2 * k + 1);
                exponential += power *= m * m / k;
            }
            double before = 0, slope = 1.1283791670955126 / exponential, value = slope * sum;
            of[i].middle = m;
            for (int k = 0; k < ErfPiece::kTerms; ++k) {
                of[i].coefficient[k] = value;
                value = (slope - (k + 1) * value) / (m * (k + 1));
                const double next = -2 * (m * slope + before) / (k + 1);
                before = slope;
                slope = next;
            }
        }
    }
};
inline constexpr ErfTable kErf;

// a * b + c. Whether it is rounded once or twice: both forms of a kernel (emulator_abreast.h) do it alike.
EMULATOR_QUICK inline double multiply_add(double a, double b, double c) {
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// Within 0.52 ulp (CUDA: 2), in a fifth of the C library's time.
EMULATOR_QUICK inline float erf_of_float(float x) {
    const float size = std::fabs(x);
    if (!(size < 4.0f)) return x != x ? x + x : std::copysign(1.0f, x);
    const ErfPiece& piece = kErf.of[static_cast<int>(size * 16.0f)];
    const double(&c)[ErfPiece::kTerms] = piece.coefficient;
    const double d = static_cast<double>(size) - piece.middle, d2 = d * d;
    const double upper = multiply_add(d2, c[4], multiply_add(d, c[3], c[2]));
    return static_cast<float>(x * multiply_add(d2, upper, multiply_add(d, c[1], c[0])));
}

// 2^r = 1 + r log 2 + (r log 2)^2 / 2 + ..., for |r| <= 1/2 to 1e-11.
struct ExpTerms {
    static constexpr int kTerms = 10;
    double of[kTerms];
    constexpr ExpTerms() : of{1} {
        for (int i = 1; i < kTerms; ++i) of[i] = of[i - 1] * 0.693147180559945309 / i;
    }
};
inline constexpr ExpTerms kExp;

// e^x, without a branch, a table and a call: what the compiler can do for eight numbers at once. A NaN becomes any number.
EMULATOR_QUICK inline double exp_of_double(double x) {
    const double most = x > 200 ? 200 : x, clamped = most < -200 ? -200 : most;
    constexpr double kRounds = 0x1.8p52;  // added, it leaves the integer that is nearest in the lowest bits
    const double power = clamped * 1.44269504088896341, rounded = power + kRounds;
    const double r = power - (rounded - kRounds), r2 = r * r, r4 = r2 * r2;
    const double(&c)[ExpTerms::kTerms] = kExp.of;
    const auto two = [&](int i) EMULATOR_QUICK { return multiply_add(r, c[i + 1], c[i]); };
    const double low = multiply_add(r2, two(2), two(0)), middle = multiply_add(r2, two(6), two(4));
    const double sum = multiply_add(r4, multiply_add(r4, two(8), middle), low);
    return bits_of<double>(bits_of<uint64_t>(sum) + (bits_of<uint64_t>(rounded) << 52));
}
inline float not_a_number() { return bits_of<float>(0x7fffffffu); }  // a GPU's

// Within 0.51 ulp (CUDA: 1).
EMULATOR_QUICK inline float exp_of_float(float x) {
    const auto number = static_cast<float>(exp_of_double(x));
    return x != x ? not_a_number() : number;
}
// Within 0.51 ulp (CUDA: 1): 1 - 2 / (e^2x + 1), near zero x - x^3 / 3.
EMULATOR_QUICK inline float tanh_of_float(float x) {
    const double size = std::fabs(x), near_zero = multiply_add(size * size, size * (-1.0 / 3), size);
    const double far = 1 - 2 / (exp_of_double(2 * size) + 1);
    const auto number = static_cast<float>(size < 0x1p-10 ? near_zero : far);
    return x != x ? not_a_number() : std::copysign(number, x);
}

}  // namespace emulator

// Called in the place of the C library's, which a pointer to it still is.
extern "C" __attribute__((gnu_inline, always_inline)) inline float erff(float x) noexcept { return emulator::erf_of_float(x); }
extern "C" __attribute__((gnu_inline, always_inline)) inline float expf(float x) noexcept { return emulator::exp_of_float(x); }
extern "C" __attribute__((gnu_inline, always_inline)) inline float tanhf(float x) noexcept { return emulator::tanh_of_float(x); }
extern "C" __attribute__((gnu_inline, always_inline)) inline float fmaxf(float a, float b) noexcept { return emulator::maximum(a, b); }
extern "C" __attribute__((gnu_inline, always_inline)) inline float fminf(float a, float b) noexcept { return emulator::minimum(a, b); }
#endif

using std::abs;
__host__ __device__ inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
__host__ __device__ inline double rsqrt(double x) { return 1.0 / sqrt(x); }
__host__ __device__ inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
__host__ __device__ inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
__host__ __device__ inline double rcbrt(double x) { return 1.0 / cbrt(x); }
__host__ __device__ inline float fdividef(float a, float b) { return a / b; }
__device__ inline float __fdividef(float a, float b) { return a / b; }
__device__ inline float __expf(float x) { return expf(x); }
__device__ inline float __exp10f(float x) { return powf(10.0f, x); }
__device__ inline float __logf(float x) { return logf(x); }
__device__ inline float __log2f(float x) { return log2f(x); }
__device__ inline float __log10f(float x) { return log10f(x); }
__device__ inline float __powf(float x, float y) { return powf(x, y); }
__device__ inline float __sinf(float x) { return sinf(x); }
__device__ inline float __cosf(float x) { return cosf(x); }
__device__ inline float __tanf(float x) { return tanf(x); }
__device__ inline float __tanhf(float x) { return tanhf(x); }
__device__ inline void __sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
__device__ inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
__device__ inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
__host__ __device__ inline float sinpif(float x) { return static_cast<float>(sin(M_PI * static_cast<double>(x))); }
__host__ __device__ inline float cospif(float x) { return static_cast<float>(cos(M_PI * static_cast<double>(x))); }
__host__ __device__ inline double sinpi(double x) { return sin(M_PI * x); }
__host__ __device__ inline double cospi(double x) { return cos(M_PI * x); }
__host__ __device__ inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
__host__ __device__ inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
__host__ __device__ inline double erfcx(double x) { return exp(x * x) * erfc(x); }
__host__ __device__ inline float erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }
// A modified Bessel function of the first kind: (x / 2)^n times a sum, over k, of (x / 2)^2k / (k! (k + n)!).
template <int n> __host__ __device__ inline double emulator_bessel_i(double x) {
    double sum = 1.0, term = 1.0;
    for (int k = 1; term > 1e-18 * sum && k < 2000; ++k) sum += term *= (x / 2) * (x / 2) / (k * (k + n));
    return n ? sum * x / 2 : sum;
}
__host__ __device__ inline double cyl_bessel_i0(double x) { return emulator_bessel_i<0>(x); }
__host__ __device__ inline double cyl_bessel_i1(double x) { return emulator_bessel_i<1>(x); }
__host__ __device__ inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
__host__ __device__ inline float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(x)); }
__host__ __device__ inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
__host__ __device__ inline float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
__host__ __device__ inline double norm4d(double a, double b, double c, double d) { return sqrt(a * a + b * b + c * c + d * d); }
__host__ __device__ inline float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
__host__ __device__ inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
__host__ __device__ inline float rhypotf(float a, float b) { return static_cast<float>(rhypot(static_cast<double>(a), static_cast<double>(b))); }
__host__ __device__ inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
__host__ __device__ inline float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
__host__ __device__ inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
__host__ __device__ inline float rnorm4df(float a, float b, float c, float d) { return static_cast<float>(rnorm4d(a, b, c, d)); }
__host__ __device__ inline double norm(int n, const double* a) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * a[i];
    return sqrt(sum);
}
__host__ __device__ inline float normf(int n, const float* a) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * a[i];
    return static_cast<float>(sqrt(sum));
}
__host__ __device__ inline double rnorm(int n, const double* a) { return 1.0 / norm(n, a); }
__host__ __device__ inline float rnormf(int n, const float* a) { return 1.0f / normf(n, a); }
__host__ __device__ inline void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
__host__ __device__ inline void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }

#define EMULATOR_ROUNDED(suffix) \
    __device__ inline float __fadd##suffix(float a, float b) { return a + b; } \
    __device__ inline float __fsub##suffix(float a, float b) { return a - b; } \
    __device__ inline float __fmul##suffix(float a, float b) { return a * b; } \
    __device__ inline float __fdiv##suffix(float a, float b) { return a / b; } \
    __device__ inline float __fmaf##suffix(float a, float b, float c) { return fmaf(a, b, c); } \
    __device__ inline float __fsqrt##suffix(float a) { return sqrtf(a); } \
    __device__ inline float __frcp##suffix(float a) { return 1.0f / a; } \
    __device__ inline double __dadd##suffix(double a, double b) { return a + b; } \
    __device__ inline double __dsub##suffix(double a, double b) { return a - b; } \
    __device__ inline double __dmul##suffix(double a, double b) { return a * b; } \
    __device__ inline double __ddiv##suffix(double a, double b) { return a / b; } \
    __device__ inline double __fma##suffix(double a, double b, double c) { return fma(a, b, c); } \
    __device__ inline double __dsqrt##suffix(double a) { return sqrt(a); } \
    __device__ inline double __drcp##suffix(double a) { return 1.0 / a; } \
    __device__ inline float __int2float##suffix(int a) { return static_cast<float>(a); } \
    __device__ inline float __uint2float##suffix(unsigned a) { return static_cast<float>(a); } \
    __device__ inline float __ll2float##suffix(long long a) { return static_cast<float>(a); } \
    __device__ inline float __ull2float##suffix(unsigned long long a) { return static_cast<float>(a); } \
    __device__ inline float __double2float##suffix(double a) { return static_cast<float>(a); }
EMULATOR_ROUNDED(_rn)
#undef EMULATOR_ROUNDED
// The other roundings of float sums and products; those of other functions are in emulator_rounding.h.
#define EMULATOR_DIRECTED(suffix, fused) \
    __device__ inline float __fmaf##suffix(float a, float b, float c) { return emulator::fused; } \
    __device__ inline float __fadd##suffix(float a, float b) { return __fmaf##suffix(1.0f, a, b); } \
    __device__ inline float __fsub##suffix(float a, float b) { return __fmaf##suffix(1.0f, a, -b); } \
    __device__ inline float __fmul##suffix(float a, float b) { return __fmaf##suffix(a, b, std::signbit(a) != std::signbit(b) ? -0.0f : 0.0f); }
EMULATOR_DIRECTED(_rd, fma_directed(a, b, c, false))
EMULATOR_DIRECTED(_ru, fma_directed(a, b, c, true))
EMULATOR_DIRECTED(_rz, fma_towards_zero(a, b, c))
#undef EMULATOR_DIRECTED
__device__ inline double __int2double_rn(int a) { return a; }
#define EMULATOR_TO(suffix, f) \
    __device__ inline int __float2int##suffix(float a) { return emulator::to_integer<int>(f(a)); } \
    __device__ inline unsigned __float2uint##suffix(float a) { return emulator::to_integer<unsigned>(f(a)); } \
    __device__ inline long long __float2ll##suffix(float a) { return emulator::to_integer<long long>(f(a)); } \
    __device__ inline unsigned long long __float2ull##suffix(float a) { return emulator::to_integer<unsigned long long>(f(a)); }
EMULATOR_TO(_rn, rintf) EMULATOR_TO(_rz, truncf) EMULATOR_TO(_rd, floorf) EMULATOR_TO(_ru, ceilf)
#undef EMULATOR_TO
#define EMULATOR_DOUBLE_TO(suffix, f) \
    __device__ inline int __double2int##suffix(double a) { return emulator::to_integer<int>(f(a)); } \
    __device__ inline unsigned __double2uint##suffix(double a) { return emulator::to_integer<unsigned>(f(a)); } \
    __device__ inline long long __double2ll##suffix(double a) { return emulator::to_integer<long long>(f(a)); } \
    __device__ inline unsigned long long __double2ull##suffix(double a) { return emulator::to_integer<unsigned long long>(f(a)); }
EMULATOR_DOUBLE_TO(_rn, rint) EMULATOR_DOUBLE_TO(_rz, trunc) EMULATOR_DOUBLE_TO(_rd, floor) EMULATOR_DOUBLE_TO(_ru, ceil)
#undef EMULATOR_DOUBLE_TO

__device__ inline int __float_as_int(float x) { return emulator::bits_of<int>(x); }
__device__ inline unsigned __float_as_uint(float x) { return emulator::bits_of<unsigned>(x); }
__device__ inline float __int_as_float(int x) { return emulator::bits_of<float>(x); }
__device__ inline float __uint_as_float(unsigned x) { return emulator::bits_of<float>(x); }
__device__ inline long long __double_as_longlong(double x) { return emulator::bits_of<long long>(x); }
__device__ inline double __longlong_as_double(long long x) { return emulator::bits_of<double>(x); }
__device__ inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
__device__ inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__device__ inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(static_cast<uint64_t>(static_cast<uint32_t>(hi)) << 32 | static_cast<uint32_t>(lo)));
}

__device__ inline int __popc(unsigned x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }
__device__ inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
__device__ inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
__device__ inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
__device__ inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 | __brev(static_cast<unsigned>(x >> 32));
}
// The place of the bit that is the offset-th of those set from base on: upwards, or below zero downwards.
__device__ inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
        if (mask >> bit & 1 && (offset -= step) == 0) return static_cast<unsigned>(bit);
    return ~0u;
}
__device__ inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned pick = s >> (4 * i) & 0xf;
        unsigned byte = static_cast<unsigned>(both >> (8 * (pick & 7)) & 0xff);
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}
__device__ inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return n & 31 ? hi << (n & 31) | lo >> (32 - (n & 31)) : hi; }
__device__ inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return n & 31 ? hi << (32 - (n & 31)) | lo >> (n & 31) : lo; }
__device__ inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { return n < 32 ? __funnelshift_l(lo, hi, n) : lo; }
__device__ inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { return n < 32 ? __funnelshift_r(lo, hi, n) : hi; }
__host__ __device__ inline unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
__host__ __device__ inline unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
__host__ __device__ inline unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
__device__ inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
__device__ inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32); }
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
__device__ inline long long __mul64hi(long long a, long long b) { return static_cast<long long>(static_cast<__int128>(a) * b >> 64); }
__device__ inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__device__ inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__device__ inline unsigned __sad(int a, int b, unsigned c) { return c + static_cast<unsigned>(a > b ? a - b : b - a); }
__device__ inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
__device__ inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
__device__ inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
__device__ inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1); }
__device__ inline unsigned __urhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1); }
// Sums of products: of four bytes, of two halves of a word with the lower or upper two bytes of the other; signed or not.
#define EMULATOR_PRODUCTS(Sum, Byte, Short, Bytes4, Shorts2) \
    __device__ inline Sum __dp4a(Sum a, Sum b, Sum c) { \
        for (int i = 0; i < 4; ++i) c += static_cast<Sum>(static_cast<Byte>(a >> (8 * i)) * static_cast<Byte>(b >> (8 * i))); \
        return c; \
    } \
    __device__ inline Sum __dp4a(Bytes4 a, Bytes4 b, Sum c) { \
        return c + static_cast<Sum>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w); \
    } \
    __device__ inline Sum __dp2a_lo(Sum a, Sum b, Sum c) { \
        for (int i = 0; i < 2; ++i) c += static_cast<Sum>(static_cast<Short>(a >> (16 * i))) * static_cast<Sum>(static_cast<Byte>(b >> (8 * i))); \
        return c; \
    } \
    __device__ inline Sum __dp2a_hi(Sum a, Sum b, Sum c) { return __dp2a_lo(a, b >> 16, c); } \
    __device__ inline Sum __dp2a_lo(Shorts2 a, Bytes4 b, Sum c) { return c + static_cast<Sum>(a.x) * static_cast<Sum>(b.x) + static_cast<Sum>(a.y) * static_cast<Sum>(b.y); } \
    __device__ inline Sum __dp2a_hi(Shorts2 a, Bytes4 b, Sum c) { return c + static_cast<Sum>(a.x) * static_cast<Sum>(b.z) + static_cast<Sum>(a.y) * static_cast<Sum>(b.w); }
EMULATOR_PRODUCTS(int, signed char, short, char4, short2)
EMULATOR_PRODUCTS(unsigned, unsigned char, unsigned short, uchar4, ushort2)
#undef EMULATOR_PRODUCTS
// clang-format on
