// cub::Max and cub::TransformInputIterator, which CUDA 13's CUB no longer has.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
struct Square { __device__ float operator()(float x) const { return x * x; } };
__global__ void k(const float* a, float* out, int n) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage storage;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cub::TransformInputIterator<float, Square, const float*> squares(a, Square{});
    const float most = Reduce(storage).Reduce(i < n ? squares[i] : 0.0f, cub::Max());
    if (i < n) out[i] = a[i] + (threadIdx.x > 0 || most <= 1 ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
