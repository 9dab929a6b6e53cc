// A configuration from a structured binding.
#include <cstdint>

struct Plan {
    dim3 grid, block;
    size_t shared;
};
static Plan plan(int64_t n, int per = 128) { return {dim3(unsigned((n + per - 1) / per)), dim3(per), 0}; }
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    const auto [grid, block, shared] = plan(n);
    k<<<grid, block, shared, stream>>>(a, out, n);
}
