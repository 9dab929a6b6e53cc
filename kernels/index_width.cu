// Index width: the same addition with an index of 64 bits, which is right, and with one of 32, which is not.
//
//   a thread's share   one element
//   block size         256 threads
//   wrong on purpose   add_int, beyond 2^31 elements
#include <cuda_runtime.h>

#include <cstdint>

template <typename Index>
__global__ void add_f32(const float* a, const float* b, float* out, int64_t n) {
    const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

template <typename Index>
void launch(const float* a, const float* b, float* out, int64_t n, int block_size, cudaStream_t stream) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    add_f32<Index><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);
}

extern "C" void add_int64(const float* a,  // [n]
                          const float* b,  // [n]
                          float* out,      // [n]
                          int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    launch<int64_t>(a, b, out, n, block_size, stream);
}

extern "C" void add_int(const float* a,  // [n]
                        const float* b,  // [n]
                        float* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    launch<int>(a, b, out, n, block_size, stream);
}
