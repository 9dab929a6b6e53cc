// CUB's reductions of structs by an operator of one's own, and of transformed elements, with memory of a stream's pool.
#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <cuda_runtime.h>
#include <stdexcept>
struct Range { float low, high; int count; };
struct Join {
    __host__ __device__ Range operator()(const Range& x, const Range& y) const {
        return {fminf(x.low, y.low), fmaxf(x.high, y.high), x.count + y.count};
    }
};
struct Square { __host__ __device__ double operator()(float x) const { return double(x) * x; } };
__global__ void begin(const float* a, Range* r, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) r[i] = {a[i], a[i], 1};
}
__global__ void finish(const float* a, float* out, int n, const Range* all, const double* squares, const float* top) {
    __shared__ bool ok;
    if (threadIdx.x == 0) {
        double s = 0.5;
        float low = 1e30f, high = -1e30f;
        for (int i = 0; i < n; ++i) s += double(a[i]) * a[i], low = fminf(low, a[i]), high = fmaxf(high, a[i]);
        ok = all->count == n && all->low == low && all->high == high && fabs(*squares - s) < 1e-6 * s && *top == high;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + ok;
}
static void check(cudaError_t error) { if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error)); }
template <class F> void two_phases(cudaStream_t stream, F call) {
    size_t bytes = 0;
    check(call(nullptr, bytes));
    void* temp;
    check(cudaMallocAsync(&temp, bytes, stream));
    check(call(temp, bytes));
    check(cudaFreeAsync(temp, stream));
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    Range *each, *all;
    double* squares;
    float* top;
    check(cudaMallocAsync(&each, n * sizeof(Range), stream));
    check(cudaMallocAsync(&all, sizeof(Range), stream));
    check(cudaMallocAsync(&squares, sizeof(double), stream));
    check(cudaMallocAsync(&top, sizeof(float), stream));
    begin<<<4, 128, 0, stream>>>(a, each, n);
    two_phases(stream, [&](void* temp, size_t& bytes) {
        return cub::DeviceReduce::Reduce(temp, bytes, each, all, n, Join{}, Range{INFINITY, -INFINITY, 0}, stream);
    });
    two_phases(stream, [&](void* temp, size_t& bytes) {
        return cub::DeviceReduce::TransformReduce(temp, bytes, a, squares, n, cuda::std::plus<double>{}, Square{}, 0.5, stream);
    });
    two_phases(stream, [&](void* temp, size_t& bytes) {
        return cub::DeviceReduce::Reduce(temp, bytes, a, top, n, cuda::maximum<>{}, 0.0f, stream);
    });
    finish<<<4, 128, 0, stream>>>(a, out, n, all, squares, top);
    check(cudaFreeAsync(each, stream)), check(cudaFreeAsync(all, stream)), check(cudaFreeAsync(squares, stream)), check(cudaFreeAsync(top, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaStreamDestroy(stream));
}
