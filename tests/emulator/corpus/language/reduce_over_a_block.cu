// cg::reduce of a whole block; it takes tiles and coalesced groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void k(const float* a, float* out, int n) {
    const auto block = cg::this_thread_block();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = cg::reduce(block, i < n ? 1 : 0, cg::plus<int>());
    if (i < n) out[i] = a[i] + (count > 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
