// The emulator's <cuda_bf16.h>.
#pragma once

#define EMULATOR_T __nv_bfloat16
#define EMULATOR_T2 __nv_bfloat162
#define EMULATOR_RAW __nv_bfloat16_raw
#define EMULATOR_RAW2 __nv_bfloat162_raw
#define EMULATOR_EXPONENT 8
#define EMULATOR_FRACTION 7
#define EMULATOR_NARROW ::emulator::bfloat_of
#define EMULATOR_WIDEN ::emulator::float_of_bfloat
#define EMULATOR_BY_PAIRS ::emulator::by_bfloats
#define EMULATOR_FMA_PAIRS ::emulator::fma_bfloats
#define EMULATOR_NAME(before, after) before##bfloat16##after
#define EMULATOR_NAME2(before, after) before##bfloat162##after
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

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

__host__ __device__ inline nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {nv_bfloat16(x), nv_bfloat16(y)}; }
__host__ __device__ inline nv_bfloat162 __float2bfloat162_rn(float x) { return {nv_bfloat16(x), nv_bfloat16(x)}; }
__host__ __device__ inline nv_bfloat162 __float22bfloat162_rn(float2 v) { return {nv_bfloat16(v.x), nv_bfloat16(v.y)}; }
__host__ __device__ inline float2 __bfloat1622float2(nv_bfloat162 v) { return {float(v.x), float(v.y)}; }
__host__ __device__ inline nv_bfloat162 __bfloat162bfloat162(nv_bfloat16 x) { return {x, x}; }
__host__ __device__ inline nv_bfloat162 make_bfloat162(nv_bfloat16 x, nv_bfloat16 y) { return {x, y}; }
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)

#if defined(__CUDA__)  // for g++ these are templates of emulator_device.h
FRONT_END_SHUFFLES(__nv_bfloat16)
FRONT_END_SHUFFLES(__nv_bfloat162)
FRONT_END_ATOMIC(atomicAdd, __nv_bfloat16)
FRONT_END_ATOMIC(atomicAdd, __nv_bfloat162)
#endif
