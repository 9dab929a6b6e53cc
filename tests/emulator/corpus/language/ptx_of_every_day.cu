// Inline PTX that kernels carry: lop3, prmt, bfe, bfi, fns-like loops, approximations, cached loads, reductions.
#include <cuda_runtime.h>
#include <cstdint>
__device__ unsigned hits;
template <int Lut> __device__ uint32_t lop3(uint32_t x, uint32_t y, uint32_t z) {
    uint32_t r;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z), "n"(Lut));
    return r;
}
__device__ float4 load_once(const float* p) {
    float4 v;
    asm volatile("ld.global.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n) return;
    uint32_t lane, r, s, t;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("bfe.u32 %0, %1, 8, 4;" : "=r"(r) : "r"(0xabcd1234u));
    asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(s) : "r"(0xffu), "r"(0u));
    asm("{\n\t.reg .pred p;\n\tsetp.ge.u32 p, %1, 16;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(t) : "r"(lane));
    bool good = lop3<0xea>(0xf0u, 0x3cu, 1u) == ((0xf0u & 0x3cu) | 1u) && lop3<0x96>(5u, 3u, 9u) == (5u ^ 3u ^ 9u);
    good &= r == 2 && s == 0xff0 && t == (threadIdx.x % 32 >= 16);
    float e, h;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(3.0f));
    asm("tanh.approx.f32 %0, %1;" : "=f"(h) : "f"(0.0f));
    uint32_t dot, hi, sad;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(dot) : "r"(0x01010101), "r"(0x02030405), "r"(6));
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(hi) : "r"(0x80000000u), "r"(6u));
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(sad) : "r"(3u), "r"(10u), "r"(1u));
    good &= fabsf(e - 8.f) < 1e-5f && h == 0.f && dot == 20 && hi == 3 && sad == 8;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&hits), "r"(1u) : "memory");
    const float4 v = load_once(a + i);
    asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + i), "f"(v.x + good), "f"(v.y + good),
                 "f"(v.z + good), "f"(v.w + good) : "memory");
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n / 4 + 127) / 128, 128>>>(a, out, n); }
