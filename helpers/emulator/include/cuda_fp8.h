// The emulator's <cuda_fp8.h>: e4m3, e5m2 and the scale e8m0, their pairs and fours, and CUDA's functions for them.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "emulator_float8.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT,
                         __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3,
                                 __NV_E5M2 };

// ---- conversions of bits ------------------------------------------------------------------------------------------

__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(
    double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    const bool finite = saturate == __NV_SATFINITE;
    return kind == __NV_E5M2 ? ::emulator::e5m2_of(x, finite) : ::emulator::e4m3_of(x, finite);
}
__host__ __device__ inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return {kind == __NV_E5M2 ? ::emulator::half_of_e5m2(x) : ::emulator::half_of_e4m3(x)};
}
__host__ __device__ inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
    return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(v), kind).x,
            __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(v >> 8), kind).x};
}

#define EMULATOR_TO_FP8(name, T, value) \
    __host__ __device__ inline __nv_fp8_storage_t name(T x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { \
        return __nv_cvt_double_to_fp8(value, saturate, kind); \
    }
#define EMULATOR_TO_FP8X2(name, T, low, high) \
    __host__ __device__ inline __nv_fp8x2_storage_t name(T v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { \
        return static_cast<__nv_fp8x2_storage_t>( \
            __nv_cvt_double_to_fp8(low, saturate, kind) | __nv_cvt_double_to_fp8(high, saturate, kind) << 8); \
    }
EMULATOR_TO_FP8(__nv_cvt_float_to_fp8, float, x)
EMULATOR_TO_FP8(__nv_cvt_halfraw_to_fp8, __half_raw, ::emulator::float_of_half(x.x))
EMULATOR_TO_FP8(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, ::emulator::float_of_bfloat(x.x))
EMULATOR_TO_FP8X2(__nv_cvt_double2_to_fp8x2, double2, v.x, v.y)
EMULATOR_TO_FP8X2(__nv_cvt_float2_to_fp8x2, float2, v.x, v.y)
EMULATOR_TO_FP8X2(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, ::emulator::float_of_half(v.x), ::emulator::float_of_half(v.y))
EMULATOR_TO_FP8X2(
    __nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, ::emulator::float_of_bfloat(v.x), ::emulator::float_of_bfloat(v.y))
#undef EMULATOR_TO_FP8
#undef EMULATOR_TO_FP8X2

// ---- types --------------------------------------------------------------------------------------------------------

// Constructors and conversions are explicit, and numbers out of range become the largest finite one, as in CUDA's header.
#define EMULATOR_FROM(name, T, value) \
    __host__ __device__ explicit name(T x) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, __default_interpretation)) {}
#define EMULATOR_FROM_FLOAT(name, T) EMULATOR_FROM(name, T, static_cast<double>(static_cast<float>(x)))
#define EMULATOR_AS(T, value) \
    __host__ __device__ explicit operator T() const { return value; }
#define EMULATOR_AS_INTEGER(T) EMULATOR_AS(T, ::emulator::to_integer<T>(truncf(float(*this))))
#define EMULATOR_ALL_INTEGERS \
    EMULATOR_AS_INTEGER(char) \
    EMULATOR_AS_INTEGER(signed char) \
    EMULATOR_AS_INTEGER(unsigned char) \
    EMULATOR_AS_INTEGER(unsigned short) \
    EMULATOR_AS_INTEGER(unsigned) \
    EMULATOR_AS_INTEGER(unsigned long) \
    EMULATOR_AS_INTEGER(unsigned long long) \
    EMULATOR_AS_INTEGER(short) \
    EMULATOR_AS_INTEGER(int) \
    EMULATOR_AS_INTEGER(long) \
    EMULATOR_AS_INTEGER(long long)
#define EMULATOR_FP8(name, name2, name4, kind) \
    struct alignas(1) name { \
        static constexpr __nv_fp8_interpretation_t __default_interpretation = kind; \
        static constexpr __nv_saturation_t __default_saturation = __NV_SATFINITE; \
        __nv_fp8_storage_t __x; \
        name() = default; \
        EMULATOR_FROM(name, double, x) \
        EMULATOR_FROM_FLOAT(name, float) \
        EMULATOR_FROM_FLOAT(name, __half) \
        EMULATOR_FROM_FLOAT(name, __nv_bfloat16) \
        EMULATOR_FROM_FLOAT(name, unsigned short) \
        EMULATOR_FROM_FLOAT(name, unsigned) \
        EMULATOR_FROM_FLOAT(name, unsigned long) \
        EMULATOR_FROM_FLOAT(name, unsigned long long) \
        EMULATOR_FROM_FLOAT(name, short) \
        EMULATOR_FROM_FLOAT(name, int) \
        EMULATOR_FROM_FLOAT(name, long) \
        EMULATOR_FROM_FLOAT(name, long long) \
        EMULATOR_AS(__half, __half(__nv_cvt_fp8_to_halfraw(__x, kind))) \
        EMULATOR_AS(float, float(__half(*this))) \
        EMULATOR_AS(double, float(*this)) \
        EMULATOR_AS(__nv_bfloat16, __nv_bfloat16(float(*this))) \
        EMULATOR_AS(bool, (__x & 0x7f) != 0) \
        EMULATOR_ALL_INTEGERS \
    }; \
    struct alignas(2) name2 { \
        static constexpr __nv_fp8_interpretation_t __default_interpretation = kind; \
        static constexpr __nv_saturation_t __default_saturation = __NV_SATFINITE; \
        __nv_fp8x2_storage_t __x; \
        name2() = default; \
        __host__ __device__ explicit name2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
        __host__ __device__ explicit name2(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
        __host__ __device__ explicit name2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
        __host__ __device__ explicit name2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {} \
        EMULATOR_AS(__half2, __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind))) \
        EMULATOR_AS(float2, __half22float2(__half2(*this))) \
    }; \
    struct alignas(4) name4 { \
        static constexpr __nv_fp8_interpretation_t __default_interpretation = kind; \
        static constexpr __nv_saturation_t __default_saturation = __NV_SATFINITE; \
        __nv_fp8x4_storage_t __x; \
        name4() = default; \
        __host__ __device__ explicit name4(__half2 low, __half2 high) : __x(name2(low).__x | static_cast<unsigned>(name2(high).__x) << 16) {} \
        __host__ __device__ explicit name4(__nv_bfloat162 low, __nv_bfloat162 high) \
            : __x(name2(low).__x | static_cast<unsigned>(name2(high).__x) << 16) {} \
        __host__ __device__ explicit name4(float4 v) \
            : __x(name2(float2{v.x, v.y}).__x | static_cast<unsigned>(name2(float2{v.z, v.w}).__x) << 16) {} \
        __host__ __device__ explicit name4(double4 v) \
            : __x(name2(double2{v.x, v.y}).__x | static_cast<unsigned>(name2(double2{v.z, v.w}).__x) << 16) {} \
        __host__ __device__ explicit operator float4() const { \
            name2 low, high; \
            low.__x = static_cast<unsigned short>(__x), high.__x = static_cast<unsigned short>(__x >> 16); \
            const float2 a = float2(low), b = float2(high); \
            return {a.x, a.y, b.x, b.y}; \
        } \
    };
EMULATOR_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
EMULATOR_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef EMULATOR_FP8
#undef EMULATOR_FROM_FLOAT
#undef EMULATOR_FROM

// ---- e8m0: a power of two, 2^(bits - 127); 255 is NaN. It has neither a sign nor a zero ------------------------------

__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    return ::emulator::e8m0_of(x, saturate == __NV_SATFINITE, rounding == cudaRoundPosInf);
}
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    return __nv_cvt_double_to_e8m0(static_cast<double>(x), saturate, rounding);
}
__host__ __device__ inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    return __nv_cvt_float_to_e8m0(::emulator::float_of_bfloat(x.x), saturate, rounding);
}
#define EMULATOR_TO_E8M0X2(name, T, low, high) \
    __host__ __device__ inline __nv_fp8x2_storage_t name(T v, __nv_saturation_t saturate, cudaRoundMode rounding) { \
        return static_cast<__nv_fp8x2_storage_t>( \
            __nv_cvt_double_to_e8m0(low, saturate, rounding) | __nv_cvt_double_to_e8m0(high, saturate, rounding) << 8); \
    }
EMULATOR_TO_E8M0X2(__nv_cvt_double2_to_e8m0x2, double2, v.x, v.y)
EMULATOR_TO_E8M0X2(__nv_cvt_float2_to_e8m0x2, float2, v.x, v.y)
EMULATOR_TO_E8M0X2(
    __nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, ::emulator::float_of_bfloat(v.x), ::emulator::float_of_bfloat(v.y))
#undef EMULATOR_TO_E8M0X2
__host__ __device__ inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) { return {::emulator::bfloat_of_e8m0(x)}; }
__host__ __device__ inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t v) {
    return {::emulator::bfloat_of_e8m0(static_cast<unsigned char>(v)), ::emulator::bfloat_of_e8m0(static_cast<unsigned char>(v >> 8))};
}

struct alignas(1) __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    __host__ __device__ explicit __nv_fp8_e8m0(T x) : __x(__nv_cvt_double_to_e8m0(static_cast<double>(x), __NV_SATFINITE, cudaRoundPosInf)) {}
    __host__ __device__ explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0(__half2float(x)) {}
    __host__ __device__ explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0(__bfloat162float(x)) {}
    EMULATOR_AS(__nv_bfloat16, __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)))
    EMULATOR_AS(float, __bfloat162float(__nv_bfloat16(*this)))
    EMULATOR_AS(double, float(*this))
    EMULATOR_AS(__half, __float2half(float(*this)))
    EMULATOR_AS(bool, true)
    EMULATOR_ALL_INTEGERS
};
struct alignas(2) __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e8m0() = default;
    __host__ __device__ explicit __nv_fp8x2_e8m0(double2 v) : __x(__nv_cvt_double2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    __host__ __device__ explicit __nv_fp8x2_e8m0(float2 v) : __x(__nv_cvt_float2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    __host__ __device__ explicit __nv_fp8x2_e8m0(__half2 v) : __nv_fp8x2_e8m0(__half22float2(v)) {}
    __host__ __device__ explicit __nv_fp8x2_e8m0(__nv_bfloat162 v) : __nv_fp8x2_e8m0(__bfloat1622float2(v)) {}
    EMULATOR_AS(__nv_bfloat162, __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)))
    EMULATOR_AS(float2, __bfloat1622float2(__nv_bfloat162(*this)))
    EMULATOR_AS(__half2, __float22half2_rn(float2(*this)))
};
struct alignas(4) __nv_fp8x4_e8m0 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e8m0() = default;
    __host__ __device__ explicit __nv_fp8x4_e8m0(__half2 low, __half2 high) : __nv_fp8x4_e8m0(__half22float2(low), __half22float2(high)) {}
    __host__ __device__ explicit __nv_fp8x4_e8m0(__nv_bfloat162 low, __nv_bfloat162 high)
        : __nv_fp8x4_e8m0(__bfloat1622float2(low), __bfloat1622float2(high)) {}
    __host__ __device__ explicit __nv_fp8x4_e8m0(float4 v) : __nv_fp8x4_e8m0(float2{v.x, v.y}, float2{v.z, v.w}) {}
    __host__ __device__ explicit __nv_fp8x4_e8m0(double4 v) : __nv_fp8x4_e8m0(double2{v.x, v.y}, double2{v.z, v.w}) {}
    __host__ __device__ explicit operator float4() const {
        __nv_fp8x2_e8m0 low, high;
        low.__x = static_cast<unsigned short>(__x), high.__x = static_cast<unsigned short>(__x >> 16);
        const float2 a = float2(low), b = float2(high);
        return {a.x, a.y, b.x, b.y};
    }

 private:
    template <typename T>
    __host__ __device__ __nv_fp8x4_e8m0(T low, T high) : __x(__nv_fp8x2_e8m0(low).__x | static_cast<unsigned>(__nv_fp8x2_e8m0(high).__x) << 16) {}
};
#undef EMULATOR_ALL_INTEGERS
#undef EMULATOR_AS_INTEGER
#undef EMULATOR_AS
