// One-line instructions on bits, parts and signs, wrapped in functions.
#include <cuda_runtime.h>
#include <cstdint>
__device__ uint32_t bfe(uint32_t x, uint32_t from, uint32_t bits) {
    uint32_t r; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(from), "r"(bits)); return r;
}
__device__ int sbfe(int x, uint32_t from, uint32_t bits) {
    int r; asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(from), "r"(bits)); return r;
}
__device__ uint32_t bfi(uint32_t x, uint32_t into, uint32_t from, uint32_t bits) {
    uint32_t r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(into), "r"(from), "r"(bits)); return r;
}
__device__ uint32_t top(uint32_t x) { uint32_t r; asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ uint32_t room(uint32_t x) { uint32_t r; asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ uint32_t mask(uint32_t from, uint32_t bits) {
    uint32_t r; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(from), "r"(bits)); return r;
}
__device__ int extend(int x, uint32_t bits) { int r; asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(bits)); return r; }
__device__ uint64_t join(uint32_t low, uint32_t high) {
    uint64_t r; asm("mov.b64 %0, {%1, %2};" : "=l"(r) : "r"(low), "r"(high)); return r;
}
__device__ void part(uint64_t x, uint32_t& low, uint32_t& high) { asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(x)); }
__device__ float choose(float x, float y, int by) {
    float r; asm("slct.f32.s32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "r"(by)); return r;
}
__device__ float sign_of(float from, float to) { float r; asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(from), "f"(to)); return r; }
__device__ bool is_finite(float x) {
    int r; asm("{ .reg .pred p; testp.finite.f32 p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "f"(x)); return r;
}
__device__ uint32_t apart(int x, int y, uint32_t z) { uint32_t r; asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); return r; }
__device__ int mad24(int x, int y, int z) { int r; asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); return r; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t low, high;
    part(join(7, i), low, high);
    bool ok = bfe(0xabcd, 4, 8) == 0xbc && sbfe(0xf0, 4, 4) == -1 && bfi(0x5, 0xff00, 4, 4) == 0xff50;
    ok = ok && top(0x40) == 6 && room(0x40) == 25 && mask(4, 3) == 0x70 && extend(0x1f8, 4) == -8;
    ok = ok && low == 7 && high == uint32_t(i) && choose(1, 2, -1) == 2 && choose(1, 2, 0) == 1;
    ok = ok && sign_of(-3.0f, 2.0f) == -2.0f && is_finite(a[i]) && !is_finite(INFINITY);
    ok = ok && apart(-3, 4, 10u) == 17 && mad24(-3, 5, 1) == -14;
    out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
