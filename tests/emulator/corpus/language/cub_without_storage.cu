// cub::BlockReduce without its storage.
#include <cub/cub.cuh>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    using R = cub::BlockReduce<float, 256>;
    float s = R().Reduce(1.0f);
    out[i] = a[i] + s;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
