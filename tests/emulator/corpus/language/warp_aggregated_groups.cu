// Keys of a warp counted by match, by reductions of a warp, by the n-th set bit, and by labelled groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, key = lane % 5;
    const unsigned all = 0xffffffffu, same = __match_any_sync(all, key);
    int uniform = 0;
    const unsigned whole = __match_all_sync(all, blockIdx.x, &uniform);
    const int count = __popc(same), leader = __ffs(same) - 1;
    const unsigned last = __fns(same, 31, -1);
    const unsigned ors = __reduce_or_sync(all, 1u << lane), least = __reduce_min_sync(all, static_cast<unsigned>(lane + 3));
    const int sum = __reduce_add_sync(same, lane), most = __reduce_max_sync(all, -lane);
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto mine = cg::labeled_partition(warp, key);
    const int by_group = cg::reduce(mine, lane, cg::plus<int>());
    const int before = cg::exclusive_scan(mine, 1);
    auto odd = cg::binary_partition(warp, lane & 1);
    bool good = uniform && whole == all && count == static_cast<int>(mine.size()) && leader == key && ors == all;
    good &= least == 3 && most == 0 && sum == by_group && before == lane / 5 && mine.thread_rank() == lane / 5;
    good &= odd.size() == 16 && last == 31 - __clz(same) && odd.shfl(lane, 3) == 6 + (lane & 1);
    if (i < n) out[i] = a[i] + good;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 127) / 128, 128>>>(a, out, n); }
