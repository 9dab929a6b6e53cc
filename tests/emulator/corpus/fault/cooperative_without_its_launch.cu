// grid.sync() in a kernel that was launched in the ordinary way.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void k(const float* a, float* out, int n) {
    auto grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[n - 1 - i] = a[i];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] += 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<4, 64>>>(a, out, n); }
