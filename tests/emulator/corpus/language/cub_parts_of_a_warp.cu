// Sums and scans of warps in parts of 8 and of 20 lanes, their storage ordered by __syncwarp.
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <cuda_runtime.h>
template <int kLanes> __device__ bool check(int lane) {
    using Reduce = cub::WarpReduce<int, kLanes>;
    using Scan = cub::WarpScan<int, kLanes>;
    constexpr int parts = kLanes == 8 ? 4 : 1;
    __shared__ union Storage {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } storage[parts];
    Storage& mine = storage[lane / kLanes];
    const unsigned mask = ((1u << kLanes) - 1) << lane / kLanes * kLanes;
    const int rank = lane % kLanes, sum = kLanes * (kLanes - 1) / 2;
    const int first = Reduce(mine.reduce).Sum(rank);
    __syncwarp(mask);
    const int second = Reduce(mine.reduce).HeadSegmentedSum(1, rank % 4 == 0);
    __syncwarp(mask);
    int inclusive, exclusive, before, total, most;
    Scan(mine.scan).Scan(rank, inclusive, exclusive, 0, cuda::std::plus<int>{});
    __syncwarp(mask);
    Scan(mine.scan).ExclusiveSum(rank, before, total);
    __syncwarp(mask);
    Scan(mine.scan).ExclusiveScan(rank, most, -1, [](int x, int y) { return x > y ? x : y; });
    bool ok = rank > 0 || first == sum;
    ok = ok && (rank % 4 || second == 4) && inclusive == rank * (rank + 1) / 2 && exclusive == inclusive - rank;
    return ok && before == exclusive && total == sum && most == rank - 1;
}
__global__ void k(const float* a, float* out, int n) {
    const int lane = threadIdx.x;
    bool ok = check<8>(lane);
    if (lane < 20) ok = ok && check<20>(lane);
    ok = __all_sync(0xffffffffu, ok);
    for (int i = blockIdx.x * 32 + lane; i < n; i += gridDim.x * 32) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<3, 32>>>(a, out, n); }
