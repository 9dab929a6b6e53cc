// Step 6: Apply2. The same square twice with the finished template: one number at a time, and in pairs.
//
//   a thread's share   one pack of 16 bytes, 8 float16
//   arithmetic         Singles: 8 multiplications. Pairs: 4, of two numbers each (__hmul2)
//   block size         256 threads
#include "elementwise.cuh"

struct Singles {
    __device__ __half operator()(__half x) const { return __hmul(x, x); }
};

struct Pairs {
    __device__ __half operator()(__half x) const { return __hmul(x, x); }
    __device__ __half2 Apply2(__half2 x) const { return __hmul2(x, x); }
};

extern "C" void square_singles(const half* x,  // [n]
                               half* out,      // [n]
                               int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    elementwise::unary(Singles{}, n, out, x, {stream, block_size});
}

extern "C" void square_pairs(const half* x,  // [n]
                             half* out,      // [n]
                             int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    elementwise::unary(Pairs{}, n, out, x, {stream, block_size});
}
