// Uses cooperative_groups::reduce without its header.
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__global__ void k(const float* a, float* out, int64_t n) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const int lanes = cg::reduce(warp, 1, cg::plus<int>());
    if (i < n) out[i] = a[i] + lanes / 32;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
