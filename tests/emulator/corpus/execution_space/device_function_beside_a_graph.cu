// A launcher that makes a graph of nodes calls a device function.
#include <cuda_runtime.h>
__device__ int blocks_of(int n) { return (n + 255) / 256; }
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    void* args[] = {&a, &out, &n};
    cudaKernelNodeParams params = {};
    params.func = (void*)add_one;
    params.gridDim = dim3(blocks_of(n));
    params.blockDim = dim3(256);
    params.kernelParams = args;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, nullptr);
    cudaDeviceSynchronize();
}
