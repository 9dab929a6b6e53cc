// add: out = a + b, made from the template.
//
//   a thread's share   one pack: 16 bytes of each operand where their addresses allow it
//   arithmetic         16-bit numbers in pairs, __hadd2
//   block size         256 threads
#include "elementwise.cuh"

struct Add {
    __device__ float operator()(float a, float b) const { return a + b; }
    __device__ __half operator()(__half a, __half b) const { return __hadd(a, b); }
    __device__ __half2 Apply2(__half2 a, __half2 b) const { return __hadd2(a, b); }
    __device__ __nv_bfloat16 operator()(__nv_bfloat16 a, __nv_bfloat16 b) const { return __hadd(a, b); }
    __device__ __nv_bfloat162 Apply2(__nv_bfloat162 a, __nv_bfloat162 b) const { return __hadd2(a, b); }
};

extern "C" void add(const float* a,  // [n]
                    const float* b,  // [n]
                    float* out,      // [n]
                    int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::binary(Add{}, n, out, a, b, {stream, block_size, waves});
}

extern "C" void add_f16(const half* a,  // [n]
                        const half* b,  // [n]
                        half* out,      // [n]
                        int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::binary(Add{}, n, out, a, b, {stream, block_size, waves});
}

extern "C" void add_bf16(const __nv_bfloat16* a,  // [n]
                         const __nv_bfloat16* b,  // [n]
                         __nv_bfloat16* out,      // [n]
                         int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::binary(Add{}, n, out, a, b, {stream, block_size, waves});
}
