// cub::WarpScan.
#include <cub/warp/warp_scan.cuh>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    using S = cub::WarpScan<int>;
    __shared__ S::TempStorage t[8];
    int x = 1, y;
    S(t[threadIdx.x / 32]).ExclusiveSum(x, y);
    if (i < n) out[i] = a[i] + (y == threadIdx.x % 32);
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
