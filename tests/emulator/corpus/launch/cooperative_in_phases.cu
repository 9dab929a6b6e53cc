// A cooperative launch by cudaLaunchKernelExC: partial sums, a wait of the grid, a correction.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__device__ double partial[64];
__global__ void k(const float* a, float* out, int n) {
    const cg::grid_group grid = cg::this_grid();
    const cg::thread_block block = cg::this_thread_block();
    __shared__ double sums[8];
    auto warp = cg::tiled_partition<32>(block);
    double mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.num_threads()) mine += a[i];
    mine = cg::reduce(warp, mine, cg::plus<double>());
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = mine;
    block.sync();
    if (block.thread_rank() == 0) {
        double s = 0;
        for (unsigned j = 0; j < warp.meta_group_size(); ++j) s += sums[j];
        partial[grid.block_rank()] = s;
    }
    grid.sync();
    double all = 0;
    for (unsigned j = 0; j < grid.num_blocks(); ++j) all += partial[j];
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        out[i] = static_cast<float>(a[i] + (all >= 0 ? 1 : 0));
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(4);
    config.blockDim = dim3(16, 8);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    void* args[] = {&a, &out, &n};
    cudaLaunchKernelExC(&config, (const void*)k, args);
}
