// Complex numbers as pairs: NVIDIA's names.
#pragma once

#include <cuda_runtime.h>

using cuFloatComplex = float2;
__host__ __device__ inline float cuCrealf(cuFloatComplex z) { return z.x; }
__host__ __device__ inline float cuCimagf(cuFloatComplex z) { return z.y; }
__host__ __device__ inline cuFloatComplex make_cuFloatComplex(float real, float imag) { return make_float2(real, imag); }
__host__ __device__ inline cuFloatComplex cuConjf(cuFloatComplex z) { return make_float2(z.x, -z.y); }
__host__ __device__ inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return make_float2(a.x + b.x, a.y + b.y); }
__host__ __device__ inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return make_float2(a.x - b.x, a.y - b.y); }
__host__ __device__ inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__host__ __device__ inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
    const float scale = fabsf(b.x) + fabsf(b.y);  // so that no square overflows
    const float ax = a.x / scale, ay = a.y / scale, bx = b.x / scale, by = b.y / scale, length = bx * bx + by * by;
    return make_float2((ax * bx + ay * by) / length, (ay * bx - ax * by) / length);
}
__host__ __device__ inline float cuCabsf(cuFloatComplex z) { return hypotf(z.x, z.y); }
__host__ __device__ inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
    return cuCaddf(cuCmulf(a, b), c);
}

using cuDoubleComplex = double2;
__host__ __device__ inline double cuCreal(cuDoubleComplex z) { return z.x; }
__host__ __device__ inline double cuCimag(cuDoubleComplex z) { return z.y; }
__host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double real, double imag) { return make_double2(real, imag); }
__host__ __device__ inline cuDoubleComplex cuConj(cuDoubleComplex z) { return make_double2(z.x, -z.y); }
__host__ __device__ inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return make_double2(a.x + b.x, a.y + b.y); }
__host__ __device__ inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return make_double2(a.x - b.x, a.y - b.y); }
__host__ __device__ inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__host__ __device__ inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
    const double scale = fabs(b.x) + fabs(b.y);  // so that no square overflows
    const double ax = a.x / scale, ay = a.y / scale, bx = b.x / scale, by = b.y / scale, length = bx * bx + by * by;
    return make_double2((ax * bx + ay * by) / length, (ay * bx - ax * by) / length);
}
__host__ __device__ inline double cuCabs(cuDoubleComplex z) { return hypot(z.x, z.y); }
__host__ __device__ inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
    return cuCadd(cuCmul(a, b), c);
}

using cuComplex = cuFloatComplex;
__host__ __device__ inline cuComplex make_cuComplex(float real, float imag) { return make_float2(real, imag); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_float2(static_cast<float>(z.x), static_cast<float>(z.y));
}
