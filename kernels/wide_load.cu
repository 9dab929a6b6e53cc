// C = A + B in float16, sixteen elements a thread, as one pack of 32 bytes. Compute capability 10.0 and later
// load it with one instruction; earlier ones, the same text compiled for them, with two of 16 bytes.
//
//   a thread's share   16 elements
//   global loads       one 32-byte load from a, one from b (two 16-byte loads each before 10.0)
//   block size         256 threads (4,096 elements)
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kWidth = 16;
constexpr int kPairs = kWidth / 2;

struct alignas(32) Pack32 {
    uint4 words[2];
};

__global__ void add_f16x16(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ out,
                           int64_t n) {
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
        Pack32 x = *reinterpret_cast<const Pack32*>(a + i);
        const Pack32 y = *reinterpret_cast<const Pack32*>(b + i);
#pragma unroll
        for (int k = 0; k < kPairs; ++k) {
            half2* sum = reinterpret_cast<half2*>(&x) + k;
            *sum = __hadd2(*sum, reinterpret_cast<const half2*>(&y)[k]);
        }
        *reinterpret_cast<Pack32*>(out + i) = x;
    } else {
#pragma unroll 1  // the tail is rare: keep its loop short
        for (int64_t k = i; k < n; ++k) out[k] = __hadd(a[k], b[k]);
    }
}

extern "C" void add(const half* a,  // [n] 32-byte aligned
                    const half* b,  // [n] 32-byte aligned
                    half* out,      // [n] 32-byte aligned
                    int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t per_block = static_cast<int64_t>(block_size) * kWidth;
    const auto blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    add_f16x16<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
