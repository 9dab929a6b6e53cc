// The emulator's <cuda_fp4.h>: e2m1, its pairs and fours, and the conversions of float and half.
#pragma once

#include "emulator_float6.h"

using __nv_fp4_storage_t = unsigned char;
using __nv_fp4x2_storage_t = unsigned char;
using __nv_fp4x4_storage_t = unsigned short;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
EMULATOR_FEW_BITS(__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1, __nv_fp4_storage_t, __nv_fp4x2_storage_t, __nv_fp4x4_storage_t, 2, 1, 4)

__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4_e2m1(x).__x;
}
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4_e2m1(x).__x;
}
__host__ __device__ inline __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t) {
    return __half_raw(__float2half(::emulator::value_of_few_bits<2, 1>(x)));
}
__host__ __device__ inline __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4x2_e2m1(x).__x;
}
__host__ __device__ inline __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4x2_e2m1(x).__x;
}
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4_e2m1(__half(x)).__x;
}
__host__ __device__ inline __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4x2_e2m1(__half2(x)).__x;
}
__host__ __device__ inline __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4_e2m1(__nv_bfloat16(x)).__x;
}
__host__ __device__ inline __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return __nv_fp4x2_e2m1(__nv_bfloat162(x)).__x;
}
__host__ __device__ inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t) {
    return __half2_raw(__floats2half2_rn(::emulator::value_of_few_bits<2, 1>(x), ::emulator::value_of_few_bits<2, 1>(x >> 4)));
}
