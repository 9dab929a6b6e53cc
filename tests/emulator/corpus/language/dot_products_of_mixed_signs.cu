// Dp4a and dp2a of bytes with a sign and bytes without, in both orders, as quantised activations and weights have them.
#include <cuda_runtime.h>
#include <cstdint>
__device__ int dot_us(unsigned x, int w, int sum) {
    int d;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(w), "r"(sum));
    return d;
}
__device__ int dot_su(int x, unsigned w, int sum) {
    int d;
    asm volatile("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(w), "r"(sum));
    return d;
}
__device__ int dot2(int x, unsigned w, int sum) {
    int low, high;
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(low) : "r"(x), "r"(w), "r"(sum));
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(high) : "r"(x), "r"(w), "r"(low));
    return high;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = i * 2654435761u, w = ~x * 40503u;
    int us = 5, su = -7, two = 3;
    for (int j = 0; j < 4; ++j) {
        const uint8_t ux = x >> 8 * j, uw = w >> 8 * j;
        us += int(ux) * static_cast<int8_t>(uw);
        su += static_cast<int8_t>(ux) * int(uw);
    }
    const int16_t s[2] = {int16_t(x), int16_t(x >> 16)};
    const uint16_t u[2] = {uint16_t(x), uint16_t(x >> 16)};
    for (int j = 0; j < 2; ++j) two += s[j] * int(uint8_t(w >> 8 * j)) + int(u[j]) * int8_t(w >> (16 + 8 * j));
    const bool ok = dot_us(x, w, 5) == us && dot_su(x, w, -7) == su && dot2(x, w, 3) == two;
    out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
