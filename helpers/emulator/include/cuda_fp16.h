// The emulator's <cuda_fp16.h>.
#pragma once

#define EMULATOR_T __half
#define EMULATOR_T2 __half2
#define EMULATOR_RAW __half_raw
#define EMULATOR_RAW2 __half2_raw
#define EMULATOR_EXPONENT 5
#define EMULATOR_FRACTION 10
#if defined(EMULATOR_ABREAST) && !defined(EMULATOR_PACKS)
#define EMULATOR_NARROW ::emulator::plain_half_of
#define EMULATOR_WIDEN ::emulator::plain_float_of_half
#else
#define EMULATOR_NARROW ::emulator::half_of
#define EMULATOR_WIDEN ::emulator::float_of_half
#endif
#define EMULATOR_BY_PAIRS ::emulator::by_halves
#define EMULATOR_FMA_PAIRS ::emulator::fma_halves
#define EMULATOR_NAME(before, after) before##half##after
#define EMULATOR_NAME2(before, after) before##half2##after
#include "emulator_small_float.h"
#undef EMULATOR_T
#undef EMULATOR_T2
#undef EMULATOR_RAW
#undef EMULATOR_RAW2
#undef EMULATOR_EXPONENT
#undef EMULATOR_FRACTION
#undef EMULATOR_NARROW
#undef EMULATOR_WIDEN
#undef EMULATOR_BY_PAIRS
#undef EMULATOR_FMA_PAIRS
#undef EMULATOR_NAME
#undef EMULATOR_NAME2

using half = __half;
using half2 = __half2;
using __half_t = __half;

__host__ __device__ inline half2 __floats2half2_rn(float x, float y) { return emulator_pair_of_half(::emulator::halves_of(x, y)); }
__host__ __device__ inline half2 __float2half2_rn(float x) { return {half(x), half(x)}; }
__host__ __device__ inline half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
__host__ __device__ inline float2 __half22float2(half2 v) { return {float(v.x), float(v.y)}; }
__host__ __device__ inline half2 make_half2(half x, half y) { return {x, y}; }
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)

#if defined(__CUDA__)  // for g++ these are templates of emulator_device.h
FRONT_END_SHUFFLES(half)
FRONT_END_SHUFFLES(half2)
FRONT_END_ATOMIC(atomicAdd, half)
FRONT_END_ATOMIC(atomicAdd, half2)
#endif

__host__ __device__ inline half2 __half2half2(half x) { return {x, x}; }
