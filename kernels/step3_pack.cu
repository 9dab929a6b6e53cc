// Step 3: packs. 16 bytes travel as one word: 4 float32 or 8 float16, whatever the type.
//
//   a thread's share   one pack: a load of 16 bytes, and another pack a grid further on
//   block size         256 threads
//   does not do        elements that fill no pack; pointers that are no multiple of 16
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct Square {
    __device__ float operator()(float x) const { return x * x; }
    __device__ __half operator()(__half x) const { return __hmul(x, x); }
};

template <typename F, typename T>
__global__ void unary_kernel(F f, int64_t n, T* out, const T* x) {
    constexpr int kPack = 16 / sizeof(T);
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int64_t p = thread; p < n / kPack; p += threads) {
        uint4 word = reinterpret_cast<const uint4*>(x)[p];
        T* element = reinterpret_cast<T*>(&word);
#pragma unroll
        for (int i = 0; i < kPack; ++i) element[i] = f(element[i]);
        reinterpret_cast<uint4*>(out)[p] = word;
    }
}

template <typename F, typename T>
void unary(F f, int64_t n, T* out, const T* x, int block_size, cudaStream_t stream) {
    const int64_t packs = n * static_cast<int64_t>(sizeof(T)) / 16;
    const int64_t blocks = packs / block_size + 1;
    unary_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(f, n, out, x);
}

extern "C" void square(const float* x,  // [n] 16-byte aligned
                       float* out,      // [n] 16-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    unary(Square{}, n, out, x, block_size, stream);
}

extern "C" void square_f16(const half* x,  // [n] 16-byte aligned
                           half* out,      // [n] 16-byte aligned
                           int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    unary(Square{}, n, out, x, block_size, stream);
}
