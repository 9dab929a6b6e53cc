// A tile of 16 lanes is made of one of 8.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void k(const float* a, float* out, int n) {
    const auto eight = cg::tiled_partition<8>(cg::this_thread_block());
    const auto sixteen = cg::tiled_partition<16>(eight);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = cg::reduce(sixteen, 1, cg::plus<int>());
    if (i < n) out[i] = a[i] + count / 16;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
