// Integer and bit intrinsics beside what they mean, and halves of a double.
#include <cuda_runtime.h>
__device__ int naive_reverse(unsigned x) { unsigned r = 0; for (int j = 0; j < 32; ++j) r |= (x >> j & 1) << (31 - j); return r; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned u = i * 2654435761u;
    const long long w = (static_cast<long long>(u) << 20) | 1;
    bool good = static_cast<int>(__brev(u)) == naive_reverse(u) && __clzll(w) + 63 - __clzll(w) == 63 && __ffsll(w) == 1;
    good &= __byte_perm(0x33221100, 0x77665544, 0x0617) == 0x00661177 && __funnelshift_l(u, u, 8) == (u << 8 | u >> 24);
    good &= __funnelshift_rc(1u, 0u, 40) == 0u && __sad(-3, 5, 1) == 9u && __usad(3u, 5u, 1u) == 3u && __mul24(-3, 7) == -21;
    good &= __hadd(7, -2) == 2 && __rhadd(7, -2) == 3 && __uhadd(7u, 4u) == 5u && __mulhi(1 << 30, 8) == 2;
    good &= __vadd4(0xff010203u, 0x01010101u) == 0x00020304u && __vmaxs2(0x0001ffffu, 0x0000'0001u) == 0x00010001u;
    good &= __vabsdiffu4(0x05030201u, 0x01020304u) == 0x04010103u && __vcmpgtu2(0x00050001u, 0x00010001u) == 0xffff0000u;
    good &= __dp2a_lo(0x00020003, 0x04030201, 5) == 3 * 1 + 2 * 2 + 5 && __vsetleu4(0x01020304u, 0x02020202u) == 0x01010000u;
    good &= __umul64hi(1ull << 63, 6) == 3 && __popcll(~0ull >> 3) == 61 && __vimax3_s32(1, 5, 3) == 5;
    const double d = 1.0 + i;
    good &= __hiloint2double(__double2hiint(d), __double2loint(d)) == d && __longlong_as_double(__double_as_longlong(d)) == d;
    good &= __float2int_rd(-0.5f) == -1 && __float2uint_ru(0.5f) == 1 && __double2int_rn(2.5) == 2 && __int2float_rz(16777217) == 16777216.f;
    out[i] = a[i] + good;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
