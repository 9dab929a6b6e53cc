// A graph's nodes are asked for their kind and parameters, and changed by what was read; what they wait for is asked, too.
#include <cuda_runtime.h>
#include <vector>
__global__ void add(const float* a, float* out, int n, float by) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + by;
}
extern "C" int launch(const float* a, float* out, int n, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    float* between;
    cudaMalloc(&between, n * sizeof(float));
    float by = 5.0f;
    void* arguments[] = {&a, &between, &n, &by};
    cudaKernelNodeParams first{};
    first.func = reinterpret_cast<void*>(add), first.gridDim = dim3(2), first.blockDim = dim3(64), first.kernelParams = arguments;
    cudaGraphNode_t kernel, copy, clear;
    cudaMemsetParams zeros{};
    zeros.dst = out, zeros.elementSize = 4, zeros.width = n, zeros.height = 1;
    cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros);
    cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &first);
    const cudaGraphNode_t both[] = {kernel, clear};
    cudaGraphAddMemcpyNode1D(&copy, graph, both, 2, out, between, n * sizeof(float), cudaMemcpyDeviceToDevice);

    int wrong = 0;
    cudaGraphNodeType kind;
    cudaGraphNodeGetType(kernel, &kind);
    wrong += kind != cudaGraphNodeTypeKernel;
    cudaGraphNodeGetType(copy, &kind);
    wrong += kind != cudaGraphNodeTypeMemcpy;
    cudaKernelNodeParams read{};
    cudaGraphKernelNodeGetParams(kernel, &read);
    wrong += read.gridDim.x != 2 || read.blockDim.x != 64 || read.func != first.func || *static_cast<float*>(read.kernelParams[3]) != 5.0f;
    cudaMemsetParams cleared{};
    cudaGraphMemsetNodeGetParams(clear, &cleared);
    wrong += cleared.dst != out || cleared.width != static_cast<size_t>(n);
    size_t edges = 0, before = 0, roots = 0, after = 0;
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
    cudaGraphNodeGetDependencies(copy, nullptr, nullptr, &before);
    cudaGraphNodeGetDependentNodes(kernel, nullptr, nullptr, &after);
    cudaGraphGetRootNodes(graph, nullptr, &roots);
    wrong += edges != 2 || before != 2 || roots != 2 || after != 1;
    std::vector<cudaGraphNode_t> waited(before);
    cudaGraphNodeGetDependencies(copy, waited.data(), nullptr, &before);
    wrong += waited[0] != kernel && waited[1] != kernel;

    by = wrong ? 0.0f : 1.0f;
    read.gridDim = dim3((n + 127) / 128), read.blockDim = dim3(128), read.kernelParams = arguments;
    cudaGraphKernelNodeSetParams(kernel, &read);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaFree(between);
    return wrong;
}
