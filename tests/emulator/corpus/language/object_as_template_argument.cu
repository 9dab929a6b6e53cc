// An object of a class as a template argument needs C++20.
#include <cuda_runtime.h>
struct Tile { int rows, columns; };
template <Tile T> __global__ void k(const float* a, float* out, int n) {
    __shared__ float s[T.rows * T.columns];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0.f;
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<Tile{8, 32}><<<(n + 255) / 256, 256>>>(a, out, n); }
