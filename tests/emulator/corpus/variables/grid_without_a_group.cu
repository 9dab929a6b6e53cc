// A grid group is not made by its name.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void add_one(const float* a, float* out, int n) {
    cg::grid_group b;
    b.sync();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
