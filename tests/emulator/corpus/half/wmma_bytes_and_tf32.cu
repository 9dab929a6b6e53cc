// wmma of bytes, added in int, and of tf32.
#include <mma.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    using namespace nvcuda;
    __shared__ alignas(32) signed char bytes[256];
    __shared__ alignas(32) float floats[256];
    __shared__ alignas(32) int sums[256];
    bytes[threadIdx.x] = static_cast<signed char>(int(threadIdx.x) - 128);
    floats[threadIdx.x] = float(threadIdx.x % 7);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> count;
    wmma::load_matrix_sync(x, bytes, 16);
    wmma::fill_fragment(y, 2);
    wmma::fill_fragment(count, 1);
    wmma::mma_sync(count, x, y, count);
    if (threadIdx.x < 32) wmma::store_matrix_sync(sums, count, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> p;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> q;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(p, floats, 8);
    for (int j = 0; j < p.num_elements; ++j) p.x[j] = wmma::__float_to_tf32(p.x[j]);
    wmma::fill_fragment(q, 1.0f);
    wmma::fill_fragment(sum, 0.5f);
    wmma::mma_sync(sum, p, q, sum);
    __syncthreads();
    if (threadIdx.x < 32) wmma::store_matrix_sync(floats, sum, 16, wmma::mem_row_major);
    __syncthreads();
    int bytes_of_row = 0, floats_of_row = 0;
    const int row = threadIdx.x / 16;
    for (int j = 0; j < 16; ++j) bytes_of_row += bytes[16 * row + j];
    for (int j = 0; j < 8; ++j) floats_of_row += (8 * row + j) % 7;
    const bool ok = sums[threadIdx.x] == 2 * bytes_of_row + 1 && floats[threadIdx.x] == float(floats_of_row) + 0.5f;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
