// Comments of both kinds in inline PTX, and the instruction on another line.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    int sum;
    asm("// the sum\n add.s32 %0, %1, 4+4; /* done */\n\t// add.s32 %0, %0, 1;" : "=r"(sum) : "r"(3));
    const bool ok = sum == 11;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
