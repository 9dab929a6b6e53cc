// V6 float16 x 8, packed: V5's eight elements, but one 16-byte load fills a register array with all of them,
// and one 16-byte store empties it.
//
//   a thread's share   8 elements
//   global loads       one 16-byte load from a, one from b
//   block size         32 threads (256 elements) in the article
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kWidth = 8;
constexpr int kPairs = kWidth / 2;

template <typename T, typename T2>
__global__ void add_f16x8_pack(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                               int64_t n) {
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
        alignas(16) T2 x[kPairs], y[kPairs];  // indexed by constants only, so they live in registers
        *reinterpret_cast<uint4*>(x) = *reinterpret_cast<const uint4*>(a + i);
        *reinterpret_cast<uint4*>(y) = *reinterpret_cast<const uint4*>(b + i);
#pragma unroll
        for (int k = 0; k < kPairs; ++k) x[k] = __hadd2(x[k], y[k]);
        *reinterpret_cast<uint4*>(out + i) = *reinterpret_cast<const uint4*>(x);
    } else {
#pragma unroll 1  // unrolled, the rare tail would raise every thread from 18 registers to over 30
        for (int64_t k = i; k < n; ++k) out[k] = __hadd(a[k], b[k]);
    }
}

template <typename T, typename T2>
void launch(const T* a, const T* b, T* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t per_block = static_cast<int64_t>(block_size) * kWidth;
    const auto blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    add_f16x8_pack<T, T2><<<blocks, block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void add(const half* a,  // [n] 16-byte aligned
                    const half* b,  // [n] 16-byte aligned
                    half* out,      // [n] 16-byte aligned
                    int64_t n, int block_size = 32, cudaStream_t stream = 0) {
    launch<half, half2>(a, b, out, n, block_size, stream);
}

extern "C" void add_bf16(const __nv_bfloat16* a,  // [n] 16-byte aligned
                         const __nv_bfloat16* b,  // [n] 16-byte aligned
                         __nv_bfloat16* out,      // [n] 16-byte aligned
                         int64_t n, int block_size = 32, cudaStream_t stream = 0) {
    launch<__nv_bfloat16, __nv_bfloat162>(a, b, out, n, block_size, stream);
}
