// Numbers of four and six bits: the nearest, the even one, the largest.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool right = float(__nv_fp4_e2m1(2.5f)) == 2.0f && float(__nv_fp4_e2m1(100.0f)) == 6.0f &&
                       float(__nv_fp6_e2m3(-7.9f)) == -7.5f && float(__nv_fp6_e3m2(0.1f)) == 0.125f &&
                       float2(__nv_fp4x2_e2m1(make_float2(3.0f, 1.4f))).y == 1.5f;
    if (i < n && right) out[i] = a[i] + float(__nv_fp4_e2m1(1.0f));
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
