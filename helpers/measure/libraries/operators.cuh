// The operators of the comparison, as functors for fast::transform. `operators.py` writes their launchers,
// behind an include of fast.cuh.
//
// Arithmetic in float32, rounded once at the end; exact where the operator is, else by functions.cuh.
#pragma once

#include <cuda_fp8.h>

#include "../../../kernels/functions.cuh"

template <>
struct elementwise::PairOf<uint8_t> {  // two numbers of eight bits
    using Type = uint16_t;
};

namespace operators {

using elementwise::from_float;
using elementwise::to_float;

using functions::exponential;
using functions::gelu;
using functions::logistic;

#define UNARY(Name, kIsLight, ...) \
    struct Name { \
        static constexpr bool kLight = kIsLight; \
        template <typename T> \
        __device__ __forceinline__ T operator()(T in) const { \
            const float x = to_float(in); \
            return from_float<T>(__VA_ARGS__); \
        } \
    };
UNARY(LeakyRelu, true, x > 0.0f ? x : 0.01f * x)
UNARY(Scale, true, 1.7f * x)
UNARY(Sigmoid, false, logistic<T>(x))
UNARY(Tanh, false, functions::tanh<T>(x))
UNARY(Gelu, false, gelu<T>(x))
UNARY(GeluTanh, false, logistic<T>(1.5957691216057308f * (x + 0.044715f * x * x * x)) * x)
UNARY(Silu, false, logistic<T>(x) * x)
UNARY(Exp, false, exponential<T>(x))
#undef UNARY

struct Copy {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T x) const {
        return x;
    }
};

struct Relu {  // a NaN stays one
    static constexpr bool kLight = true;
    __device__ __forceinline__ float operator()(float x) const { return x < 0.0f ? 0.0f : x; }
    template <typename T>
    __device__ __forceinline__ T operator()(T x) const {
        return to_float(x) < 0.0f ? from_float<T>(0.0f) : x;
    }
    __device__ __forceinline__ __half2 Apply2(__half2 x) const { return __hmax2_nan(x, __float2half2_rn(0.0f)); }
    __device__ __forceinline__ __nv_bfloat162 Apply2(__nv_bfloat162 x) const {
        return __hmax2_nan(x, __float2bfloat162_rn(0.0f));
    }
};

struct Abs {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T x) const {
        return from_float<T>(fabsf(to_float(x)));
    }
    __device__ __forceinline__ __half2 Apply2(__half2 x) const { return __habs2(x); }
    __device__ __forceinline__ __nv_bfloat162 Apply2(__nv_bfloat162 x) const { return __habs2(x); }
};

struct Neg {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T x) const {
        return from_float<T>(-to_float(x));
    }
    __device__ __forceinline__ __half2 Apply2(__half2 x) const { return __hneg2(x); }
    __device__ __forceinline__ __nv_bfloat162 Apply2(__nv_bfloat162 x) const { return __hneg2(x); }
};

struct Add {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return from_float<T>(to_float(a) + to_float(b));
    }
    __device__ __forceinline__ __half2 Apply2(__half2 a, __half2 b) const { return __hadd2(a, b); }
    __device__ __forceinline__ __nv_bfloat162 Apply2(__nv_bfloat162 a, __nv_bfloat162 b) const { return __hadd2(a, b); }
};

struct Mul {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return from_float<T>(to_float(a) * to_float(b));
    }
    __device__ __forceinline__ __half2 Apply2(__half2 a, __half2 b) const { return __hmul2(a, b); }
    __device__ __forceinline__ __nv_bfloat162 Apply2(__nv_bfloat162 a, __nv_bfloat162 b) const { return __hmul2(a, b); }
};

struct Addcmul {  // c + a b / 2
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T c, T a, T b) const {
        return from_float<T>(to_float(c) + 0.5f * to_float(a) * to_float(b));
    }
};

struct Lerp {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return from_float<T>(to_float(a) + 0.3f * (to_float(b) - to_float(a)));
    }
};

struct Swiglu {  // a sigmoid(a) b
    template <typename T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        const float x = to_float(a);
        return from_float<T>(logistic<T>(x) * x * to_float(b));
    }
};

template <typename R>
struct GeluCast {
    __device__ __forceinline__ R operator()(float x) const { return from_float<R>(gelu<R>(x)); }
};

struct Where {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ __forceinline__ T operator()(bool condition, T a, T b) const {
        return condition ? a : b;
    }
};

struct BiasGeluResidual {
    template <typename T>
    __device__ __forceinline__ T operator()(T x, T bias, T residual) const {
        return from_float<T>(gelu<T>(to_float(x) + to_float(bias)) + to_float(residual));
    }
};

// Casts. Eight bits lie in a uint8_t (e4m3, which saturates) or an int8_t (truncated, as in C++).
template <typename R>
struct Cast;
template <>
struct Cast<float> {
    static constexpr bool kLight = true;
    __device__ __forceinline__ float operator()(__half x) const { return __half2float(x); }
    __device__ __forceinline__ float operator()(__nv_bfloat16 x) const { return __bfloat162float(x); }
    __device__ __forceinline__ float operator()(int8_t x) const { return x; }
    __device__ __forceinline__ float operator()(uint8_t x) const {
        return __half2float(__half(__nv_cvt_fp8_to_halfraw(x, __NV_E4M3)));
    }
    __device__ __forceinline__ float2 Apply2(uint16_t x) const {
        return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(x, __NV_E4M3)));
    }
};
template <>
struct Cast<__half> {
    static constexpr bool kLight = true;
    __device__ __forceinline__ __half operator()(float x) const { return __float2half_rn(x); }
    __device__ __forceinline__ __half2 Apply2(float2 x) const { return __float22half2_rn(x); }
    __device__ __forceinline__ __half operator()(uint8_t x) const {
        return __half(__nv_cvt_fp8_to_halfraw(x, __NV_E4M3));
    }
    __device__ __forceinline__ __half2 Apply2(uint16_t x) const {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(x, __NV_E4M3));
    }
};
template <>
struct Cast<__nv_bfloat16> {
    static constexpr bool kLight = true;
    __device__ __forceinline__ __nv_bfloat16 operator()(float x) const { return __float2bfloat16_rn(x); }
    __device__ __forceinline__ __nv_bfloat162 Apply2(float2 x) const { return __float22bfloat162_rn(x); }
};
template <>
struct Cast<uint8_t> {
    static constexpr bool kLight = true;
    __device__ __forceinline__ uint8_t operator()(float x) const {
        return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    }
    __device__ __forceinline__ uint16_t Apply2(float2 x) const {
        return __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3);
    }
    __device__ __forceinline__ uint8_t operator()(__half x) const {
        return __nv_cvt_halfraw_to_fp8(static_cast<__half_raw>(x), __NV_SATFINITE, __NV_E4M3);
    }
    __device__ __forceinline__ uint16_t Apply2(__half2 x) const {
        return __nv_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(x), __NV_SATFINITE, __NV_E4M3);
    }
};
template <>
struct Cast<int8_t> {
    static constexpr bool kLight = true;
    __device__ __forceinline__ int8_t operator()(float x) const { return static_cast<int8_t>(static_cast<int>(x)); }
};

}  // namespace operators
