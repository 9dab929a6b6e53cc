// fast_cast: float32 to float16 or bfloat16, rounded to nearest even, as fast as the memory (fast.cuh).
//
//   packs   16 bytes in and 8 out, two such packs a thread, 256 threads: 12 KB a block
//   bulk    where L2 does not hold the tensors: tiles of 8 KB by the copy engine, 6 on an SM of an H200
//
// The arguments behind n are for experiments; 0 leaves the choice to the rule (path 1: packs, 2: bulk).
#include "fast.cuh"

struct ToHalf {
    static constexpr bool kLight = true;
    __device__ __half operator()(float x) const { return __float2half_rn(x); }
    __device__ __half2 Apply2(float2 x) const { return __float22half2_rn(x); }
};

struct ToBfloat16 {
    static constexpr bool kLight = true;
    __device__ __nv_bfloat16 operator()(float x) const { return __float2bfloat16_rn(x); }
    __device__ __nv_bfloat162 Apply2(float2 x) const { return __float22bfloat162_rn(x); }
};

extern "C" cudaError_t cast_f16(const float* x,  // [n]
                                half* out,       // [n]
                                int64_t n, int path = 0, int packs = 0, int tiles_per_sm = 0,
                                int programmatic = 0, int streaming = 0, cudaStream_t stream = 0) {
    return fast::transform(ToHalf{}, n, out, {stream, path, packs, tiles_per_sm, programmatic, streaming}, x);
}

extern "C" cudaError_t cast_bf16(const float* x,      // [n]
                                 __nv_bfloat16* out,  // [n]
                                 int64_t n, int path = 0, int packs = 0, int tiles_per_sm = 0,
                                 int programmatic = 0, int streaming = 0, cudaStream_t stream = 0) {
    return fast::transform(ToBfloat16{}, n, out, {stream, path, packs, tiles_per_sm, programmatic, streaming}, x);
}
