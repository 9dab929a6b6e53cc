// Predicates that are joined, of a vote, of a shuffle and of a kind of number.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    int both, votes, there, from, infinite, chosen;
    const int lane = threadIdx.x % 32;
    asm("{ .reg .pred p, q; setp.gt.and.s32 p, %1, 3, 1; setp.lt.s32 q, %1, 9; and.pred p, p, q; not.pred q, p; @p mov.s32 %0, 1; @q mov.s32 %0, 0; }" : "=r"(both) : "r"(lane));
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 31; vote.sync.all.pred p, p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(votes) : "r"(lane));
    asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 4, 0x1f, 0xffffffff; selp.s32 %1, 1, 0, p; }" : "=r"(from), "=r"(there) : "r"(lane));
    asm("{ .reg .pred p; testp.infinite.f32 p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(infinite) : "f"(1.0f / 0.0f));
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(chosen) : "r"(3), "r"(4), "r"(lane - 5));
    const bool ok = both == (lane > 3 && lane < 9) && votes == 0 && there == (lane < 28) && from == (lane < 28 ? lane + 4 : lane) && infinite == 1 && chosen == (lane < 5 ? 4 : 3);
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
