// Bytes and halves of a word at once, steps of dynamic programming, shifts through two words.
#include <cuda_fp16.h>

#include <cstdint>

__device__ int right() {
    bool first = false;
    return (__vabsss4(0x80ff017fu) == 0x7f01017fu) + (__vavgs2(0xffff0001u, 0xfffe0002u) == 0xfffe0002u) +
           (__viaddmax_s32(3, 4, 5) == 7) + (__vimax3_s32_relu(-3, -2, -1) == 0) + (__vibmin_s32(1, 2, &first) == 1 && first) +
           (__funnelshift_lc(1u, 2u, 40u) == 1u) + (__hgt2_mask(__float2half2_rn(2.0f), __float2half2_rn(1.0f)) == ~0u);
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (right() == 7 ? 1.0f : 0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
