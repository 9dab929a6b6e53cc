// Sums and products of more bits than a register has.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned low, high, lost, borrow;
    asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;" : "=r"(low), "=r"(high) : "r"(0xffffffffu), "r"(1u), "r"(1u), "r"(1u));
    asm("{ .reg .u32 t; sub.cc.u32 t, %1, 1; subc.u32 %0, 0, 0; }" : "=r"(borrow) : "r"(0u));
    asm("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0; }" : "=r"(lost) : "r"(0x80000000u), "r"(2u), "r"(5u));
    const bool ok = low == 0 && high == 3 && borrow == 0xffffffffu && lost == 1;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
