// Rows summed, and sorted, by CUB's functions for segments: offsets in memory, and computed by iterators.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
struct RowBegin {
    int width;
    __host__ __device__ int operator()(int row) const { return row * width; }
};
struct Largest { template <class T> __host__ __device__ T operator()(T x, T y) const { return x < y ? y : x; } };
__global__ void offsets_of(int* offsets, int rows, int width, int n) {
    for (int r = threadIdx.x; r <= rows; r += blockDim.x) offsets[r] = min(r * width, n);
}
__global__ void finish(const float* a, float* out, int n, int width, const double* sums, const float* tops, const float* sorted, const cub::KeyValuePair<int, float>* least) {
    const int row = blockIdx.x, first = row * width, end = min(first + width, n);
    __shared__ bool ok;
    if (threadIdx.x == 0) {
        double sum = 0;
        float top = -1, low = 2;
        int at = 0;
        ok = true;
        for (int i = first; i < end; ++i) {
            sum += a[i], top = fmaxf(top, a[i]);
            if (a[i] < low) low = a[i], at = i - first;
            if (i > first) ok = ok && sorted[i - 1] <= sorted[i];
        }
        ok = ok && fabs(sum - sums[row]) < 1e-9 && top == tops[row] && sorted[end - 1] == top && sorted[first] == low && least[row].key == at && least[row].value == low;
    }
    __syncthreads();
    for (int i = first + threadIdx.x; i < end; i += blockDim.x) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    constexpr int width = 48;
    const int rows = (n + width - 1) / width, whole = n / width;
    int* offsets;
    double* sums;
    float *tops, *sorted;
    cub::KeyValuePair<int, float>* least;
    cudaMalloc(&offsets, (rows + 1) * sizeof(int)), cudaMalloc(&sums, rows * sizeof(double)), cudaMalloc(&tops, rows * sizeof(float));
    cudaMalloc(&sorted, n * sizeof(float)), cudaMalloc(&least, rows * sizeof *least);
    offsets_of<<<1, 64, 0, stream>>>(offsets, rows, width, n);
    auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator(0), RowBegin{width});
    size_t bytes[5] = {};
    void* temp[5] = {};
    for (int phase = 0; phase < 2; ++phase) {
        cub::DeviceSegmentedReduce::Sum(temp[0], bytes[0], a, sums, rows, offsets, offsets + 1, stream);
        cub::DeviceSegmentedReduce::Reduce(temp[1], bytes[1], a, tops, whole, begins, begins + 1, Largest{}, -1.0f, stream);
        cub::DeviceSegmentedReduce::Max(temp[2], bytes[2], a, tops + whole, rows - whole, offsets + whole, offsets + whole + 1, stream);
        cub::DeviceSegmentedReduce::ArgMin(temp[3], bytes[3], a, least, rows, offsets, offsets + 1, stream);
        cub::DeviceSegmentedSort::SortKeys(temp[4], bytes[4], a, sorted, n, rows, offsets, offsets + 1, stream);
        if (phase == 0) for (int i = 0; i < 5; ++i) cudaMalloc(&temp[i], bytes[i]);
    }
    finish<<<rows, 32, 0, stream>>>(a, out, n, width, sums, tops, sorted, least);
    cudaStreamSynchronize(stream);
    for (void* one : temp) cudaFree(one);
    cudaFree(offsets), cudaFree(sums), cudaFree(tops), cudaFree(sorted), cudaFree(least);
}
