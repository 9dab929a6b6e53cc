// multiply_add: out = a * b + c, rounded once. Three inputs.
//
//   a thread's share   one pack: 16 bytes of each operand where their addresses allow it
//   arithmetic         16-bit numbers in pairs, __hfma2
//   block size         256 threads
#include "elementwise.cuh"

// GPUs before compute capability 8.0 have no bfloat16 arithmetic. There the result is rounded to odd in float32,
// so that the rounding to bfloat16 gives what a single rounding would.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
__device__ __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    const float x = __bfloat162float(a), y = __bfloat162float(b), z = __bfloat162float(c);
    const float below = __fmaf_rd(x, y, z), above = __fmaf_ru(x, y, z);  // neighbours, unless exact
    return __float2bfloat16_rn(__float_as_uint(below) & 1 ? below : above);
}
__device__ __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return __halves2bfloat162(fused(a.x, b.x, c.x), fused(a.y, b.y, c.y));
}
#else
__device__ __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __hfma(a, b, c); }
__device__ __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __hfma2(a, b, c); }
#endif

struct Fma {
    __device__ float operator()(float a, float b, float c) const { return fmaf(a, b, c); }
    __device__ __half operator()(__half a, __half b, __half c) const { return __hfma(a, b, c); }
    __device__ __half2 Apply2(__half2 a, __half2 b, __half2 c) const { return __hfma2(a, b, c); }
    __device__ __nv_bfloat16 operator()(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) const {
        return fused(a, b, c);
    }
    __device__ __nv_bfloat162 Apply2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) const {
        return fused(a, b, c);
    }
};

extern "C" void multiply_add(const float* a,  // [n]
                             const float* b,  // [n]
                             const float* c,  // [n]
                             float* out,      // [n]
                             int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::ternary(Fma{}, n, out, a, b, c, {stream, block_size, waves});
}

extern "C" void multiply_add_f16(const half* a,  // [n]
                                 const half* b,  // [n]
                                 const half* c,  // [n]
                                 half* out,      // [n]
                                 int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::ternary(Fma{}, n, out, a, b, c, {stream, block_size, waves});
}

extern "C" void multiply_add_bf16(const __nv_bfloat16* a,  // [n]
                                  const __nv_bfloat16* b,  // [n]
                                  const __nv_bfloat16* c,  // [n]
                                  __nv_bfloat16* out,      // [n]
                                  int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::ternary(Fma{}, n, out, a, b, c, {stream, block_size, waves});
}
