// CUB has no operators of its own any more.
#include <cub/cub.cuh>
#include <cstdint>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        using R = cub::BlockReduce<float, 256>; __shared__ typename R::TempStorage t; float s = R(t).Reduce(0.0f, cub::Sum()); out[i] = a[i] + 1;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
