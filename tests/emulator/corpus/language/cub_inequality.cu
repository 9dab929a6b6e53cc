// cub::Inequality went with CUDA 13.
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda_runtime.h>
constexpr int kThreads = 64, kItems = 2;
__global__ void k(const float* a, float* out, int n) {
    using Flags = cub::BlockDiscontinuity<int, kThreads>;
    using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
    using Warp = cub::WarpReduce<int>;
    using Decode = cub::BlockRunLengthDecode<int, kThreads, 1, kItems>;
    __shared__ union { typename Flags::TempStorage flags; typename Scan::TempStorage scan; typename Decode::TempStorage decode; } s;
    __shared__ typename Warp::TempStorage warps[kThreads / 32];
    const int t = threadIdx.x, base = blockIdx.x * kThreads * kItems;
    int keys[kItems] = {t / 3, t / 3}, heads[kItems], ranks[kItems];
    Flags(s.flags).FlagHeads(heads, keys, cub::Inequality());
    __syncthreads();
    int total = 0;
    Scan(s.scan).InclusiveSum(heads, ranks, total);
    __syncthreads();
    bool good = total == (kThreads + 2) / 3 && ranks[0] == t / 3 + 1 && ranks[1] == ranks[0];
    const int in_segment = Warp(warps[t / 32]).HeadSegmentedSum(1, t % 8 == 0);
    good &= t % 8 != 0 || in_segment == 8;
    int run_value[1] = {t}, run_length[1] = {2}, decoded_total = 0;
    Decode decode(s.decode, run_value, run_length, decoded_total);
    int decoded[kItems];
    decode.RunLengthDecode(decoded, 0);
    good &= decoded_total == 2 * kThreads && decoded[0] == t && decoded[1] == t;
    for (int j = 0; j < kItems; ++j) {
        const int i = base + j * kThreads + t;
        if (i < n) out[i] = a[i] + good;
    }
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 127) / 128, kThreads>>>(a, out, n); }
