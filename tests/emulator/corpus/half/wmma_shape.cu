// Tensor cores multiply tiles of a few shapes only: 16 x 16 x 32 is none of them.
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void k(const float* a, float* out, int64_t n) {
    wmma::fragment<wmma::accumulator, 16, 16, 32, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f + sum.x[0];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
