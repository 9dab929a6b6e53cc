// V4 float16 x 2: two elements a thread, moved and added as one half2.
//
//   a thread's share   2 elements
//   global loads       one 4-byte load from a, one from b
//   block size         128 threads (256 elements) in the article
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kWidth = 2;

template <typename T, typename T2>
__global__ void add_f16x2(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t n) {
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
        const T2 x = *reinterpret_cast<const T2*>(a + i);
        const T2 y = *reinterpret_cast<const T2*>(b + i);
        *reinterpret_cast<T2*>(out + i) = __hadd2(x, y);
    } else if (i < n) {
        out[i] = __hadd(a[i], b[i]);  // the tail of an odd count: one element
    }
}

template <typename T, typename T2>
void launch(const T* a, const T* b, T* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t per_block = static_cast<int64_t>(block_size) * kWidth;
    const auto blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    add_f16x2<T, T2><<<blocks, block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void add(const half* a,  // [n] 4-byte aligned
                    const half* b,  // [n] 4-byte aligned
                    half* out,      // [n] 4-byte aligned
                    int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    launch<half, half2>(a, b, out, n, block_size, stream);
}

extern "C" void add_bf16(const __nv_bfloat16* a,  // [n] 4-byte aligned
                         const __nv_bfloat16* b,  // [n] 4-byte aligned
                         __nv_bfloat16* out,      // [n] 4-byte aligned
                         int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    launch<__nv_bfloat16, __nv_bfloat162>(a, b, out, n, block_size, stream);
}
