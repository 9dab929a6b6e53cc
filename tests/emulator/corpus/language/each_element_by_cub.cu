// CUB calls a function for each number and each element, transforms one and two lists, and sorts by an own order.
#include <cub/device/device_for.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <cuda_runtime.h>
struct Record { int key, serial; };
struct Fill {
    Record* to;
    int n;
    __device__ void operator()(int i) const { to[i] = {(i * 71) % 53, n - i}; }
};
struct Add { __device__ void operator()(float& x) const { x += 0.5f; } };
struct ByKey { __host__ __device__ bool operator()(const Record& x, const Record& y) const { return x.key != y.key ? x.key < y.key : x.serial < y.serial; } };
struct Mean { __host__ __device__ float operator()(float x, float y) const { return (x + y) * 0.5f; } };
struct Half { __host__ __device__ float operator()(float x) const { return x + 0.5f; } };
struct Last { __device__ float operator()(float x, float y) const { return fabsf(x - y - 1.75f) < 1e-5f ? y + 1.0f : 0.0f; } };
__global__ void add_if_sorted(float* out, const Record* records, const Record* copied, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ByKey before;
    const bool ok = (i == 0 || before(records[i - 1], records[i])) && copied[i].key == records[i].key && copied[i].serial == records[i].serial;
    if (!ok) out[i] = -1.0f;
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    Record *records, *copied;
    float* mine;
    cudaMalloc(&records, n * sizeof *records), cudaMalloc(&copied, n * sizeof *copied), cudaMalloc(&mine, n * sizeof *mine);
    cub::DeviceFor::Bulk(n, Fill{records, n}, stream);
    cub::DeviceTransform::Transform(a, mine, n, Half{}, stream);
    cub::DeviceTransform::Transform(cuda::std::make_tuple(a, static_cast<const float*>(mine)), out, n, Mean{}, stream);  // a + 1/4
    cub::DeviceTransform::Transform(out, out, n, Half{}, stream);
    cub::DeviceFor::ForEachN(out, n, Add{}, stream);
    cub::DeviceFor::ForEach(out, out + n, Add{}, stream);
    cub::DeviceTransform::Transform(cuda::std::make_tuple(static_cast<const float*>(out), a), out, n, Last{}, stream);
    void* temp = nullptr;
    size_t bytes = 0;
    cub::DeviceMergeSort::SortKeysCopy(temp, bytes, records, copied, n, ByKey{}, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceMergeSort::SortKeysCopy(temp, bytes, records, copied, n, ByKey{}, stream);
    cudaFree(temp);
    temp = nullptr;
    cub::DeviceMergeSort::StableSortKeys(temp, bytes, records, n, ByKey{}, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceMergeSort::StableSortKeys(temp, bytes, records, n, ByKey{}, stream);
    add_if_sorted<<<(n + 255) / 256, 256, 0, stream>>>(out, records, copied, n);
    cudaStreamSynchronize(stream);
    cudaFree(temp), cudaFree(records), cudaFree(copied), cudaFree(mine);
}
