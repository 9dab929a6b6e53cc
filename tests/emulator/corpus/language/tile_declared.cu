// A tile whose type does not name the group that it is a part of.
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__global__ void k(const float* a, float* out, int64_t n) {
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const float x = warp.shfl(i < n ? a[i] : 0.0f, warp.thread_rank());
    if (i < n) out[i] = x + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
