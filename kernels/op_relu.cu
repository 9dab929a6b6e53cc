// relu: out = max(x, 0), made from the template. A NaN stays a NaN, as in PyTorch.
//
//   a thread's share   one pack: 16 bytes where the addresses allow it
//   block size         256 threads
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::to_float;

struct Relu {
    template <typename T>
    __device__ T operator()(T x) const {
        return to_float(x) < 0.0f ? from_float<T>(0.0f) : x;  // false for a NaN
    }
};

extern "C" void relu(const float* x,  // [n]
                     float* out,      // [n]
                     int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Relu{}, n, out, x, {stream, block_size, waves});
}

extern "C" void relu_f16(const half* x,  // [n]
                         half* out,      // [n]
                         int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Relu{}, n, out, x, {stream, block_size, waves});
}

extern "C" void relu_bf16(const __nv_bfloat16* x,  // [n]
                          __nv_bfloat16* out,      // [n]
                          int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Relu{}, n, out, x, {stream, block_size, waves});
}
