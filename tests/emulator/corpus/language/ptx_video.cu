// Video instructions: one number, four bytes and two halves at once.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const unsigned x = 0x01ff8010u, y = 0x02010120u;
    unsigned sums, capped, distance, least, wide, mean;
    asm("vadd4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(sums) : "r"(x), "r"(y), "r"(0));
    asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(capped) : "r"(x), "r"(y), "r"(0));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(distance) : "r"(x), "r"(y), "r"(5));
    asm("vmin2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(least) : "r"(x), "r"(y), "r"(0));
    asm("vsub.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(wide) : "r"(10u), "r"(14u), "r"(1));
    asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(mean) : "r"(x), "r"(y), "r"(0));
    const bool ok = sums == 0x03008130u && capped == 0x03ff8130u && distance == 1 + 254 + 127 + 16 + 5 &&
                    least == 0x01ff8010u && wide == 0xfffffffdu && mean == 0x02804118u;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
