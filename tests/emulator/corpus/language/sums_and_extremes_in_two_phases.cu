// CUB's sum, minimum, maximum and their places over the whole GPU, each in two phases with storage of its own.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
__global__ void fill(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (i * 37 + 11) % 1009 - 500;
}
__global__ void finish(const float* a, float* out, int n, const int* found, const cub::KeyValuePair<int, int>* lowest, const int* top, const long long* place, const int* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0, low = 1 << 30, high = -(1 << 30), low_at = 0, high_at = 0;
    for (int j = 0; j < n; ++j) {
        sum += x[j];
        if (x[j] < low) low = x[j], low_at = j;
        if (x[j] > high) high = x[j], high_at = j;
    }
    const bool ok = found[0] == sum && found[1] == low && found[2] == high && lowest->key == low_at && lowest->value == low && *top == high && *place == high_at;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, long long n, cudaStream_t stream) {
    const int items = static_cast<int>(n);
    int *x, *found, *top;
    long long* place;
    cub::KeyValuePair<int, int>* lowest;
    cudaMalloc(&x, items * sizeof(int));
    cudaMalloc(&found, 3 * sizeof(int));
    cudaMalloc(&top, sizeof(int));
    cudaMalloc(&place, sizeof(long long));
    cudaMalloc(&lowest, sizeof *lowest);
    fill<<<(items + 255) / 256, 256, 0, stream>>>(x, items);

    void* temp = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(temp, bytes, x, found, items, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Sum(temp, bytes, x, found, items, stream);
    cudaFree(temp);

    temp = nullptr, bytes = 0;
    cub::DeviceReduce::Min(temp, bytes, x, found + 1, items, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Min(temp, bytes, x, found + 1, items, stream);
    cudaFree(temp);

    temp = nullptr, bytes = 0;
    cub::DeviceReduce::Max(nullptr, bytes, x, found + 2, items, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Max(temp, bytes, x, found + 2, items, stream);
    cudaFree(temp);

    temp = nullptr, bytes = 0;
    cub::DeviceReduce::ArgMin(temp, bytes, x, lowest, items, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::ArgMin(temp, bytes, x, lowest, items, stream);
    cudaFree(temp);

    temp = nullptr, bytes = 0;
    cub::DeviceReduce::ArgMax(temp, bytes, x, top, place, n, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::ArgMax(temp, bytes, x, top, place, n, stream);
    cudaFree(temp);

    finish<<<(items + 255) / 256, 256, 0, stream>>>(a, out, items, found, lowest, top, place, x);
    cudaStreamSynchronize(stream);
    cudaFree(x), cudaFree(found), cudaFree(top), cudaFree(place), cudaFree(lowest);
}
