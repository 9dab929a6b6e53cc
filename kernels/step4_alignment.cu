// Step 4: alignment. The pack is as wide as both pointers allow, down to one element; the host chooses.
//
//   a thread's share   one pack: a load of 16, 8, 4 or 2 bytes
//   block size         256 threads
//   does not do        elements that fill no pack
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct Square {
    __device__ float operator()(float x) const { return x * x; }
    __device__ __half operator()(__half x) const { return __hmul(x, x); }
};

// The word that N bytes travel in.
// clang-format off
template <int N> struct WordOf;
template <> struct WordOf<2>  { using Type = uint16_t; };
template <> struct WordOf<4>  { using Type = uint32_t; };
template <> struct WordOf<8>  { using Type = uint2; };
template <> struct WordOf<16> { using Type = uint4; };
// clang-format on

template <int kPack, typename F, typename T>
__global__ void unary_kernel(F f, int64_t n, T* out, const T* x) {
    using Word = typename WordOf<kPack * sizeof(T)>::Type;
    const int64_t p = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= n / kPack) return;
    Word word = reinterpret_cast<const Word*>(x)[p];
    T* element = reinterpret_cast<T*>(&word);
#pragma unroll
    for (int i = 0; i < kPack; ++i) element[i] = f(element[i]);
    reinterpret_cast<Word*>(out)[p] = word;
}

// Tries kPack elements, then half as many, until both pointers are multiples of the pack.
template <int kPack, typename F, typename T>
void unary(F f, int64_t n, T* out, const T* x, int block_size, cudaStream_t stream) {
    const uintptr_t addresses = reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(x);
    if constexpr (kPack > 1) {
        if (addresses % (kPack * sizeof(T))) return unary<kPack / 2>(f, n, out, x, block_size, stream);
    }
    const int64_t blocks = n / kPack / block_size + 1;
    unary_kernel<kPack><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(f, n, out, x);
}

extern "C" void square(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    unary<4>(Square{}, n, out, x, block_size, stream);
}

extern "C" void square_f16(const half* x,  // [n]
                           half* out,      // [n]
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    unary<8>(Square{}, n, out, x, block_size, stream);
}
