// cast: float32 to float16 or bfloat16, rounded to nearest even. Types that differ share one pack width.
//
//   a thread's share   one pack: 4 elements, a 16-byte load and an 8-byte store
//   arithmetic         a pair an instruction
//   block size         256 threads
#include "elementwise.cuh"

struct ToHalf {
    __device__ __half operator()(float x) const { return __float2half_rn(x); }
    __device__ __half2 Apply2(float2 x) const { return __float22half2_rn(x); }
};

struct ToBfloat16 {
    __device__ __nv_bfloat16 operator()(float x) const { return __float2bfloat16_rn(x); }
    __device__ __nv_bfloat162 Apply2(float2 x) const { return __float22bfloat162_rn(x); }
};

extern "C" void cast_f16(const float* x,  // [n]
                         half* out,       // [n]
                         int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(ToHalf{}, n, out, x, {stream, block_size, waves});
}

extern "C" void cast_bf16(const float* x,      // [n]
                          __nv_bfloat16* out,  // [n]
                          int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(ToBfloat16{}, n, out, x, {stream, block_size, waves});
}
