// Cooperative groups that are a block, or a warp of it, and are written otherwise; and some that are not.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define LAUNCH(name) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        name##_kernel<<<3, dim3(threads / 2, 2), 0, static_cast<cudaStream_t>(stream)>>>(x, out); \
    }

__device__ float over_warp(const cg::thread_block_tile<32>& warp, float v) {
    for (int d = warp.size() / 2; d > 0; d /= 2) v += warp.shfl_xor(v, d);
    return v + warp.shfl(v, warp.thread_rank() + 1) + warp.any(v > 1.0f) + warp.ballot(v > 0.0f) % 7;
}
__device__ float over_block(cg::thread_block block, float* cells, float v) {
    const int t = block.thread_rank();
    cells[t] = v;
    block.sync();
    for (int d = block.size() / 2; d > 0; d /= 2) {
        if (t < d) cells[t] += cells[t + d];
        cg::sync(block);
    }
    return cells[0] + block.group_index().x + block.thread_index().y * block.dim_threads().x;
}
__device__ int place() { return blockIdx.x * cg::this_thread_block().size() + cg::this_thread_block().thread_rank(); }

__global__ void warps_kernel(const float* x, float* out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float v = over_warp(warp, x[place()]);
    warp.sync();
    v += warp.shfl_down(v, 3) * warp.meta_group_rank() + warp.shfl_up(2, 40) + warp.meta_group_size();
    out[place()] = v;
}
LAUNCH(warps)

__global__ void blocks_kernel(const float* x, float* out) {
    __shared__ float cells[1024];
    auto block = cg::this_thread_block();
    float v = over_block(block, cells, x[place()]);
    out[place()] = v;
}
LAUNCH(blocks)

__global__ void reduced_kernel(const float* x, float* out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float v = x[place()];
    float sum = cg::reduce(warp, v * v, cg::plus<float>());
    v = cg::reduce(warp, v, cg::greater<float>{}) - cg::reduce(warp, v, cg::less<float>());
    out[place()] = v + sum;
}
LAUNCH(reduced)

// Tiles of 16, and a group whose kind is not known, stay.
__device__ float any_group(cg::thread_group group, float* cells, float v) {
    cells[group.thread_rank()] = v;
    group.sync();
    return cells[group.size() - 1 - group.thread_rank()];
}
__global__ void others_kernel(const float* x, float* out) {
    __shared__ float cells[1024];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    float v = x[place()];
    v += tile.shfl_xor(v, 8);
    out[place()] = v + any_group(block, cells, v);
}
LAUNCH(others)

// A function that is given a warp here and a part of one there keeps its group.
__device__ float first_of(const cg::thread_block_tile<32>& warp, float v) { return warp.shfl(v, 0); }
__global__ void parts_kernel(const float* x, float* out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto lanes = cg::coalesced_threads();
    auto part = cg::tiled_partition<32>(lanes);
    float v = x[place()] + first_of(warp, x[place()]) * first_of(part, 2.0f);
    out[place()] = v;
}
LAUNCH(parts)
