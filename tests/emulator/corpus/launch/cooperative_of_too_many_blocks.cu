// A cooperative launch of more blocks than can be on the GPU at once.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
__global__ void __launch_bounds__(1024) k(const float* a, float* out, int n) {
    auto grid = cooperative_groups::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = a[i];
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] += 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    void* args[] = {&a, &out, &n};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(k), dim3(100000), dim3(1024), args, 0, nullptr);
}
