// Template flags: two promises to the compiler that the article's template makes and the course's does not.
//
//   run_time       the tail is tested by every thread, when the kernel runs
//   flag           two kernels, with and without a tail; the host chooses (`bool tail`)
//   bounds         __launch_bounds__(256): no block will have more threads, so registers need not be saved
//
//   a thread's share   one pack of 8 float16, and perhaps one element of the tail
//   block size         256 threads
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kPack = 8;
constexpr int kBlockSize = 256;

template <bool kTail>
__device__ __forceinline__ void square_packs(int64_t n, __half* out, const __half* x) {
    const int64_t p = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p < n / kPack) {
        uint4 word = reinterpret_cast<const uint4*>(x)[p];
        __half* element = reinterpret_cast<__half*>(&word);
#pragma unroll
        for (int i = 0; i < kPack; ++i) element[i] = __hmul(element[i], element[i]);
        reinterpret_cast<uint4*>(out)[p] = word;
    }
    if constexpr (kTail) {
        const int64_t last = n / kPack * kPack + p;
        if (last < n) out[last] = __hmul(x[last], x[last]);
    }
}

__global__ void run_time(int64_t n, __half* out, const __half* x) { square_packs<true>(n, out, x); }

template <bool kTail>
__global__ void flag(int64_t n, __half* out, const __half* x) {
    square_packs<kTail>(n, out, x);
}

__global__ void __launch_bounds__(kBlockSize) bounds(int64_t n, __half* out, const __half* x) {
    square_packs<true>(n, out, x);
}

static unsigned blocks_for(int64_t n) { return static_cast<unsigned>(n / kPack / kBlockSize + 1); }

extern "C" void square_run_time(const half* x,  // [n] 16-byte aligned
                                half* out,      // [n] 16-byte aligned
                                int64_t n, cudaStream_t stream = 0) {
    run_time<<<blocks_for(n), kBlockSize, 0, stream>>>(n, out, x);
}

extern "C" void square_flag(const half* x,  // [n] 16-byte aligned
                            half* out,      // [n] 16-byte aligned
                            int64_t n, cudaStream_t stream = 0) {
    if (n % kPack) {
        flag<true><<<blocks_for(n), kBlockSize, 0, stream>>>(n, out, x);
    } else {
        flag<false><<<blocks_for(n), kBlockSize, 0, stream>>>(n, out, x);
    }
}

extern "C" void square_bounds(const half* x,  // [n] 16-byte aligned
                              half* out,      // [n] 16-byte aligned
                              int64_t n, cudaStream_t stream = 0) {
    bounds<<<blocks_for(n), kBlockSize, 0, stream>>>(n, out, x);
}
