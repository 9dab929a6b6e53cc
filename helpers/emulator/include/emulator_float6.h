// Numbers of four and six bits, which have no infinity and no NaN (OCP Microscaling Formats, MX, 1.0): for <cuda_fp4.h> and
// <cuda_fp6.h>. What is too large becomes the largest, as does a NaN.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace [[gnu::visibility("hidden")]] emulator {

template <int kExponent, int kFraction>
__host__ __device__ constexpr float value_of_few_bits(unsigned bits) {
    const unsigned exponent = bits >> kFraction & ((1u << kExponent) - 1), fraction = bits & ((1u << kFraction) - 1);
    float value = static_cast<float>(exponent ? fraction + (1u << kFraction) : fraction) / (1u << kFraction);
    for (int power = (exponent ? static_cast<int>(exponent) : 1) - ((1 << (kExponent - 1)) - 1); power > 0; --power) value *= 2;
    for (int power = (exponent ? static_cast<int>(exponent) : 1) - ((1 << (kExponent - 1)) - 1); power < 0; ++power) value /= 2;
    return bits >> (kExponent + kFraction) & 1 ? -value : value;
}
// The nearest, of two as near the even one.
template <int kExponent, int kFraction>
__host__ __device__ constexpr unsigned few_bits_of(double x) {
    constexpr unsigned kSign = 1u << (kExponent + kFraction);
    if (x != x) return kSign - 1;
    const double size = x < 0 ? -x : x;
    unsigned best = 0;
    for (unsigned bits = 1; bits < kSign; ++bits) {
        const double before = size - static_cast<double>(value_of_few_bits<kExponent, kFraction>(bits - 1));
        const double behind = static_cast<double>(value_of_few_bits<kExponent, kFraction>(bits)) - size;
        if (behind < before || (behind == before && bits % 2 == 0)) best = bits;
    }
    return best | (__builtin_signbit(x) ? kSign : 0);
}

}  // namespace emulator

// Of one format: the number, two and four of it; kBits between two of them.
#define EMULATOR_FEW_BITS(name, name2, name4, Storage, Storage2, Storage4, kExponentBits, kFractionBits, kApart) \
    struct name { \
        Storage __x; \
        name() = default; \
        template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> \
        __host__ __device__ explicit name(T x) \
            : __x(static_cast<Storage>(::emulator::few_bits_of<kExponentBits, kFractionBits>(static_cast<double>(x)))) {} \
        __host__ __device__ explicit name(__half x) : name(__half2float(x)) {} \
        __host__ __device__ explicit name(__nv_bfloat16 x) : name(__bfloat162float(x)) {} \
        template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> \
        __host__ __device__ explicit operator T() const { \
            return static_cast<T>(::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x)); \
        } \
        __host__ __device__ explicit operator __half() const { return __float2half(float(*this)); } \
        __host__ __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16(float(*this)); } \
    }; \
    struct name2 { \
        Storage2 __x; \
        name2() = default; \
        __host__ __device__ explicit name2(float2 v) : __x(static_cast<Storage2>(name(v.x).__x | name(v.y).__x << kApart)) {} \
        __host__ __device__ explicit name2(double2 v) : __x(static_cast<Storage2>(name(v.x).__x | name(v.y).__x << kApart)) {} \
        __host__ __device__ explicit name2(__half2 v) : name2(__half22float2(v)) {} \
        __host__ __device__ explicit name2(__nv_bfloat162 v) : name2(__bfloat1622float2(v)) {} \
        __host__ __device__ explicit operator float2() const { \
            return {::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x), \
                    ::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x >> kApart)}; \
        } \
        __host__ __device__ explicit operator __half2() const { return __float22half2_rn(float2(*this)); } \
    }; \
    struct name4 { \
        Storage4 __x; \
        name4() = default; \
        __host__ __device__ explicit name4(float4 v) \
            : __x(static_cast<Storage4>(name2(float2{v.x, v.y}).__x | static_cast<unsigned>(name2(float2{v.z, v.w}).__x) << 2 * kApart)) {} \
        __host__ __device__ explicit operator float4() const { \
            return {::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x), \
                    ::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x >> kApart), \
                    ::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x >> 2 * kApart), \
                    ::emulator::value_of_few_bits<kExponentBits, kFractionBits>(__x >> 3 * kApart)}; \
        } \
    };
