// CUB's histograms over the whole GPU: even bins of floats and of bytes, and bins of unequal widths.
#include <cub/device/device_histogram.cuh>
#include <cuda_runtime.h>
#include <cstdint>
__global__ void make(uint8_t* bytes, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bytes[i] = static_cast<uint8_t>(i * 7);
}
__global__ void finish(const float* a, float* out, int n, const int* even, const unsigned* of_bytes, const int* unequal) {
    __shared__ int bins[8], of_byte[256], parts[3];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) of_byte[i] = 0;
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    if (threadIdx.x < 3) parts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&bins[min(7, static_cast<int>(a[i] * 8.0f))], 1);
        atomicAdd(&of_byte[i * 7 & 255], 1);
        if (a[i] >= 0.125f && a[i] < 0.875f) atomicAdd(&parts[a[i] < 0.25f ? 0 : a[i] < 0.75f ? 1 : 2], 1);
    }
    __syncthreads();
    bool ok = true;
    for (int i = 0; i < 256; ++i) ok = ok && of_byte[i] == of_bytes[i] && bins[i % 8] == even[i % 8] && parts[i % 3] == unequal[i % 3];
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    constexpr int kBins = 8;
    int *even, *unequal;
    unsigned* of_bytes;
    uint8_t* bytes;
    float *levels, chosen[] = {0.125f, 0.25f, 0.75f, 0.875f};
    cudaMalloc(&even, kBins * sizeof(int)), cudaMalloc(&unequal, 3 * sizeof(int)), cudaMalloc(&of_bytes, 256 * sizeof(unsigned));
    cudaMalloc(&bytes, n), cudaMalloc(&levels, sizeof chosen);
    cudaMemcpyAsync(levels, chosen, sizeof chosen, cudaMemcpyHostToDevice, stream);
    make<<<(n + 255) / 256, 256, 0, stream>>>(bytes, n);
    void* temp[3] = {};
    size_t size[3] = {};
    for (bool is_asked : {true, false}) {
        cub::DeviceHistogram::HistogramEven(temp[0], size[0], a, even, kBins + 1, 0.0f, 1.0f, n, stream);
        cub::DeviceHistogram::HistogramEven(temp[1], size[1], bytes, of_bytes, 257, 0, 256, n, stream);
        cub::DeviceHistogram::HistogramRange(temp[2], size[2], a, unequal, 4, levels, n, stream);
        if (!is_asked) break;
        for (int i = 0; i < 3; ++i) cudaMallocAsync(&temp[i], size[i], stream);
    }
    finish<<<1, 256, 0, stream>>>(a, out, n, even, of_bytes, unequal);
    for (void* one : temp) cudaFreeAsync(one, stream);
    cudaStreamSynchronize(stream);
    cudaFree(even), cudaFree(unequal), cudaFree(of_bytes), cudaFree(bytes), cudaFree(levels);
}
