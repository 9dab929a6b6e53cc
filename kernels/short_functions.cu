// short_functions: tanh, softplus and gelu of halves, by functions.cuh.
//
//   a thread's share   one pack, or what fast.cuh's rule chooses
//   arithmetic         in float32 by functions for results of 16 bits, rounded once at the end
//   block size         by the rule
#include "fast.cuh"
#include "functions.cuh"

using elementwise::from_float;
using elementwise::to_float;

struct Tanh {
    template <typename T>
    __device__ T operator()(T x) const {
        return from_float<T>(functions::tanh<T>(to_float(x)));
    }
};

struct Softplus {
    template <typename T>
    __device__ T operator()(T x) const {
        return from_float<T>(functions::softplus<T>(to_float(x)));
    }
};

struct Gelu {
    template <typename T>
    __device__ T operator()(T x) const {
        return from_float<T>(functions::gelu<T>(to_float(x)));
    }
};

extern "C" cudaError_t short_tanh(const half* x,  // [n]
                                  half* out,      // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Tanh{}, n, out, {stream}, x);
}

extern "C" cudaError_t short_softplus(const half* x,  // [n]
                                      half* out,      // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Softplus{}, n, out, {stream}, x);
}

extern "C" cudaError_t short_gelu(const half* x,  // [n]
                                  half* out,      // [n]
                                  int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Gelu{}, n, out, {stream}, x);
}
