// Tensor cores: every element of a tile times the unit matrix, and one added by index.
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void k(const float* a, float* out, int64_t n) {
    __shared__ __align__(32) half unit[256];
    __shared__ __align__(32) float tile[256];
    const int64_t from = blockIdx.x * int64_t{256};
    for (int i = threadIdx.x; i < 256; i += 32) {
        unit[i] = __float2half(i / 16 == i % 16 ? 1.0f : 0.0f);
        tile[i] = from + i < n ? a[from + i] : 0.0f;
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(left, unit, 16);
    wmma::fill_fragment(right, __float2half(0.0f));
    wmma::load_matrix_sync(sum, tile, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += 1.0f;
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256 && from + i < n; i += 32) out[from + i] = tile[i];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 32, 0, stream>>>(a, out, n);
}
