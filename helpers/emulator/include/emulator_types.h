// CUDA's words for g++: function and variable qualifiers, vector types, dim3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define ELEMENTWISE_EMULATOR 1

#define __global__ inline __attribute__((always_inline))
#define __device__
#define __host__
#define __shared__ static thread_local  // what translate.py could not place: right, but without guard pages
#define __constant__ [[maybe_unused]] static
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define CUDART_CB

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

// A traced build sees a vector type move whole, also where it is made in place, as `*out = make_float4(...)` is.
#ifdef EMULATOR_TRACE
#define EMULATOR_WHOLE(T, name, ...) \
    name& operator=(const name& v) { \
        struct alignas(alignof(name)) Whole { \
            T __VA_ARGS__; \
        }; \
        *reinterpret_cast<Whole*>(this) = reinterpret_cast<const Whole&>(v); \
        return *this; \
    }
#else
#define EMULATOR_WHOLE(T, name, ...)
#endif

// clang-format off
#define EMULATOR_VECTOR(T, name, align2, align4)                                                          \
    struct name##1 { T x; };                                                                              \
    struct alignas(align2) name##2 { T x, y; EMULATOR_WHOLE(T, name##2, x, y) };                          \
    struct name##3 { T x, y, z; };                                                                        \
    struct alignas(align4) name##4 { T x, y, z, w; EMULATOR_WHOLE(T, name##4, x, y, z, w) };              \
    constexpr name##1 make_##name##1(T x) { return {x}; }                                                 \
    constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }                                         \
    constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                 \
    constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
EMULATOR_VECTOR(signed char, char, 2, 4)
EMULATOR_VECTOR(unsigned char, uchar, 2, 4)
EMULATOR_VECTOR(short, short, 4, 8)
EMULATOR_VECTOR(unsigned short, ushort, 4, 8)
EMULATOR_VECTOR(int, int, 8, 16)
EMULATOR_VECTOR(unsigned int, uint, 8, 16)
EMULATOR_VECTOR(long, long, 16, 16)
EMULATOR_VECTOR(unsigned long, ulong, 16, 16)
EMULATOR_VECTOR(long long, longlong, 16, 16)
EMULATOR_VECTOR(unsigned long long, ulonglong, 16, 16)
EMULATOR_VECTOR(float, float, 8, 16)
EMULATOR_VECTOR(double, double, 16, 16)
#undef EMULATOR_VECTOR
// clang-format on

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

// Where the running thread is. One OS thread runs one CUDA thread at a time, so these are its own.
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
constexpr int warpSize = 32;
