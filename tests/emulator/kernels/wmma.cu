// Products of a warp's matrices: shapes, layouts, types, elements by index, and what must be a fault.
#include <cuda_bf16.h>
#include <mma.h>

#include <cstdint>

using namespace nvcuda;

// One tile: A is m x 16, B 16 x n; D = A B + C.
template <int m, int n, typename T, typename Sum, typename LayoutA, typename LayoutB>
__global__ void tile(const T* a, const T* b, const Sum* c, Sum* d) {
    constexpr bool kByRowA = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool kByRowB = std::is_same<LayoutB, wmma::row_major>::value;
    wmma::fragment<wmma::matrix_a, m, n, 16, T, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, m, n, 16, T, LayoutB> fb;
    wmma::fragment<wmma::accumulator, m, n, 16, Sum> fc, fd;
    wmma::load_matrix_sync(fa, a, kByRowA ? 16 : m);
    wmma::load_matrix_sync(fb, b, kByRowB ? n : 16);
    wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(d, fd, m, wmma::mem_col_major);
}

// A product of any length by four warps, through shared memory, with the sum scaled element by element.
__global__ void product(const half* a, const half* b, float* d, int k) {
    __shared__ alignas(32) half sa[2][32 * 16], sb[2][16 * 32];
    const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int from = 0; from < k; from += 16) {
        half *ta = sa[from / 16 % 2], *tb = sb[from / 16 % 2];
        for (int i = threadIdx.x; i < 512; i += 128) {
            ta[i] = a[i / 16 * k + from + i % 16];
            tb[i] = b[(from + i / 32) * 32 + i % 32];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, ta + row * 16, 16);
        wmma::load_matrix_sync(fb, tb + column, 32);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = 2.0f * sum.x[i] + 1.0f;
    wmma::store_matrix_sync(d + row * 32 + column, sum, 32, wmma::mem_row_major);
}

__global__ void wrong(const half* a, float* d, int way) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> g;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(g, __float2half(0.0f));
    wmma::fill_fragment(f, __float2half(0.0f));
    wmma::fill_fragment(sum, 0.0f);
    if (way == 0 && threadIdx.x == 5) return;
    if (way == 1) wmma::load_matrix_sync(f, a, 20);
    if (way == 2) wmma::load_matrix_sync(f, a + 1, 16);
    if (way == 3) wmma::load_matrix_sync(f, a + threadIdx.x / 16 * 256, 16);
    if (way == 4 && threadIdx.x < 16) wmma::load_matrix_sync(f, a, 16);
    wmma::mma_sync(sum, f, g, sum);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

#define TILE(name, m, n, T, Sum, A, B) \
    extern "C" void run_##name(const T* a, const T* b, const Sum* c, Sum* d, cudaStream_t s) { \
        tile<m, n, T, Sum, wmma::A##_major, wmma::B##_major><<<1, 32, 0, s>>>(a, b, c, d); \
    }
TILE(half_float, 16, 16, half, float, row, col)
TILE(half_half, 16, 16, half, half, col, row)
TILE(wide, 32, 8, half, float, row, row)
TILE(tall, 8, 32, half, float, col, col)
TILE(bfloat, 16, 16, __nv_bfloat16, float, row, row)
TILE(bfloat_wide, 32, 8, __nv_bfloat16, float, col, col)
extern "C" void run_product(const half* a, const half* b, float* d, int64_t k, cudaStream_t s) {
    product<<<1, 128, 0, s>>>(a, b, d, static_cast<int>(k));
}
extern "C" void run_wrong(const half* a, float* d, int64_t way, cudaStream_t s) {
    wrong<<<1, way == 5 ? 24 : 32, 0, s>>>(a, d, static_cast<int>(way));
}
