// swish: out = x / (1 + e^-x), which PyTorch calls silu. Made from the template.
//
//   a thread's share   one pack: 16 bytes where the addresses allow it
//   arithmetic         in float32, rounded once at the end; float64 in float64, for gradcheck
//   block size         256 threads
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::to_float;

struct Swish {
    __device__ double operator()(double x) const { return x / (1.0 + exp(-x)); }
    template <typename T>
    __device__ T operator()(T x) const {
        const float v = to_float(x);
        return from_float<T>(v / (1.0f + expf(-v)));
    }
};

extern "C" void swish(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Swish{}, n, out, x, {stream});
}

extern "C" void swish_f16(const half* x,  // [n]
                          half* out,      // [n]
                          int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Swish{}, n, out, x, {stream});
}

extern "C" void swish_f64(const double* x,  // [n]
                          double* out,      // [n]
                          int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Swish{}, n, out, x, {stream});
}
