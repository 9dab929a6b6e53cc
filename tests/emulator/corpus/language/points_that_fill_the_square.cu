// Points of Halton's sequence, the share of those in a quarter circle by a reduction of groups, and a shift of Cranley and Patterson.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
template <unsigned kBase> __device__ float inverse(unsigned i) {
    float result = 0.0f, digit = 1.0f / kBase;
    for (; i; i /= kBase, digit /= kBase) result += digit * (i % kBase);
    return result;
}
__device__ float2 shifted(unsigned i, float2 by) {
    float whole;
    return {modff(inverse<2>(i) + by.x, &whole), modff(inverse<3>(i) + by.y, &whole)};
}
__global__ void inside(int* count, int points, float2 by) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int mine = 0;
    for (unsigned i = cg::this_grid().thread_rank(); i < points; i += cg::this_grid().size()) {
        const float2 p = shifted(i, by);
        mine += p.x * p.x + p.y * p.y < 1.0f;
    }
    mine = cg::reduce(warp, mine, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(count, mine);
}
__global__ void finish(const float* a, float* out, int n, const int* count, int points) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float pi = 4.0f * *count / points;
    if (i < n) out[i] = a[i] + (fabsf(pi - 3.14159265f) < 0.02f ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    int* count;
    constexpr int points = 8192;
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    inside<<<8, 64>>>(count, points, {0.25f, 0.5f});
    finish<<<(n + 255) / 256, 256>>>(a, out, n, count, points);
    cudaFree(count);
}
