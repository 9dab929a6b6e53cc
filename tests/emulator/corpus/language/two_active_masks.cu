// Lanes of two branches ask in one line which lanes are there.
#include <cooperative_groups.h>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const bool third = threadIdx.x % 32 < 3;
    const unsigned lanes = third ? __activemask() : ~__activemask();
    unsigned size = 0;
    if (third) size = cooperative_groups::coalesced_threads().size(); else size = 10 + cooperative_groups::coalesced_threads().size();
    const bool ok = lanes == 7u && size == (third ? 3u : 39u);
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
