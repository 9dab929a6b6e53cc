// CUB's radix sorts over the whole GPU: keys, floats with their places downwards, some bits only, and a pair of buffers.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void make(unsigned* keys, int* places, signed char* small, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        keys[i] = i * 2654435761u, places[i] = i, small[i] = static_cast<signed char>(i * 77);
    }
}
__global__ void finish(const float* a, float* out, int n, const unsigned* by_bits, const int* at, const float* sorted, const int* order, const signed char* small, const unsigned* all) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool ok = a[order[i]] == sorted[i];
    if (i) {
        ok = ok && (sorted[i] < sorted[i - 1] || (sorted[i] == sorted[i - 1] && order[i] > order[i - 1]));
        const unsigned x = by_bits[i - 1] >> 8 & 15, y = by_bits[i] >> 8 & 15;
        ok = ok && (x < y || (x == y && at[i - 1] < at[i])) && small[i - 1] <= small[i] && all[i - 1] < all[i];
    }
    out[i] = a[i] + (ok && by_bits[i] == at[i] * 2654435761u ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    unsigned *keys, *spare, *all;
    int *places, *spare_places, *order;
    float* sorted;
    signed char *small, *small_sorted;
    cudaMalloc(&keys, n * 4), cudaMalloc(&spare, n * 4), cudaMalloc(&all, n * 4), cudaMalloc(&places, n * 4), cudaMalloc(&spare_places, n * 4);
    cudaMalloc(&order, n * 4), cudaMalloc(&sorted, n * 4), cudaMalloc(&small, n), cudaMalloc(&small_sorted, n);
    make<<<8, 64, 0, stream>>>(keys, places, small, n);
    cub::DoubleBuffer<unsigned> d_keys(keys, spare);
    cub::DoubleBuffer<int> d_values(places, spare_places);
    void* temp = nullptr;
    size_t need[4] = {}, bytes = 0;
    cub::DeviceRadixSort::SortPairsDescending(nullptr, need[0], a, sorted, places, order, n, 0, 32, stream);
    cub::DeviceRadixSort::SortKeys(nullptr, need[1], small, small_sorted, n, 0, 8, stream);
    cub::DeviceRadixSort::SortKeys(nullptr, need[2], keys, all, n, 0, sizeof(unsigned) * 8, stream);
    cub::DeviceRadixSort::SortPairs(nullptr, need[3], d_keys, d_values, n, 8, 12, stream);
    for (size_t one : need) bytes = max(bytes, one);
    cudaMallocAsync(&temp, bytes, stream);
    cub::DeviceRadixSort::SortPairsDescending(temp, bytes, a, sorted, places, order, n, 0, 32, stream);
    cub::DeviceRadixSort::SortKeys(temp, bytes, small, small_sorted, n, 0, 8, stream);
    cub::DeviceRadixSort::SortKeys(temp, bytes, keys, all, n, 0, sizeof(unsigned) * 8, stream);
    cub::DeviceRadixSort::SortPairs(temp, bytes, d_keys, d_values, n, 8, 12, stream);
    cudaFreeAsync(temp, stream);
    finish<<<(n + 63) / 64, 64, 0, stream>>>(a, out, n, d_keys.Current(), d_values.Current(), sorted, order, small_sorted, all);
    cudaStreamSynchronize(stream);
    cudaFree(keys), cudaFree(spare), cudaFree(all), cudaFree(places), cudaFree(spare_places), cudaFree(order), cudaFree(sorted), cudaFree(small), cudaFree(small_sorted);
}
