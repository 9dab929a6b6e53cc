// Instructions that few use: high products, parts of words, saturation, signs, numbers of 16 and of 64 bits.
#include <cuda_runtime.h>
#include <cstdint>
using u16 = unsigned short; using u32 = uint32_t; using u64 = unsigned long long;
__device__ u32 mask_clamp(u32 a, u32 b) { u32 r; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ u32 mask_wrap(u32 a, u32 b) { u32 r; asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ u32 extend_clamp(u32 a, u32 b) { u32 r; asm("szext.clamp.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ int extend_wrap(int a, u32 b) { int r; asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ int high_24(int a, int b) { int r; asm("mul24.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ u32 high_24_u(u32 a, u32 b, u32 d) { u32 r; asm("mad24.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d)); return r; }
__device__ u64 apart_64(u64 a, u64 b, u64 d) { u64 r; asm("sad.u64 %0, %1, %2, %3;" : "=l"(r) : "l"(a), "l"(b), "l"(d)); return r; }
__device__ short apart_16(short a, short b, short d) { short r; asm("sad.s16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(d)); return r; }
__device__ short high_16(short a, short b) { short r; asm("mul.hi.s16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); return r; }
__device__ u32 wide_16(u16 a, u16 b, u32 d) { u32 r; asm("mad.wide.u16 %0, %1, %2, %3;" : "=r"(r) : "h"(a), "h"(b), "r"(d)); return r; }
__device__ u64 high_64(u64 a, u64 b, u64 d) { u64 r; asm("mad.hi.u64 %0, %1, %2, %3;" : "=l"(r) : "l"(a), "l"(b), "l"(d)); return r; }
__device__ int high_sat(int a, int b, int d) { int r; asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d)); return r; }
__device__ int most_or_0(int a, int b) { int r; asm("max.relu.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ u32 least_or_0(u32 a, u32 b) { u32 r; asm("min.relu.s16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ short size_16(short a) { short r; asm("abs.s16 %0, %1;" : "=h"(r) : "h"(a)); return r; }
__device__ short less_16(short a) { short r; asm("neg.s16 %0, %1;" : "=h"(r) : "h"(a)); return r; }
__device__ u32 shift_u64(u64 a) { u32 r; asm("bfind.shiftamt.u64 %0, %1;" : "=r"(r) : "l"(a)); return r; }
__device__ u32 shift_s64(long long a) { u32 r; asm("bfind.shiftamt.s64 %0, %1;" : "=r"(r) : "l"(a)); return r; }
__device__ u32 shift_u32(u32 a) { u32 r; asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(a)); return r; }
__device__ double sign_of(double a, double b) { double r; asm("copysign.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r; }
__device__ float both_signs(float a, float b) { float r; asm("max.xorsign.abs.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
__device__ double whole(double a) { double r; asm("cvt.rzi.f64.f64 %0, %1;" : "=d"(r) : "d"(a)); return r; }
__device__ u16 half_of(int a) { u16 r; asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(a)); return r; }
__device__ int of_half(u16 a) { int r; asm("cvt.rni.s32.f16 %0, %1;" : "=r"(r) : "h"(a)); return r; }
__device__ u16 to_16(float a) { u16 r; asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(r) : "f"(a)); return r; }
__device__ u32 alike(u64 a) { u32 r; asm("match.any.sync.b64 %0, %1, 0xffffffff;" : "=r"(r) : "l"(a)); return r; }
__device__ u32 chosen(u32 a, u32 b, u32 d) { u32 r; asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d)); return r; }
__device__ u64 insert(u64 a, u64 b, u32 at, u32 bits) {
    u64 r; asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r) : "l"(a), "l"(b), "r"(at), "r"(bits)); return r;
}
__global__ void k(const float* a, float* out, int n, int zero) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool ok = mask_clamp(30 + zero, 9) == 0xc0000000u && mask_clamp(32, 1) == 0 && mask_wrap(33, 34) == 6;
    ok = ok && extend_clamp(0xffffffffu, 40 + zero) == 0xffffffffu && extend_wrap(0x1f8, 36) == -8 && extend_wrap(5, 32) == 0;
    ok = ok && high_24(-(1 << 20) + zero, 1 << 20) == -(1 << 24) && high_24_u(0xffffff, 0x1000100, 5) == 0xffff + 5u;
    ok = ok && apart_64(3 + zero, 10, 1) == 8 && apart_16(-5, 5, 1) == 11 && high_16(-32768, 2) == -1;
    ok = ok && wide_16(65535, 65535, 2) == 4294836227u && high_64(~0ull, 2, 1) == 2 && high_sat(1 << 30, 4, 0x7fffffff) == 0x7fffffff;
    ok = ok && most_or_0(-3 + zero, -4) == 0 && least_or_0(0x0005fffeu, 0x00070001u) == 0x00050000u;
    ok = ok && size_16(-7) == 7 && less_16(9) == -9 && shift_u64(1ull << 40) == 23 && shift_s64(-1) == 0xffffffffu;
    ok = ok && shift_u32(zero) == 0xffffffffu && sign_of(-1.0, 3.0) == -3.0 && both_signs(-2.0f, 3.0f) == -3.0f;
    ok = ok && whole(-2.7) == -2.0 && half_of(1025) == 0x6401 && of_half(0x4100) == 2 && to_16(70000.0f) == 65535;
    ok = ok && alike(threadIdx.x % 2 + (1ull << 40)) == (threadIdx.x % 2 ? 0xaaaaaaaau : 0x55555555u);
    ok = ok && chosen(1, 2, 0x80000000u + zero) == 2 && insert(0xff, 0, 60, 8) == 0xf000000000000000ull;
    if (i < n) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n, 0); }
