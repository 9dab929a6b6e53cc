// Runs of equal keys by CUB over the whole GPU: their lengths, and the sums of what goes with them.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>
__global__ void make(int* keys, int* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = i / (3 + i % 2) / 2, values[i] = i % 5;
}
__global__ void add(const float* a, float* out, int n, float one) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + one;
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    int *keys, *values, *unique, *lengths, *sums, *runs;
    for (int** one : {&keys, &values, &unique, &lengths, &sums}) cudaMalloc(one, n * sizeof(int));
    cudaMalloc(&runs, 2 * sizeof(int));
    make<<<(n + 127) / 128, 128, 0, stream>>>(keys, values, n);
    size_t for_runs = 0, for_sums = 0;
    cub::DeviceRunLengthEncode::Encode(nullptr, for_runs, keys, unique, lengths, runs, n, stream);
    cub::DeviceReduce::ReduceByKey(nullptr, for_sums, keys, unique, values, sums, runs + 1, cuda::std::plus<>{}, n, stream);
    void* temp;
    size_t bytes = std::max(for_runs, for_sums);
    cudaMalloc(&temp, bytes);
    cub::DeviceRunLengthEncode::Encode(temp, bytes, keys, unique, lengths, runs, n, stream);
    cub::DeviceReduce::ReduceByKey(temp, bytes, keys, unique, values, sums, runs + 1, cuda::std::plus<>{}, n, stream);
    std::vector<int> k(n), v(n), u(n), l(n), s(n);
    int count[2];
    cudaStreamSynchronize(stream);
    cudaMemcpy(k.data(), keys, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(v.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(count, runs, sizeof count, cudaMemcpyDeviceToHost);
    cudaMemcpy(u.data(), unique, count[0] * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(l.data(), lengths, count[0] * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(s.data(), sums, count[1] * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = count[0] == count[1];
    int at = 0, run = 0;
    while (at < n && run < count[0]) {
        int end = at, sum = 0;
        while (end < n && k[end] == k[at]) sum += v[end++];
        ok = ok && u[run] == k[at] && l[run] == end - at && s[run] == sum;
        at = end, ++run;
    }
    ok = ok && at == n && run == count[0];
    add<<<(n + 127) / 128, 128, 0, stream>>>(a, out, n, ok ? 1.0f : 0.0f);
    for (int* one : {keys, values, unique, lengths, sums, runs}) cudaFree(one);
    cudaFree(temp);
}
