// functions.cuh: functions of float32 that are as long as the result needs, each with its error.
//
//     from_float<T>(functions::tanh<T>(x))     T: the type of the result
//
// A result of 16 bits keeps 11 digits (float16) or 8 (bfloat16) of a float's 24, so there exponentials, logarithms and
// divisions are one instruction each. All functions here come out within 1 ulp of a result of 16 bits, for every x of
// its type; what is below 2^-126 may come out as 0. For float32 they are CUDA's, or shorter ones as exact as libraries'
// ones:
//
//     exponential   2 ulp   expf
//     logistic      4 ulp   1 / (1 + e^-x)
//     tanh          2 ulp   tanhf
//     softplus      3 ulp   log(1 + e^x), by log1pf
//     gelu          2 ulp of x, as by erff; NaN for -infinity, as in PyTorch
//     hypotenuse    3 ulp   sqrt(a a + b b), without overflow
//     quotient      2 ulp   a / b, of all floats: PTX's div.full, as Triton's `/`
//     root          1 ulp   sqrt(x): PTX's sqrt.approx, as Triton's
//
// ulp: units in the last place, from the exact result; CUDA's are those of its programming guide, "Mathematical
// Functions".
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace functions {

template <typename T>
constexpr bool is_wide() {
    static_assert(sizeof(T) <= 4, "these functions are of float32: a double needs CUDA's own, such as exp");
    return sizeof(T) == 4;
}
template <typename T>
constexpr bool kWide = is_wide<T>();

constexpr float kLog2E = 1.4426950408889634f, kLn2 = 0.69314718f;

// One instruction each, but quotient, and a few more for subnormals where there is no .ftz.
__device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float log2_fast(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float reciprocal_fast(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float root_fast(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float root(float x) {
    float y;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float quotient(float a, float b) {
    float y;
    asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}

template <typename T>
__device__ __forceinline__ float exponential(float x) {
    return kWide<T> ? expf(x) : exp2_fast(x * kLog2E);
}

// A reciprocal below 2^-126 comes out as 0, so for float32 a quarter of both.
template <typename T>
__device__ __forceinline__ float logistic(float x) {
    const float power = exponential<T>(-x);
    return kWide<T> ? 0.25f * reciprocal_fast(0.25f + 0.25f * power) : reciprocal_fast(1.0f + power);
}

// Both sides of tanh are computed: warps that diverge would do the same. Near 0 the series x - x^3/3 + 2x^5/15 -
// 17x^7/315, whose next term is below 2^-21 of x for |x| < 0.25.
__device__ __forceinline__ float tanh_short(float x) {
    const float square = x * x;
    const float near = x * (1.0f + square * (-0.33333333f + square * (0.13333333f + square * -0.053968254f)));
    const float far = 1.0f - 2.0f * reciprocal_fast(1.0f + exp2_fast(2.0f * kLog2E * x));
    return fabsf(x) < 0.25f ? near : far;
}
// One instruction, to 2^-11 of the result: for bfloat16, of 8 digits. From compute capability 7.5 on.
__device__ __forceinline__ float tanh_shortest(float x) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return tanh_short(x);
#endif
}
template <typename T>
__device__ __forceinline__ float tanh(float x) {
    if constexpr (std::is_same_v<T, __nv_bfloat16>) return tanh_shortest(x);
    return kWide<T> ? tanhf(x) : tanh_short(x);
}

// max(x, 0) + log(1 + p) with p = e^-|x|. Where p is small 1 + p has too few of its digits: there p - p^2/2 + p^3/3, whose
// next term is below 2^-20 of p for p < 2^-6.
__device__ __forceinline__ float softplus_short(float x) {
    const float power = exp2_fast(-kLog2E * fabsf(x));
    const float small = power * (1.0f + power * (-0.5f + power * 0.33333333f));
    const float tail = power < 0.015625f ? small : kLn2 * log2_fast(1.0f + power);
    return (x < 0.0f ? 0.0f : x) + tail;  // a NaN stays one
}
template <typename T>
__device__ __forceinline__ float softplus(float x) {
    return kWide<T> ? (x < 0.0f ? 0.0f : x) + log1pf(expf(-fabsf(x))) : softplus_short(x);
}

// x Phi(x). Phi(-a) e^(a^2 / 2), a = |x|, is a polynomial of degree 5 in t = 1 / (1 + c a), fitted up to where a type has
// 0: of halves on 0 <= a <= 6.5 with a relative error of 1e-5, else to 13.3 with 3e-5. An infinity has a finite `a`.
template <typename T>
__device__ __forceinline__ float gelu_short(float x) {
    constexpr bool kHalf = std::is_same_v<T, __half>;
    constexpr float c = kHalf ? 0.36062446f : 0.3747666f;
    constexpr float c1 = kHalf ? 0.14213306f : 0.14893502f, c2 = kHalf ? 0.16271812f : 0.15796025f;
    constexpr float c3 = kHalf ? 0.04592844f : 0.082447864f, c4 = kHalf ? 0.24556231f : 0.20173185f;
    constexpr float c5 = kHalf ? -0.096346475f : -0.09108187f;
    const float a = fminf(fabsf(x), 16.0f), t = reciprocal_fast(1.0f + c * a);
    const float polynomial = t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))));
    const float tail = a * polynomial * exp2_fast(a * (-0.5f * kLog2E) * a);  // a Phi(-a)
    return x < 0.0f ? -tail : x - tail;
}
// The same for float32, within 2 ulp of x as by erff, in 19 instructions (erff takes 25), and right in the tail:
// erfc(z) e^(z^2) / 2 is 1/2 and a polynomial of degree 7 in u = 0.33 a / (1 + 0.33 a), a = |x|, fitted with an error of
// 4e-9 of Phi. An infinity has a finite `a`.
__device__ __forceinline__ float gelu_long(float x) {
    const float a = fminf(fabsf(x), 16.0f), scaled = 0.33f * a;
    const float u = scaled * reciprocal_fast(1.0f + scaled);
    float polynomial = 0.097572044f + u * -0.045458384f;
    polynomial = -0.14822869f + u * (0.03668101f + u * polynomial);
    polynomial = 1.0868013f + u * (-0.31850746f + u * polynomial);
    polynomial = 0.5f + u * (-1.2089167f + u * polynomial);
    const float tail = polynomial * exp2_fast(a * (-0.5f * kLog2E) * a);  // Phi(-a)
    return 0.5f * x + 0.5f * fabsf(x) - a * tail;                         // a NaN stays one
}
template <typename T>
__device__ __forceinline__ float gelu(float x) {
    return kWide<T> ? gelu_long(x) : gelu_short<T>(x);
}

// Squares may be beyond a float, or below it, but not those of halves. So both are divided by a power of two, whose bits
// are the larger one's exponent, and the root is multiplied by it. Infinity wins against NaN.
template <typename T>
__device__ __forceinline__ float hypotenuse(float a, float b) {
    if constexpr (!kWide<T> && std::is_same_v<T, __half>) {
        const float side = root_fast(a * a + b * b);
        return fmaxf(fabsf(a), fabsf(b)) == INFINITY ? INFINITY : side;
    } else {
        const float large = fmaxf(fabsf(a), fabsf(b));
        // From 2^-126 to 2^126: of others 1 over the power is not normal.
        const uint32_t bits = __float_as_uint(large) & 0x7f800000u;
        const uint32_t exponent = min(max(bits, 0x00800000u), 0x7e800000u);
        const float by = __uint_as_float(0x7f000000u - exponent);            // 1 over that power
        const float x = a * by, y = b * by;
        const float side = root_fast(x * x + y * y) * __uint_as_float(exponent);
        return large == INFINITY ? large : side;
    }
}

}  // namespace functions
