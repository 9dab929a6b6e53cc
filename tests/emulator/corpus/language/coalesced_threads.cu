// coalesced_threads in a branch.
#include <cooperative_groups.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    if (i % 3 == 0) {
        auto g = cooperative_groups::coalesced_threads();
        out[i] = a[i] + float(g.size() > 0);
    } else
        out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
