// CUB 3 has no TransformInputIterator of its own any more: thrust and libcu++ have them.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
struct Square { __host__ __device__ float operator()(float x) const { return x * x; } };
__global__ void add(const float* a, float* out, int n, const float* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (*sum >= 0.0f ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n, cudaStream_t stream) {
    cub::TransformInputIterator<float, Square, const float*> squares(a, Square());
    float* sum;
    cudaMalloc(&sum, sizeof *sum);
    void* temp = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(temp, bytes, squares, sum, n, stream);
    cudaMalloc(&temp, bytes);
    cub::DeviceReduce::Sum(temp, bytes, squares, sum, n, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n, sum);
    cudaFree(temp), cudaFree(sum);
}
