// functor_costs: two operators of halves, with exact arithmetic and with short, made from the template.
//
//   silu        x / (1 + e^-x)                 `/` and expf, or __fdividef and __expf
//   hardswish   x min(max(x + 3, 0), 6) / 6    `/` by a constant, or its reciprocal
//   a thread's share   one pack: 16 bytes where the addresses allow it
//   arithmetic         in float32, rounded once at the end
//   block size         256 threads
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::to_float;

template <bool kShort>
struct Silu {
    template <typename T>
    __device__ T operator()(T in) const {
        const float x = to_float(in);
        return from_float<T>(kShort ? __fdividef(x, 1.0f + __expf(-x)) : x / (1.0f + expf(-x)));
    }
};

template <bool kShort>
struct Hardswish {
    template <typename T>
    __device__ T operator()(T in) const {
        const float x = to_float(in), six_times = x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f);
        return from_float<T>(kShort ? six_times * (1.0f / 6.0f) : six_times / 6.0f);
    }
};

extern "C" void silu_exact(const half* x,  // [n]
                           half* out,      // [n]
                           int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Silu<false>{}, n, out, x, {stream});
}

extern "C" void silu_short(const half* x,  // [n]
                           half* out,      // [n]
                           int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Silu<true>{}, n, out, x, {stream});
}

extern "C" void hardswish_exact(const half* x,  // [n]
                                half* out,      // [n]
                                int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Hardswish<false>{}, n, out, x, {stream});
}

extern "C" void hardswish_short(const half* x,  // [n]
                                half* out,      // [n]
                                int64_t n, cudaStream_t stream = 0) {
    elementwise::unary(Hardswish<true>{}, n, out, x, {stream});
}
