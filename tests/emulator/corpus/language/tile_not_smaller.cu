// A tile of a smaller tile.
#include <cooperative_groups.h>
#include <cstdint>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        auto b = cooperative_groups::this_thread_block(); auto t = cooperative_groups::tiled_partition<8>(b); auto u = cooperative_groups::tiled_partition<16>(t); out[i] = a[i];
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
