// The emulator's <cuda_fp6.h>: e2m3 and e3m2, their pairs and fours, and the conversions of float and half.
#pragma once

#include "emulator_float6.h"

using __nv_fp6_storage_t = unsigned char;
using __nv_fp6x2_storage_t = unsigned short;
using __nv_fp6x4_storage_t = unsigned;
enum __nv_fp6_interpretation_t { __NV_E2M3,
                                 __NV_E3M2 };
EMULATOR_FEW_BITS(__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 2, 3, 8)
EMULATOR_FEW_BITS(__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 3, 2, 8)

__host__ __device__ inline __nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t kind, cudaRoundMode) {
    return kind == __NV_E2M3 ? __nv_fp6_e2m3(x).__x : __nv_fp6_e3m2(x).__x;
}
__host__ __device__ inline __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind) {
    return __half_raw(__float2half(kind == __NV_E2M3 ? ::emulator::value_of_few_bits<2, 3>(x) : ::emulator::value_of_few_bits<3, 2>(x)));
}
