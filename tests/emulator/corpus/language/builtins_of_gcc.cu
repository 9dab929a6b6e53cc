// Gcc's builtins in a kernel, that nvcc takes, too.
#include <cuda_runtime.h>
#include <cstdint>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned u = i + 1;
    bool good = __builtin_popcount(u) == __popc(u) && __builtin_clz(u) == __clz(u);
    good &= __builtin_bswap32(0x01020304u) == 0x04030201u && __builtin_popcountll(~0ull) == 64;
    if (__builtin_expect(i < 0, 0)) __builtin_unreachable();
    out[i] = a[i] + (good ? __builtin_fabsf(-1.f) : __builtin_huge_valf());
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
