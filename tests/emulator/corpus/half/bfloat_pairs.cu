// Pairs of bfloat16: fused and relu, comparisons as masks, nan-keeping maxima, halves taken and swapped.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
using pair = __nv_bfloat162;
__device__ bool is(pair p, float x, float y) { return __low2float(p) == x && __high2float(p) == y; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const pair p = __floats2bfloat162_rn(1.5f, -2.f), q = __floats2bfloat162_rn(2.f, 3.f), z = __float2bfloat162_rn(0.f);
    const pair nan = __floats2bfloat162_rn(nanf(""), 1.f);
    bool good = is(__hfma2_relu(p, q, z), 3.f, 0.f) && is(__hmax2_nan(p, q), 2.f, 3.f);
    good &= __hisnan(__low2bfloat16(__hmax2_nan(nan, q))) && is(__hmax2(nan, q), 2.f, 3.f);
    good &= __hltu2_mask(p, q) == 0xffffffffu && __hgt2_mask(p, q) == 0u && __heq2_mask(nan, nan) == 0xffff0000u;
    good &= !__hbeq2(p, q) && __hbne2(p, q) && __hbequ2(nan, nan) && !__hbeq2(nan, nan);
    good &= is(__lowhigh2highlow(p), -2.f, 1.5f) && is(__lows2bfloat162(p, q), 1.5f, 2.f) && is(__highs2bfloat162(p, q), -2.f, 3.f);
    good &= is(h2exp2(__floats2bfloat162_rn(3.f, -1.f)), 8.f, 0.5f) && is(__habs2(p), 1.5f, 2.f) && is(__hneg2(p), -1.5f, 2.f);
    good &= is(h2sqrt(__floats2bfloat162_rn(4.f, 9.f)), 2.f, 3.f) && is(h2rcp(__floats2bfloat162_rn(4.f, 0.5f)), 0.25f, 2.f);
    good &= is(__hadd2_sat(p, q), 1.f, 1.f) && is(h2floor(p), 1.f, -2.f) && is(p * q + q, 5.f, -3.f) && is(-p, -1.5f, 2.f);
    good &= __bfloat162float(__hmul(p.x, q.y)) == 4.5f && is(__hfma2_sat(p, q, q), 1.f, 0.f) && is(__hsub2(p, q), -0.5f, -5.f);
    good &= __bfloat16_as_ushort(__float2bfloat16_rz(1.999f)) == 0x3fff && __bfloat162int_rz(q.y) == 3;
    out[i] = a[i] + good;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
