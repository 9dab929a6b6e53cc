// A block sorts by some bits of its keys, downwards, and takes every 256th element.
#include <cub/cub.cuh>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    using Sort = cub::BlockRadixSort<int, 256, 2, int>;
    __shared__ Sort::TempStorage sorting;
    int keys[2], values[2];
    for (int j = 0; j < 2; ++j) {
        values[j] = int(threadIdx.x) * 2 + j;
        keys[j] = (values[j] * 77 % 512 << 4) + values[j] % 16;
    }
    Sort(sorting).SortDescendingBlockedToStriped(keys, values, 4, 13);
    bool ok = true;
    for (int j = 0; j < 2; ++j) ok = ok && keys[j] >> 4 == 511 - int(threadIdx.x) - 256 * j && values[j] * 77 % 512 == keys[j] >> 4;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
