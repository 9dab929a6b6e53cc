// CUDA's vector types and dim3, for g++ and for the front end. What is constexpr is __host__ __device__.
#pragma once

#include <cstddef>
#include <cstdint>

// For the emulator's own functions that a kernel calls: the compiler's checks are for the kernel's accesses. (`return`
// stays on: g++ inlines no function that is checked for nothing into one that is checked.)
#ifdef __CUDA__  // clang parses only
#define EMULATOR_UNCHECKED
#else
#define EMULATOR_UNCHECKED __attribute__((no_sanitize("alignment", "bounds")))
#endif

// The toolkit that is stood in for. __CUDA_ARCH__ is in device code only: translate.py, and clang, take it away from
// launchers.
#define CUDART_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

enum cudaRoundMode { cudaRoundNearest,
                     cudaRoundZero,
                     cudaRoundPosInf,
                     cudaRoundMinInf };

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
#define EMULATOR_ALIGNED(T, name, size)                                                                     \
    struct alignas(size) name##4_##size##a { T x, y, z, w; EMULATOR_WHOLE(T, name##4_##size##a, x, y, z, w) }; \
    constexpr name##4_##size##a make_##name##4_##size##a(T x, T y, T z, T w) { return {x, y, z, w}; }
#define EMULATOR_BOTH_ALIGNED(T, name) EMULATOR_ALIGNED(T, name, 16) EMULATOR_ALIGNED(T, name, 32)
EMULATOR_BOTH_ALIGNED(long, long)
EMULATOR_BOTH_ALIGNED(unsigned long, ulong)
EMULATOR_BOTH_ALIGNED(long long, longlong)
EMULATOR_BOTH_ALIGNED(unsigned long long, ulonglong)
EMULATOR_BOTH_ALIGNED(double, double)
#undef EMULATOR_ALIGNED
#undef EMULATOR_BOTH_ALIGNED
#undef EMULATOR_VECTOR
// clang-format on

struct dim3 {
    unsigned x, y, z;
    EMULATOR_UNCHECKED constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
#ifdef __CUDA__  // of the built-in variables, whose types these are there
    __attribute__((device)) dim3(const struct threadIdx_type&);
    __attribute__((device)) dim3(const struct blockIdx_type&);
    __attribute__((device)) dim3(const struct blockDim_type&);
    __attribute__((device)) dim3(const struct gridDim_type&);
#endif
    EMULATOR_UNCHECKED constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    EMULATOR_UNCHECKED constexpr operator uint3() const { return {x, y, z}; }
};
