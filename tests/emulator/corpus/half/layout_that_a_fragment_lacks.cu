// A fragment of the first matrix without its layout.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;
__global__ void k(const float* a, float* out, int n) {
    __shared__ alignas(32) __half x[256];
    for (int i = threadIdx.x; i < 256; i += 32) x[i] = __float2half(1.0f / 16);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half> fa;
    wmma::load_matrix_sync(fa, x, 16);
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) out[i] = a[i] + __half2float(fa.x[0]) * 16;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<4, 32>>>(a, out, n); }
