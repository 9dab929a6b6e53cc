// Shifts in PTX by more than a number has bits: 0, or its sign.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned left, right;
    int sign;
    uint64_t wide;
    asm("shl.b32 %0, %1, %2;" : "=r"(left) : "r"(5u), "r"(32 + threadIdx.x));
    asm("shr.u32 %0, %1, %2;" : "=r"(right) : "r"(~0u), "r"(33u));
    asm("shr.s32 %0, %1, %2;" : "=r"(sign) : "r"(-5), "r"(100u));
    asm("shl.b64 %0, %1, %2;" : "=l"(wide) : "l"(uint64_t{1}), "r"(40u));
    const bool ok = left == 0 && right == 0 && sign == -1 && wide == uint64_t{1} << 40;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
