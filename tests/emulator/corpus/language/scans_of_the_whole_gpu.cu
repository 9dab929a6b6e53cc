// CUB's scans over the whole GPU: sums in place, a maximum so far, a linear recurrence of pairs, and one that begins with a number.
#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <cuda_runtime.h>
struct Step { unsigned scale, shift; };
struct Compose {  // does not commute
    __device__ Step operator()(Step x, Step y) const { return {x.scale * y.scale, x.shift * y.scale + y.shift}; }
};
__global__ void make(long long* counts, int* heights, Step* steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[i] = i % 3 + (1ll << 33), heights[i] = (i * 193) % 701, steps[i] = {2u * i + 3u, 7u * i};
}
__global__ void finish(const float* a, float* out, int n, const long long* inclusive, const long long* exclusive, const int* top, const Step* all, const int* with) {
    if (blockIdx.x || threadIdx.x) return;
    long long sum = 0;
    int high = -5, low_sum = 100;
    Step now{1u, 0u};
    for (int i = 0; i < n; ++i) {
        bool ok = exclusive[i] == sum && top[i] == high;
        sum += i % 3 + (1ll << 33);
        high = max(high, (i * 193) % 701);
        low_sum += (i * 193) % 701;
        const Step step{2u * i + 3u, 7u * i};
        now = {now.scale * step.scale, now.shift * step.scale + step.shift};
        ok = ok && inclusive[i] == sum && all[i].scale == now.scale && all[i].shift == now.shift && with[i] == low_sum;
        out[i] = a[i] + (ok ? 1.0f : 0.0f);
    }
}
extern "C" void launch(const float* a, float* out, long long n, cudaStream_t stream) {
    long long *counts, *before;
    int *heights, *top, *with;
    Step *steps, *all;
    cudaMalloc(&counts, n * 8), cudaMalloc(&before, n * 8), cudaMalloc(&heights, n * 4), cudaMalloc(&top, n * 4), cudaMalloc(&with, n * 4);
    cudaMalloc(&steps, n * sizeof(Step)), cudaMalloc(&all, n * sizeof(Step));
    make<<<(n + 63) / 64, 64, 0, stream>>>(counts, heights, steps, n);
    size_t need[5] = {}, most = 0;
    cub::DeviceScan::ExclusiveSum(nullptr, need[0], counts, before, n, stream);
    cub::DeviceScan::InclusiveSum(nullptr, need[1], counts, n, stream);
    cub::DeviceScan::ExclusiveScan(nullptr, need[2], heights, top, cuda::maximum<>{}, -5, n, stream);
    cub::DeviceScan::InclusiveScan(nullptr, need[3], steps, all, Compose{}, n, stream);
    cub::DeviceScan::InclusiveScanInit(nullptr, need[4], heights, with, cuda::std::plus<>{}, 100, n, stream);
    for (size_t one : need) most = one > most ? one : most;
    void* temp;
    cudaMalloc(&temp, most);
    cub::DeviceScan::ExclusiveSum(temp, most, counts, before, n, stream);
    cub::DeviceScan::InclusiveSum(temp, most, counts, n, stream);
    cub::DeviceScan::ExclusiveScan(temp, most, heights, top, cuda::maximum<>{}, -5, n, stream);
    cub::DeviceScan::InclusiveScan(temp, most, steps, all, Compose{}, n, stream);
    cub::DeviceScan::InclusiveScanInit(temp, most, heights, with, cuda::std::plus<>{}, 100, n, stream);
    finish<<<1, 32, 0, stream>>>(a, out, n, counts, before, top, all, with);
    cudaStreamSynchronize(stream);
    cudaFree(temp), cudaFree(counts), cudaFree(before), cudaFree(heights), cudaFree(top), cudaFree(with), cudaFree(steps), cudaFree(all);
}
