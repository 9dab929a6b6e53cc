// One lane of a warp, a vote of a block, a space, and the nearest number of a narrow type.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned elected, all, is_shared;
    int narrow;
    __shared__ float shared[1];
    shared[0] = 1.0f;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(elected));
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 9; bar.red.popc.u32 %0, 0, p; }" : "=r"(all) : "r"(threadIdx.x));
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_shared) : "l"(shared));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(narrow) : "r"(300));
    const bool ok = elected == (threadIdx.x % 32 == 0) && all == 9 && is_shared == 1 && narrow == 127;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
