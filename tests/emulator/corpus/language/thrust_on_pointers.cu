// Thrust's algorithms on pointers of the GPU, by thrust::device and in a stream: reductions, scans, sorts and transformations.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
struct AddIf {
    int ok;
    __host__ __device__ float operator()(float x) const { return x + (ok ? 1.0f : 0.0f); }
};
struct Larger { __host__ __device__ bool operator()(int x, int y) const { return x > y; } };
__global__ void make(int* x, int* places, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * 31 % 97, places[i] = i;
}
__global__ void count(const int* x, const int* places, const int* before, int* wrong, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool sorted = i == 0 || x[i - 1] > x[i] || (x[i - 1] == x[i] && places[i - 1] < places[i]);
    wrong[i] = !(sorted && x[i] == places[i] * 31 % 97 && (i == 0 || before[i] == before[i - 1] + x[i - 1]));
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    int *x, *places, *before, *wrong;
    cudaMalloc(&x, n * sizeof(int)), cudaMalloc(&places, n * sizeof(int)), cudaMalloc(&before, n * sizeof(int)), cudaMalloc(&wrong, n * sizeof(int));
    make<<<(n + 255) / 256, 256, 0, stream>>>(x, places, n);
    const auto policy = thrust::cuda::par.on(stream);
    int sum = 0, squares = 0, top = -1;
    for (int i = 0; i < n; ++i) sum += i * 31 % 97, squares += (i * 31 % 97) * (i * 31 % 97), top = i * 31 % 97 > top ? i * 31 % 97 : top;
    bool ok = thrust::reduce(policy, x, x + n) == sum;
    ok = ok && thrust::reduce(policy, x, x + n, -1, thrust::maximum<int>()) == top;
    ok = ok && thrust::transform_reduce(policy, x, x + n, Square(), 5, thrust::plus<int>()) == squares + 5;
    thrust::stable_sort_by_key(policy, x, x + n, places, Larger());
    thrust::exclusive_scan(policy, x, x + n, before, 7);
    count<<<(n + 255) / 256, 256, 0, stream>>>(x, places, before, wrong, n);
    cudaStreamSynchronize(stream);
    ok = ok && thrust::reduce(thrust::device, wrong, wrong + n, 0) == 0;
    thrust::sort(thrust::device, x, x + n);
    thrust::inclusive_scan(thrust::device, wrong, wrong + n, wrong);
    ok = thrust::transform(thrust::device, a, a + n, out, AddIf{ok}) == out + n && ok;
    cudaFree(x), cudaFree(places), cudaFree(before), cudaFree(wrong);
}
