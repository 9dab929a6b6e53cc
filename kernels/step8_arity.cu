// Step 8: arity. Any number of inputs, and types that differ: parameter packs make the kernel from the call.
//
//   a thread's share   4 elements of each operand: 16 bytes of float32, 8 of float16, 4 of int8
//   block size         256 threads
#include "elementwise.cuh"

// What a quantised layer does at its end: out = (x + residual) * scale + shift.
struct Dequantise {
    __device__ float operator()(int8_t x, __half residual, float scale, float shift) const {
        return fmaf(static_cast<float>(x) + __half2float(residual), scale, shift);
    }
};

extern "C" void dequantise(const int8_t* x,       // [n]
                           const half* residual,  // [n]
                           const float* scale,    // [n]
                           const float* shift,    // [n]
                           float* out,            // [n]
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    elementwise::transform(Dequantise{}, n, out, {stream, block_size}, x, residual, scale, shift);
}
