// A graph of single nodes, one of which does not wait for the one whose result it reads.
#include <cstdint>

__global__ void twice(const float* a, float* sum, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) sum[i] = a[i] + 1.0f;
}
__global__ void copy(const float* sum, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = sum[i];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float* sum;
    cudaMalloc(&sum, n * sizeof(float));
    cudaMemset(sum, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t first, second;
    cudaGraphCreate(&graph, 0);
    void* of_first[] = {&a, &sum, &n};
    void* of_second[] = {&sum, &out, &n};
    cudaKernelNodeParams params = {};
    params.func = (void*)twice;
    params.gridDim = dim3(unsigned((n + 255) / 256));
    params.blockDim = dim3(256);
    params.kernelParams = of_first;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
    params.func = (void*)copy;
    params.kernelParams = of_second;
    cudaGraphAddKernelNode(&second, graph, nullptr, 0, &params);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaFree(sum);
}
