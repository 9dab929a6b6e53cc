// V5 float16 x 8: eight elements a thread as four half2. All eight loads stand before the first add,
// so that they are in flight together.
//
//   a thread's share   8 elements
//   global loads       four 4-byte loads from a, four from b
//   block size         32 threads (256 elements) in the article
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kWidth = 8;
constexpr int kPairs = kWidth / 2;

template <typename T, typename T2>
__global__ void add_f16x8(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t n) {
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
        T2 x[kPairs], y[kPairs];
#pragma unroll
        for (int k = 0; k < kPairs; ++k) x[k] = reinterpret_cast<const T2*>(a + i)[k];
#pragma unroll
        for (int k = 0; k < kPairs; ++k) y[k] = reinterpret_cast<const T2*>(b + i)[k];
#pragma unroll
        for (int k = 0; k < kPairs; ++k) reinterpret_cast<T2*>(out + i)[k] = __hadd2(x[k], y[k]);
    } else {
#pragma unroll 1  // unrolled, the rare tail would raise every thread from 18 registers to over 30
        for (int64_t k = i; k < n; ++k) out[k] = __hadd(a[k], b[k]);
    }
}

template <typename T, typename T2>
void launch(const T* a, const T* b, T* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t per_block = static_cast<int64_t>(block_size) * kWidth;
    const auto blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    add_f16x8<T, T2><<<blocks, block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void add(const half* a,  // [n] 4-byte aligned
                    const half* b,  // [n] 4-byte aligned
                    half* out,      // [n] 4-byte aligned
                    int64_t n, int block_size = 32, cudaStream_t stream = 0) {
    launch<half, half2>(a, b, out, n, block_size, stream);
}

extern "C" void add_bf16(const __nv_bfloat16* a,  // [n] 4-byte aligned
                         const __nv_bfloat16* b,  // [n] 4-byte aligned
                         __nv_bfloat16* out,      // [n] 4-byte aligned
                         int64_t n, int block_size = 32, cudaStream_t stream = 0) {
    launch<__nv_bfloat16, __nv_bfloat162>(a, b, out, n, block_size, stream);
}
