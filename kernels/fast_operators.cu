// fast_operators: add, gelu and bias + gelu + residual for PyTorch (helpers/run/pytorch_ops/operators.cpp), by fast.cuh.
//
//   a thread's share   16 bytes of each input, or a tile by the copy engine: fast.cuh's rule chooses
//   arithmetic         sums of 16-bit numbers in pairs; gelu in float32, rounded once at the end
//   block size         by the rule
//
// A launcher returns the error of its launch, which the operator raises.
#include "fast.cuh"

using elementwise::from_float;
using elementwise::to_float;

struct Add {
    static constexpr bool kLight = true;
    template <typename T>
    __device__ T operator()(T a, T b) const {
        return from_float<T>(to_float(a) + to_float(b));
    }
    __device__ __half2 Apply2(__half2 a, __half2 b) const { return __hadd2(a, b); }
    __device__ __nv_bfloat162 Apply2(__nv_bfloat162 a, __nv_bfloat162 b) const { return __hadd2(a, b); }
};

__device__ inline float gelu_of(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f)); }  // v / sqrt(2)

struct Gelu {
    template <typename T>
    __device__ T operator()(T x) const {
        return from_float<T>(gelu_of(to_float(x)));
    }
};

struct BiasGeluResidual {
    template <typename T>
    __device__ T operator()(T x, T bias, T residual) const {
        return from_float<T>(gelu_of(to_float(x) + to_float(bias)) + to_float(residual));
    }
};

template <typename T>
cudaError_t bias_gelu_residual(const T* x, const T* bias, const T* residual, T* out, int64_t rows, int64_t cols,
                               cudaStream_t stream) {
    return fast::transform(BiasGeluResidual{}, rows * cols, out, {stream}, x, elementwise::Row<T>(bias, cols), residual);
}

extern "C" cudaError_t fast_add(const float* a,  // [n]
                                const float* b,  // [n]
                                float* out,      // [n]
                                int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Add{}, n, out, {stream}, a, b);
}

extern "C" cudaError_t fast_add_f16(const half* a,  // [n]
                                    const half* b,  // [n]
                                    half* out,      // [n]
                                    int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Add{}, n, out, {stream}, a, b);
}

extern "C" cudaError_t fast_add_bf16(const __nv_bfloat16* a,  // [n]
                                     const __nv_bfloat16* b,  // [n]
                                     __nv_bfloat16* out,      // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Add{}, n, out, {stream}, a, b);
}

extern "C" cudaError_t fast_gelu(const float* x,  // [n]
                                 float* out,      // [n]
                                 int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Gelu{}, n, out, {stream}, x);
}

extern "C" cudaError_t fast_gelu_f16(const half* x,  // [n]
                                     half* out,      // [n]
                                     int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Gelu{}, n, out, {stream}, x);
}

extern "C" cudaError_t fast_gelu_bf16(const __nv_bfloat16* x,  // [n]
                                      __nv_bfloat16* out,      // [n]
                                      int64_t n, cudaStream_t stream = 0) {
    return fast::transform(Gelu{}, n, out, {stream}, x);
}

extern "C" cudaError_t fast_bias_gelu_residual(const float* x,         // [rows, cols]
                                               const float* bias,      // [cols]
                                               const float* residual,  // [rows, cols]
                                               float* out,             // [rows, cols]
                                               int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    return bias_gelu_residual(x, bias, residual, out, rows, cols, stream);
}

extern "C" cudaError_t fast_bias_gelu_residual_f16(const half* x,         // [rows, cols]
                                                   const half* bias,      // [cols]
                                                   const half* residual,  // [rows, cols]
                                                   half* out,             // [rows, cols]
                                                   int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    return bias_gelu_residual(x, bias, residual, out, rows, cols, stream);
}

extern "C" cudaError_t fast_bias_gelu_residual_bf16(const __nv_bfloat16* x,         // [rows, cols]
                                                    const __nv_bfloat16* bias,      // [cols]
                                                    const __nv_bfloat16* residual,  // [rows, cols]
                                                    __nv_bfloat16* out,             // [rows, cols]
                                                    int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    return bias_gelu_residual(x, bias, residual, out, rows, cols, stream);
}
