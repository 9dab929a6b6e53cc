// CUB parts a list over the whole GPU in two and in three: the rest of two parts comes in reverse behind the first.
#include <cub/device/device_partition.cuh>
#include <cuda_runtime.h>
struct Even { __device__ bool operator()(int x) const { return x % 2 == 0; } };
struct Small { __device__ bool operator()(int x) const { return x < 10; } };
struct Large { __device__ bool operator()(int x) const { return x > 40; } };
__global__ void make(int* x, bool* flags, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * 13 % 57, flags[i] = i % 5 < 2;
}
__global__ void finish(const float* a, float* out, int n, const int* x, const int* two, const int* flagged, const int* small, const int* large, const int* rest, const int* counts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int even = 0, odd = 0, on = 0, off = 0, s = 0, l = 0, r = 0;
    bool ok = true;
    for (int j = 0; j < n; ++j) {
        ok = ok && (x[j] % 2 == 0 ? two[even++] == x[j] : two[n - ++odd] == x[j]);
        ok = ok && (j % 5 < 2 ? flagged[on++] == x[j] : flagged[n - ++off] == x[j]);
        ok = ok && (x[j] < 10 ? small[s++] : x[j] > 40 ? large[l++] : rest[r++]) == x[j];
    }
    ok = ok && counts[0] == even && counts[1] == on && counts[2] == s && counts[3] == l;
    out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    int *pool, *counts;
    bool* flags;
    cudaMalloc(&pool, 6 * n * sizeof(int));
    cudaMalloc(&counts, 4 * sizeof(int));
    cudaMalloc(&flags, n * sizeof(bool));
    int *x = pool, *two = pool + n, *flagged = pool + 2 * n, *small = pool + 3 * n, *large = pool + 4 * n, *rest = pool + 5 * n;
    make<<<(n + 255) / 256, 256>>>(x, flags, n);
    size_t bytes[3];
    void* temp[3] = {};
    for (int phase = 0; phase < 2; ++phase) {
        cub::DevicePartition::If(temp[0], bytes[0], x, two, counts, n, Even{});
        cub::DevicePartition::Flagged(temp[1], bytes[1], x, flags, flagged, counts + 1, n);
        cub::DevicePartition::If(temp[2], bytes[2], x, small, large, rest, counts + 2, n, Small{}, Large{});
        for (int i = 0; i < 3 && phase == 0; ++i) cudaMalloc(&temp[i], bytes[i]);
    }
    finish<<<(n + 255) / 256, 256>>>(a, out, n, x, two, flagged, small, large, rest, counts);
    for (void* one : temp) cudaFree(one);
    cudaFree(pool), cudaFree(counts), cudaFree(flags);
}
