// scale: out = alpha * x, twice: with a number of the host's, and with a number that lies on the device.
//
//   a thread's share   one pack: 16 bytes where the addresses allow it
//   arithmetic         in float32, rounded once at the end
//   block size         256 threads
#include "elementwise.cuh"

using elementwise::from_float;
using elementwise::to_float;

// A functor may have members: they travel with the launch.
struct Scale {
    float alpha;
    template <typename T>
    __device__ T operator()(T x) const {
        return from_float<T>(alpha * to_float(x));
    }
};

// The host does not know a number that another kernel has computed. The factory reads it on the device and
// returns the functor: nobody has to wait for a copy to the host.
struct ScaleFromDevice {
    const float* alpha;
    __device__ Scale operator()() const { return Scale{*alpha}; }
};

extern "C" void scale(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, float alpha, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Scale{alpha}, n, out, x, {stream, block_size, waves});
}

extern "C" void scale_f16(const half* x,  // [n]
                          half* out,      // [n]
                          int64_t n, float alpha,
                          int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Scale{alpha}, n, out, x, {stream, block_size, waves});
}

extern "C" void scale_bf16(const __nv_bfloat16* x,  // [n]
                           __nv_bfloat16* out,      // [n]
                           int64_t n, float alpha,
                           int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(Scale{alpha}, n, out, x, {stream, block_size, waves});
}

extern "C" void scale_by(const float* x,      // [n]
                         const float* alpha,  // [1]
                         float* out,          // [n]
                         int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(ScaleFromDevice{alpha}, n, out, x, {stream, block_size, waves});
}

extern "C" void scale_by_f16(const half* x,       // [n]
                             const float* alpha,  // [1]
                             half* out,           // [n]
                             int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(ScaleFromDevice{alpha}, n, out, x, {stream, block_size, waves});
}

extern "C" void scale_by_bf16(const __nv_bfloat16* x,  // [n]
                              const float* alpha,      // [1]
                              __nv_bfloat16* out,      // [n]
                              int64_t n, int block_size = 256, int waves = 0, cudaStream_t stream = 0) {
    elementwise::unary(ScaleFromDevice{alpha}, n, out, x, {stream, block_size, waves});
}
