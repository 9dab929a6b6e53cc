// A block sorts keys with values, and counts.
#include <cub/cub.cuh>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    using Sort = cub::BlockRadixSort<unsigned, 256, 2, int>;
    using Count = cub::BlockHistogram<unsigned char, 256, 1, 4>;
    __shared__ Sort::TempStorage sorting;
    __shared__ Count::TempStorage counting;
    __shared__ unsigned counts[4];
    unsigned keys[2];
    int values[2];
    for (int j = 0; j < 2; ++j) {
        values[j] = int(threadIdx.x) * 2 + j;
        keys[j] = unsigned(values[j]) * 77u % 512;
    }
    Sort(sorting).SortDescending(keys, values);
    unsigned char items[1] = {static_cast<unsigned char>(threadIdx.x % 4)};
    Count(counting).Histogram(items, counts);
    __syncthreads();
    bool ok = counts[2] == 64 && cub::ShuffleUp<32>(int(threadIdx.x % 32), 1, 0, ~0u) == max(int(threadIdx.x % 32) - 1, 0);
    for (int j = 0; j < 2; ++j) ok = ok && keys[j] == 511 - 2 * threadIdx.x - j && unsigned(values[j]) * 77u % 512 == keys[j];
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
