// bias_gelu_residual: out = gelu(x + bias) + residual in one kernel. PyTorch runs three, which move 7 tensors
// through memory (2 + 1, 1 + 1 and 2 + 1, less the small bias); this one moves 3.
//
//   a thread's share   one pack: 16 bytes of x, of residual and of the bias, which stays in the caches
//   arithmetic         in float32, rounded once at the end
//   block size         256 threads
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::to_float;

struct BiasGeluResidual {
    template <typename T>
    __device__ T operator()(T x, T bias, T residual) const {
        const float v = to_float(x) + to_float(bias);
        const float gelu = 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));  // v / sqrt(2)
        return from_float<T>(gelu + to_float(residual));
    }
};

extern "C" void bias_gelu_residual(const float* x,         // [rows, cols]
                                   const float* bias,      // [cols]
                                   const float* residual,  // [rows, cols]
                                   float* out,             // [rows, cols]
                                   int64_t rows, int64_t cols,
                                   int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    const elementwise::Row<float> row{bias, cols};
    elementwise::ternary(BiasGeluResidual{}, rows * cols, out, x, row, residual, {stream, block_size, waves});
}

extern "C" void bias_gelu_residual_f16(const half* x,         // [rows, cols]
                                       const half* bias,      // [cols]
                                       const half* residual,  // [rows, cols]
                                       half* out,             // [rows, cols]
                                       int64_t rows, int64_t cols,
                                       int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    const elementwise::Row<half> row{bias, cols};
    elementwise::ternary(BiasGeluResidual{}, rows * cols, out, x, row, residual, {stream, block_size, waves});
}

extern "C" void bias_gelu_residual_bf16(const __nv_bfloat16* x,         // [rows, cols]
                                        const __nv_bfloat16* bias,      // [cols]
                                        const __nv_bfloat16* residual,  // [rows, cols]
                                        __nv_bfloat16* out,             // [rows, cols]
                                        int64_t rows, int64_t cols,
                                        int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    const elementwise::Row<__nv_bfloat16> row{bias, cols};
    elementwise::ternary(BiasGeluResidual{}, rows * cols, out, x, row, residual, {stream, block_size, waves});
}
