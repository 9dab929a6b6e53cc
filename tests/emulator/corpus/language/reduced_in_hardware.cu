// __reduce_*_sync, __match_all_sync, __fns and votes pack the lanes that have something to do.
#include <cuda_runtime.h>
__device__ int nth(unsigned mask, int n) { return static_cast<int>(__fns(mask, 0, n + 1)); }
__global__ void k(const float* a, float* out, int n) {
    const unsigned full = 0xffffffffu, lane = threadIdx.x & 31;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned busy = __ballot_sync(full, lane % 5 == 2);
    const int most = __reduce_max_sync(full, static_cast<int>(lane) - 16);
    const unsigned least = __reduce_min_sync(full, lane + 7u), sum = __reduce_add_sync(full, lane);
    const unsigned bits = __reduce_or_sync(full, 1u << lane), both = __reduce_and_sync(full, lane | 32u);
    const unsigned parity = __reduce_xor_sync(full, lane == 9 ? 5u : 0u);
    int same = 0;
    const unsigned equal = __match_all_sync(full, blockIdx.x + 3, &same);
    int unlike = 1;
    __match_all_sync(full, lane / 31, &unlike);
    bool ok = most == 15 && least == 7 && sum == 496 && bits == full && both == 32 && parity == 5;
    ok = ok && equal == full && same && !unlike && nth(busy, 2) == 12 && __popc(busy) == 6;
    ok = ok && __any_sync(full, lane == 3) && !__all_sync(full, lane < 31) && __uni_sync(full, blockIdx.x == 0);
    if (i < n) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
