// C = A + B in float32 with 1, 2 or 4 elements a thread: so the bytes of a block can be set in two ways, by its
// threads and by what each of them takes.
//
//   a thread's share   1, 2 or 4 elements: the launcher's name says it
//   global loads       one load of 4, 8 or 16 bytes from a, one from b
//   block size         256 threads (256, 512 or 1,024 elements)
#include <cuda_runtime.h>

#include <cstdint>

__device__ float sum(float x, float y) { return x + y; }
__device__ float2 sum(float2 x, float2 y) { return make_float2(x.x + y.x, x.y + y.y); }
__device__ float4 sum(float4 x, float4 y) { return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w); }

template <typename Pack>
__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int64_t n) {
    constexpr int kWidth = sizeof(Pack) / sizeof(float);
    const int64_t i = kWidth * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i + kWidth <= n) {
        *reinterpret_cast<Pack*>(out + i) =
            sum(*reinterpret_cast<const Pack*>(a + i), *reinterpret_cast<const Pack*>(b + i));
    } else {
#pragma unroll 1  // the tail is rare: keep its loop short
        for (int64_t k = i; k < n; ++k) out[k] = a[k] + b[k];
    }
}

template <typename Pack>
static void launch(const float* a, const float* b, float* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t per_block = block_size * sizeof(Pack) / sizeof(float);
    add<Pack><<<static_cast<unsigned>((n + per_block - 1) / per_block), block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void add_1(const float* a,  // [n]
                      const float* b,  // [n]
                      float* out,      // [n]
                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    launch<float>(a, b, out, n, block_size, stream);
}

extern "C" void add_2(const float* a,  // [n] 8-byte aligned
                      const float* b,  // [n] 8-byte aligned
                      float* out,      // [n] 8-byte aligned
                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    launch<float2>(a, b, out, n, block_size, stream);
}

extern "C" void add_4(const float* a,  // [n] 16-byte aligned
                      const float* b,  // [n] 16-byte aligned
                      float* out,      // [n] 16-byte aligned
                      int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    launch<float4>(a, b, out, n, block_size, stream);
}
