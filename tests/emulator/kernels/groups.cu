// Cooperative groups, barriers, asynchronous copies and a part of CUB; each kernel writes what NumPy can tell, too.
#pragma nv_diag_suppress static_var_with_dynamic_init

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// Seven rows of 96: ranks of nested tiles.
__global__ void tiles(int* out) {
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const cg::thread_block_tile<4> four = cg::tiled_partition<4>(warp);
    cg::thread_block_tile<8> of_block = cg::tiled_partition<8>(block);
    const cg::thread_group any = cg::tiled_partition(block, 16);
    int* o = out + block.thread_rank();
    o[0] = four.meta_group_rank();
    o[96] = four.meta_group_size();
    o[192] = of_block.meta_group_rank();
    o[288] = of_block.meta_group_size();
    o[384] = any.thread_rank() * 100 + any.size();
    o[480] = warp.meta_group_rank() * 10 + warp.meta_group_size();
    o[576] = four.shfl(static_cast<int>(block.thread_rank()), 1) + four.thread_rank() * 1000;
}
// Six rows of 64.
__global__ void partitions(int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int t = threadIdx.x, lane = t % 32;
    int* o = out + t;
    const auto odd = cg::binary_partition(cg::coalesced_threads(), lane % 2);
    o[0] = cg::reduce(odd, lane, cg::plus<int>());
    const auto third = cg::labeled_partition(cg::coalesced_threads(), lane % 3);
    o[64] = third.size() * 100 + third.thread_rank();
    o[128] = cg::inclusive_scan(warp, t);
    o[192] = cg::exclusive_scan(warp, t);
    o[256] = cg::inclusive_scan(warp, (t * 37) % 64, cg::greater<int>());
    o[320] = cg::reduce(warp, (t * 37) % 64, cg::less<int>());
}
// Every block adds the sums of all blocks, which they write before the grid's barrier.
__global__ void whole_grid(const float* x, float* sums, float* out, int64_t n) {
    const auto grid = cg::this_grid();
    const int64_t i = static_cast<int64_t>(grid.thread_rank());
    using Reduce = cub::BlockReduce<float, 64>;
    __shared__ typename Reduce::TempStorage storage;
    const float sum = Reduce(storage).Sum(i < n ? x[i] : 0.0f);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    grid.sync();
    float total = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) total += sums[b];
    if (i < n) out[i] = x[i] / total;
}
__global__ void copies(const float* x, float* out) {
    __shared__ float a[128], b[128], c[128], d[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    cg::memcpy_async(block, a, x, sizeof a);
    cg::wait(block);
    if (t == 0) init(&arrived, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, b, x, cuda::aligned_size_t<4>(sizeof b), arrived);
    arrived.arrive_and_wait();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, c, x, sizeof c, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __pipeline_memcpy_async(d + t, x + t, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const int other = 127 - t;
    out[t] = a[other] + 2 * b[other] + 4 * c[other] + 8 * d[other];
    pipe.consumer_release();
    arrived.wait(arrived.arrive());
}
// Five rows of 128.
__global__ void collectives(const int* x, int* out) {
    using Scan = cub::BlockScan<int, 128>;
    using Warp = cub::WarpReduce<int>;
    __shared__ union {
        typename Scan::TempStorage scan;
        typename cub::BlockReduce<int, 128>::TempStorage reduce;
    } storage;
    __shared__ typename Warp::TempStorage of_warp[4];
    const int t = threadIdx.x;
    int sum, before, total;
    Scan(storage.scan).InclusiveSum(x[t], sum);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(x[t], before, total);
    __syncthreads();
    const int most = cub::BlockReduce<int, 128>(storage.reduce).Reduce(x[t], [](int a, int b) { return a < b ? b : a; });
    const int of_lanes = Warp(of_warp[t / 32]).Sum(x[t]);
    out[t] = sum;
    out[128 + t] = before;
    out[256 + t] = total;
    if (t == 0) out[384] = most;
    if (t % 32 == 0) out[512 + t] = of_lanes;
}
// Neighbouring warps meet three times, each two at a barrier of their own.
__global__ void named(const int* x, int* out, int64_t first, int64_t count) {
    __shared__ int s[128];
    const int t = threadIdx.x, barrier = static_cast<int>(first) + t / 64, threads = static_cast<int>(count);
    for (int round = 0; round < 3; ++round) {
        s[t] = x[t] + round;
        asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
        out[128 * round + t] = s[t ^ 32];
        __barrier_sync_count(barrier, threads);
    }
    __barrier_sync(7);
}
struct Wide {
    double sum;
    int first, last;
};
// Tiles of two and four warps: ranks, a shuffle, sums, votes, a tile in them that shuffles 16 bytes. Seven rows of 256.
__global__ void large_tiles(int* out) {
    __shared__ cg::block_tile_memory<256> room;
    const auto block = cg::this_thread_block(room);
    const auto four = cg::tiled_partition<128>(block);
    const auto two = cg::tiled_partition<64>(four);
    const auto eight = cg::tiled_partition<8>(two);
    const int t = threadIdx.x;
    int* o = out + t;
    o[0] = four.thread_rank() * 10 + four.meta_group_rank();
    o[256] = two.meta_group_rank() * 10 + two.meta_group_size();
    o[512] = eight.meta_group_rank() * 10 + eight.meta_group_size();
    o[768] = static_cast<int>(2 * two.shfl(0.5 * t, 63));
    o[1024] = cg::reduce(two, t, cg::plus<int>());
    o[1280] = four.any(t == 3) * 2 + four.all(t < 128);
    const Wide near = eight.shfl_xor(Wide{1.0 * t, 0, t}, 1);
    o[1536] = static_cast<int>(near.sum) * 1000 + near.last;
}
// One warp copies, three warps add: by roles, and by the number of producers. Two rows of 96.
__global__ void roles(const float* x, float* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state[2];
    __shared__ float s[2][96];
    const auto block = cg::this_thread_block();
    const int t = static_cast<int>(threadIdx.x) - 32;
    for (int way = 0; way < 2; ++way) {
        const auto role = t < 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
        auto pipe = way ? cuda::make_pipeline(block, &state[1], size_t{32}) : cuda::make_pipeline(block, &state[0], role);
        float sum = 0;
        for (int round = 0; round < 5; ++round) {
            if (t < 0) {
                pipe.producer_acquire();
                for (int k = 0; k < 3; ++k) {
                    const int at = 3 * (t + 32) + k;
                    cuda::memcpy_async(&s[round % 2][at], x + 96 * round + at, sizeof(float), pipe);
                }
                pipe.producer_commit();
            } else {
                pipe.consumer_wait();
                sum += s[round % 2][95 - t];
                pipe.consumer_release();
            }
        }
        if (t >= 0) out[96 * way + t] = sum;
        block.sync();
    }
}
__global__ void not_cooperative() { cg::this_grid().sync(); }

extern "C" void run_tiles(int* out, cudaStream_t stream) { tiles<<<1, 96, 0, stream>>>(out); }
extern "C" void run_partitions(int* out, cudaStream_t stream) { partitions<<<1, 64, 0, stream>>>(out); }
extern "C" void run_grid(const float* x, float* sums, float* out, int64_t n, cudaStream_t stream) {
    int64_t count = n;
    void* arguments[] = {&x, &sums, &out, &count};
    cudaLaunchCooperativeKernel((void*)whole_grid, dim3((n + 63) / 64), dim3(64), arguments, 0, stream);
}
extern "C" void run_copies(const float* x, float* out, cudaStream_t stream) { copies<<<1, 128, 0, stream>>>(x, out); }
extern "C" void run_collectives(const int* x, int* out, cudaStream_t stream) { collectives<<<1, 128, 0, stream>>>(x, out); }
extern "C" void run_not_cooperative(cudaStream_t stream) { not_cooperative<<<1, 32, 0, stream>>>(); }
extern "C" void run_large_tiles(int* out, cudaStream_t stream) { large_tiles<<<1, 256, 0, stream>>>(out); }
extern "C" void run_roles(const float* x, float* out, cudaStream_t stream) { roles<<<1, 128, 0, stream>>>(x, out); }
extern "C" void run_named(const int* x, int* out, int64_t first, int64_t count, cudaStream_t stream) {
    named<<<2, 128, 0, stream>>>(x, out, first, count);
}
