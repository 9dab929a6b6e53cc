// Lanes are parted by a label and by a predicate; each part counts, scans and hands a number on.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const int label = warp.thread_rank() % 3;
    const auto mine = cg::labeled_partition(warp, label);
    const unsigned members = mine.size(), rank = mine.thread_rank();
    const int sum = cg::reduce(mine, label + 1, cg::plus<int>());
    const bool is_odd = warp.thread_rank() & 1;
    const auto half = cg::binary_partition(warp, is_odd);
    const int place = cg::exclusive_scan(half, 1);
    const int most = cg::reduce(half, place, cg::greater<int>());
    const unsigned expected = label == 2 ? 10 : 11;
    bool ok = members == expected && sum == int(expected) * (label + 1) && rank == warp.thread_rank() / 3;
    ok = ok && place == int(warp.thread_rank() / 2) && most == 15 && half.shfl(place, 3) == 3;
    ok = ok && warp.meta_group_rank() == block.thread_rank() / 32 && warp.meta_group_size() == block.size() / 32;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
