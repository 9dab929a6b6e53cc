// CUB's loads, stores and the scan of a warp.
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>

constexpr int kThreads = 64, kEach = 4;

__global__ void k(const float* a, float* out, int64_t n) {
    using Load = cub::BlockLoad<float, kThreads, kEach, cub::BLOCK_LOAD_STRIPED>;
    using Store = cub::BlockStore<float, kThreads, kEach, cub::BLOCK_STORE_STRIPED>;
    using Scan = cub::WarpScan<int>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan[kThreads / 32];
    } shared;
    const int first = blockIdx.x * kThreads * kEach, count = static_cast<int>(n) - first;
    float mine[kEach];
    Load(shared.load).Load(a + first, mine, count, 0.0f);
    __syncthreads();
    int before;
    Scan scan(shared.scan[threadIdx.x / 32]);
    scan.ExclusiveSum(1, before);
    for (float& x : mine) x += before == static_cast<int>(threadIdx.x % 32) ? 1.0f : 2.0f;
    __syncthreads();
    Store(shared.store).Store(out + first, mine, count);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + kThreads * kEach - 1) / (kThreads * kEach)), kThreads, 0, stream>>>(a, out, n);
}
