// CUB's functions for the whole GPU, each on int32 or float32 of the test's; what they leave is compared by the test.
#include <cub/cub.cuh>
#include <cuda/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cstdint>

// Calls in two phases, with storage of the stream.
template <typename Call>
cudaError_t call_twice(cudaStream_t stream, Call call) {
    size_t bytes = 0;
    void* storage = nullptr;
    if (const cudaError_t error = call(nullptr, bytes)) return error;
    cudaMallocAsync(&storage, bytes, stream);
    const cudaError_t error = call(storage, bytes);
    cudaFreeAsync(storage, stream);
    return error;
}
#define TWICE(...) return call_twice(stream, [&](void* storage, size_t& bytes) { return cub::__VA_ARGS__; })
#define LAUNCHER(name, ...) \
    extern "C" int name(const int* x, const float* y, int* out, float* sorted, int* count, int n, cudaStream_t stream) { \
        __VA_ARGS__; \
    }

struct IsOdd {
    __device__ bool operator()(int value) const { return value % 2 != 0; }
};
struct Late {  // not const: CUB has a copy of its own
    int calls = 0;
    __device__ bool operator()(int value) { return ++calls > 5 && value >= 0; }
};
struct Square {
    __host__ __device__ int64_t operator()(int value) const { return int64_t{value} * value; }
};
struct Above {
    __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};
struct Same10 {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};
struct Doubled {
    int* out;
    const int* x;
    __device__ void operator()(int i) const { out[i] = 2 * x[i]; }
};
struct RowBegin {
    int width;
    __host__ __device__ int operator()(int row) const { return row * width; }
};

LAUNCHER(sum, TWICE(DeviceReduce::Sum(storage, bytes, x, out, n, stream)))
LAUNCHER(least, TWICE(DeviceReduce::Min(storage, bytes, x, out, n, stream)))
LAUNCHER(most, TWICE(DeviceReduce::Max(storage, bytes, y, sorted, n, stream)))
LAUNCHER(place_of_least, TWICE(DeviceReduce::ArgMin(storage, bytes, x, out, count, n, stream)))
LAUNCHER(squares,
         TWICE(DeviceReduce::TransformReduce(storage, bytes, x, reinterpret_cast<int64_t*>(out), n, cuda::std::plus<>(), Square(), int64_t{7}, stream)))
LAUNCHER(sums_by_key, TWICE(DeviceReduce::ReduceByKey(storage, bytes, x, out, x, out + n, count, cuda::std::plus<>(), n, stream)))
LAUNCHER(running, TWICE(DeviceScan::InclusiveSum(storage, bytes, x, out, n, stream)))
LAUNCHER(running_in_place,
         cudaMemcpyAsync(out, x, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
         TWICE(DeviceScan::ExclusiveSum(storage, bytes, out, n, stream)))
LAUNCHER(greatest_before, TWICE(DeviceScan::ExclusiveScan(storage, bytes, x, out, cuda::maximum<>(), -1000, n, stream)))
LAUNCHER(from_later,
         const int first = 5;
         cudaMemcpyAsync(count, &first, sizeof first, cudaMemcpyHostToDevice, stream);
         TWICE(DeviceScan::ExclusiveScan(storage, bytes, x, out, cuda::std::plus<>(), cub::FutureValue<int>(count), n, stream)))
LAUNCHER(running_by_key, TWICE(DeviceScan::InclusiveSumByKey(storage, bytes, x, x, out, n, Same10(), stream)))
LAUNCHER(selected, TWICE(DeviceSelect::If(storage, bytes, x, out, count, n, IsOdd(), stream)))
LAUNCHER(selected_late, TWICE(DeviceSelect::If(storage, bytes, x, out, count, n, Late(), stream)))
LAUNCHER(unique, TWICE(DeviceSelect::Unique(storage, bytes, x, out, count, n, stream)))
LAUNCHER(unique_by_key, TWICE(DeviceSelect::UniqueByKey(storage, bytes, x, y, out, sorted, count, n, stream)))
LAUNCHER(parted, TWICE(DevicePartition::If(storage, bytes, x, out, count, n, IsOdd(), stream)))
LAUNCHER(lengths, TWICE(DeviceRunLengthEncode::Encode(storage, bytes, x, out, out + n, count, n, stream)))
LAUNCHER(long_runs, TWICE(DeviceRunLengthEncode::NonTrivialRuns(storage, bytes, x, out, out + n, count, n, stream)))
LAUNCHER(sorted_keys, TWICE(DeviceRadixSort::SortKeys(storage, bytes, x, out, n, 0, 32, stream)))
LAUNCHER(sorted_floats_down,
         TWICE(DeviceRadixSort::SortPairsDescending(storage, bytes, y, sorted, x, out, n, 0, 32, stream)))
LAUNCHER(sorted_by_bits, TWICE(DeviceRadixSort::SortKeys(storage, bytes, x, out, n, 1, 3, stream)))
LAUNCHER(sorted_buffers,
         int* first;
         cudaMallocAsync(&first, n * sizeof(int), stream);
         cudaMemcpyAsync(first, x, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
         cub::DoubleBuffer<int> keys(first, out);
         const cudaError_t error = call_twice(stream, [&](void* storage, size_t& bytes) {
             return cub::DeviceRadixSort::SortKeys(storage, bytes, keys, n, 0, 32, stream);
         });
         if (keys.Current() != out) cudaMemcpyAsync(out, keys.Current(), n * sizeof(int), cudaMemcpyDeviceToDevice, stream); cudaFreeAsync(first, stream); return error)
LAUNCHER(merged_down, TWICE(DeviceMergeSort::SortPairsCopy(storage, bytes, x, y, out, sorted, n, Above(), stream)))
LAUNCHER(merged_two,
         TWICE(DeviceMerge::MergeKeys(storage, bytes, thrust::counting_iterator<int>(0), n / 2, thrust::counting_iterator<int>(3), n - n / 2, out,
                                      cuda::std::less<>(), stream)))
LAUNCHER(rows,
         const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowBegin{10});
         TWICE(DeviceSegmentedReduce::Sum(storage, bytes, x, out, n / 10, begins, begins + 1, stream)))
LAUNCHER(sorted_rows,
         const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowBegin{10});
         TWICE(DeviceSegmentedSort::SortKeysDescending(storage, bytes, x, out, n, n / 10, begins, begins + 1, stream)))
LAUNCHER(bins, TWICE(DeviceHistogram::HistogramEven(storage, bytes, x, out, 11, -50, 50, n, stream)))
LAUNCHER(bins_of_floats, TWICE(DeviceHistogram::HistogramEven(storage, bytes, y, out, 5, -1.0f, 1.0f, n, stream)))
LAUNCHER(differences, TWICE(DeviceAdjacentDifference::SubtractLeftCopy(storage, bytes, x, out, n, cuda::std::minus<>(), stream)))
LAUNCHER(twice, return cub::DeviceFor::Bulk(n, Doubled{out, x}, stream))
LAUNCHER(added,
         const auto backwards = thrust::make_permutation_iterator(x, thrust::make_transform_iterator(thrust::counting_iterator<int>(1 - n), cuda::std::negate<>()));
         return cub::DeviceTransform::Transform(cuda::std::make_tuple(x, backwards), out, n, cuda::std::plus<>(), stream))
LAUNCHER(many_copies,
         int* from[2], *to[2], sizes[] = {n / 2, n - n / 2};
         int** all_from, **all_to, *all_sizes;
         from[0] = const_cast<int*>(x), from[1] = const_cast<int*>(x) + n / 2;
         to[0] = out + (n - n / 2), to[1] = out;
         cudaMalloc(&all_from, sizeof from), cudaMalloc(&all_to, sizeof to), cudaMalloc(&all_sizes, sizeof sizes);
         cudaMemcpy(all_from, from, sizeof from, cudaMemcpyHostToDevice);
         cudaMemcpy(all_to, to, sizeof to, cudaMemcpyHostToDevice);
         cudaMemcpy(all_sizes, sizes, sizeof sizes, cudaMemcpyHostToDevice);
         const cudaError_t error = call_twice(stream, [&](void* storage, size_t& bytes) {
             return cub::DeviceCopy::Batched(storage, bytes, all_from, all_to, all_sizes, 2, stream);
         });
         cudaStreamSynchronize(stream); cudaFree(all_from), cudaFree(all_to), cudaFree(all_sizes); return error)

// ---- mistakes ----------------------------------------------------------------------------------------------------------

LAUNCHER(wrong_too_small,
         size_t bytes = 8;
         void* storage;
         cudaMalloc(&storage, bytes);
         const cudaError_t error = cub::DeviceReduce::Sum(storage, bytes, x, out, n, stream);
         cudaFree(storage);
         return error != cudaErrorInvalidValue)
LAUNCHER(wrong_shorter_than_told,
         size_t bytes = 0;
         cub::DeviceRadixSort::SortKeys(nullptr, bytes, x, out, n, 0, 32, stream);
         void* storage;
         cudaMalloc(&storage, bytes / 2);
         cub::DeviceRadixSort::SortKeys(storage, bytes, x, out, n, 0, 32, stream);
         return cudaFree(storage))
LAUNCHER(wrong_hosts_storage,
         char storage[100000];
         size_t bytes = sizeof storage;
         return cub::DeviceReduce::Sum(storage, bytes, x, out, n, stream))
LAUNCHER(wrong_hosts_sum,
         int total = 0;
         TWICE(DeviceReduce::Sum(storage, bytes, x, &total, n, stream)))
LAUNCHER(wrong_hosts_buffer,
         int* const mine = new int[1000];
         const cudaError_t error = call_twice(stream, [&](void* storage, size_t& bytes) {
             return cub::DeviceScan::InclusiveSum(storage, bytes, mine, out, n, stream);
         });
         delete[] mine; return error)
LAUNCHER(wrong_past_the_end, TWICE(DeviceScan::InclusiveSum(storage, bytes, x, out, 3 * n, stream)))
LAUNCHER(wrong_counts_from_one,
         const auto places = thrust::counting_iterator<int>(0);
         TWICE(DeviceReduce::Sum(storage, bytes, thrust::make_permutation_iterator(y + 1000000, places), sorted, n, stream)))
// Two streams, and no order between the sum and the copy of it.
LAUNCHER(wrong_without_event,
         cudaStream_t one, two;
         cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
         cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
         cudaMemsetAsync(count, 0, sizeof(int), two);
         cudaStreamSynchronize(two);
         size_t bytes = 0;
         void* storage;
         cub::DeviceReduce::Sum(nullptr, bytes, x, count, n, one);
         cudaMalloc(&storage, bytes);
         cub::DeviceReduce::Sum(storage, bytes, x, count, n, one);
         cudaMemcpyAsync(out, count, sizeof(int), cudaMemcpyDeviceToDevice, two);
         cudaStreamSynchronize(two);
         cudaStreamSynchronize(one);
         cudaFree(storage);
         cudaStreamDestroy(one), cudaStreamDestroy(two);
         return 0)
