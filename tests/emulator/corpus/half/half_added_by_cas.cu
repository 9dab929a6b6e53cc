// A half added by atomicCAS of its 16 bits and of the word around it, beside atomicAdd of half2 and bfloat162.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__device__ __half by_bits[32], by_word[32];
__device__ __half2 pairs[16];
__device__ __nv_bfloat162 coarse[16];
__device__ void add_by_bits(__half* where, __half x) {
    auto* bits = reinterpret_cast<unsigned short*>(where);
    unsigned short old = *reinterpret_cast<volatile unsigned short*>(bits), assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __half_as_ushort(__hadd(__ushort_as_half(assumed), x)));
    } while (assumed != old);
}
__device__ void add_by_word(__half* where, __half x) {
    const auto address = reinterpret_cast<size_t>(where);
    auto* word = reinterpret_cast<unsigned*>(address & ~size_t(2));
    const unsigned shift = address & 2 ? 16 : 0;
    unsigned old = *reinterpret_cast<volatile unsigned*>(word), assumed;
    do {
        assumed = old;
        const __half sum = __hadd(__ushort_as_half(old >> shift & 0xffff), x);
        const unsigned next = (old & ~(0xffffu << shift)) | static_cast<unsigned>(__half_as_ushort(sum)) << shift;
        old = atomicCAS(word, assumed, next);
    } while (assumed != old);
}
__global__ void add() {
    const int t = threadIdx.x & 31;
    add_by_bits(&by_bits[t], __float2half(0.5f));
    add_by_word(&by_word[t], __float2half(0.5f));
    atomicAdd(&pairs[t >> 1], t & 1 ? __floats2half2_rn(0.f, 0.5f) : __floats2half2_rn(0.5f, 0.f));
    atomicAdd(&coarse[t >> 1], __floats2bfloat162_rn(0.25f, 0.25f));
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = i & 31;
    if (i >= n) return;
    const float2 p = __half22float2(pairs[t >> 1]), c = __bfloat1622float2(coarse[t >> 1]);
    const bool good = __half2float(by_bits[t]) == 4.f && __half2float(by_word[t]) == 4.f && p.x == 4.f && p.y == 4.f &&
                      c.x == 4.f && c.y == 4.f;
    out[i] = a[i] + good;
}
extern "C" void launch(const float* a, float* out, int n) {
    const char zeros[64] = {};
    cudaMemcpyToSymbol(by_bits, zeros, 64); cudaMemcpyToSymbol(by_word, zeros, 64);
    cudaMemcpyToSymbol(pairs, zeros, 64); cudaMemcpyToSymbol(coarse, zeros, 64);
    add<<<2, 128>>>();
    k<<<(n + 127) / 128, 128>>>(a, out, n);
}
