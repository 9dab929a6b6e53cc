// A group of the thread alone.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename Group>
__device__ float plus(Group g, float x) {
    g.sync();
    return x + float(g.size()) + float(g.thread_rank());
}
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = plus(cg::this_thread(), a[i]);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
