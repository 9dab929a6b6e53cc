// One thread of a group computes for all.
#include <cooperative_groups.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ int count;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) count = 0;
    block.sync();
    cooperative_groups::invoke_one(block, [&] { atomicAdd(&count, 1); });
    const int seven = cooperative_groups::invoke_one_broadcast(cooperative_groups::tiled_partition<32>(block), [] { return 7; });
    block.sync();
    const bool ok = count == 1 && seven == 7;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
