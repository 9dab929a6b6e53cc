// gelu: out = x * Phi(x), with Phi the normal distribution's cumulative function, and its tanh approximation.
//
//   a thread's share   one pack: 16 bytes where the addresses allow it
//   arithmetic         in float32, rounded once at the end
//   block size         256 threads
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::to_float;

struct Gelu {
    template <typename T>
    __device__ T operator()(T x) const {
        const float v = to_float(x);
        return from_float<T>(0.5f * v * (1.0f + erff(v * 0.70710678118654752f)));  // v / sqrt(2)
    }
};

// x / 2 * (1 + tanh u) with u = sqrt(2 / pi) * (x + 0.044715 x^3). As (1 + tanh u) / 2 = 1 / (1 + e^-2u), one
// exponential and one division do it, and nothing cancels where tanh u nears -1.
struct GeluTanh {
    template <typename T>
    __device__ T operator()(T x) const {
        const float v = to_float(x);
        const float u2 = 1.5957691216057308f * (v + 0.044715f * v * v * v);
        return from_float<T>(v / (1.0f + expf(-u2)));
    }
};

extern "C" void gelu(const float* x,  // [n]
                     float* out,      // [n]
                     int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Gelu{}, n, out, x, {stream, block_size, waves});
}

extern "C" void gelu_f16(const half* x,  // [n]
                         half* out,      // [n]
                         int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Gelu{}, n, out, x, {stream, block_size, waves});
}

extern "C" void gelu_bf16(const __nv_bfloat16* x,  // [n]
                          __nv_bfloat16* out,      // [n]
                          int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Gelu{}, n, out, x, {stream, block_size, waves});
}

extern "C" void gelu_tanh(const float* x,  // [n]
                          float* out,      // [n]
                          int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(GeluTanh{}, n, out, x, {stream, block_size, waves});
}

extern "C" void gelu_tanh_f16(const half* x,  // [n]
                              half* out,      // [n]
                              int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(GeluTanh{}, n, out, x, {stream, block_size, waves});
}

extern "C" void gelu_tanh_bf16(const __nv_bfloat16* x,  // [n]
                               __nv_bfloat16* out,      // [n]
                               int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(GeluTanh{}, n, out, x, {stream, block_size, waves});
}
