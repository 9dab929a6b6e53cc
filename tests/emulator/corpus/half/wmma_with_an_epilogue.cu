// A product of bf16 tiles by wmma; the accumulator is scaled in place, stored by columns and added to.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;
template <int M, int N, int K> struct Tile {
    using A = wmma::fragment<wmma::matrix_a, M, N, K, __nv_bfloat16, wmma::col_major>;
    using B = wmma::fragment<wmma::matrix_b, M, N, K, __nv_bfloat16, wmma::row_major>;
    using C = wmma::fragment<wmma::accumulator, M, N, K, float>;
};
__global__ void k(const float* a, float* out, int n) {
    using T = Tile<32, 8, 16>;
    __shared__ alignas(32) __nv_bfloat16 x[32 * 16], y[16 * 8];
    __shared__ alignas(32) float c[32 * 8];
    for (int i = threadIdx.x; i < 32 * 16; i += 32) x[i] = __float2bfloat16(i % 32 == i / 32 ? 2.0f : 0.0f);
    for (int i = threadIdx.x; i < 16 * 8; i += 32) y[i] = __float2bfloat16(1.0f);
    __syncwarp();
    T::A fa; T::B fb; T::C fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, x, 32);
    wmma::load_matrix_sync(fb, y, 8);
    wmma::mma_sync(fc, fa, fb, fc);
#pragma unroll
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] * 0.5f;
    wmma::store_matrix_sync(c, fc, 32, wmma::mem_col_major);
    __syncwarp();
    // The first 16 rows hold ones, the others zeros.
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
        out[i] = a[i] + c[(i % 8) * 32 + i % 16] + c[(i % 8) * 32 + 16 + i % 16];
}
extern "C" void launch(const float* a, float* out, int n) { k<<<5, 32>>>(a, out, n); }
