// Byte packs: operators on one-byte types, with at most 8 or at most 16 elements a pack.
//
//   a thread's share   one pack: 8 or 16 bytes of int8; 8 bytes of fp8 that become 16 of float16
//   block size         256 threads
#include <cuda_fp8.h>

#include "elementwise.cuh"

struct Relu {
    __device__ int8_t operator()(int8_t x) const { return x > 0 ? x : static_cast<int8_t>(0); }
};

// fp8 (e4m3: 1 sign, 4 exponent, 3 fraction bits) comes as its bits, one byte an element.
struct FromE4M3 {
    __device__ __half operator()(uint8_t bits) const { return __half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)); }
};

// As elementwise::unary, with packs of at most kMost elements.
template <int kMost, typename F, typename R, typename A>
void unary_up_to(const F& f, int64_t n, R* out, const A* x, const elementwise::Launch& launch) {
    constexpr int kWidest = elementwise::max_width<R, A>() < kMost ? elementwise::max_width<R, A>() : kMost;
    const int fitting = elementwise::pack_width(out, x);
    if (n > 0) elementwise::launch_width<kWidest>(fitting < kWidest ? fitting : kWidest, launch, f, n, out, x);
}

extern "C" void relu_8(const int8_t* x,  // [n]
                       int8_t* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    unary_up_to<8>(Relu{}, n, out, x, {stream, block_size});
}

extern "C" void relu_16(const int8_t* x,  // [n]
                        int8_t* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    unary_up_to<16>(Relu{}, n, out, x, {stream, block_size});
}

extern "C" void from_e4m3(const uint8_t* x,  // [n]
                          half* out,         // [n]
                          int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    elementwise::unary(FromE4M3{}, n, out, x, {stream, block_size});
}
