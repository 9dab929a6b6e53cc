// A graph of single nodes: memory is set, two kernels, a copy, and a node whose parameters change.
#include <cstdint>

__global__ void add(float* sum, const float* a, float scale, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) sum[i] += scale * a[i];
}
template <int kBy>
__global__ void increase(float* sum, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) sum[i] += float(kBy);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float* sum;
    cudaMalloc(&sum, n * sizeof(float));
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t set, scaled, increased, copied, last;
    cudaGraphCreate(&graph, 0);
    float scale = 3.0f;
    void* of_add[] = {(void*)&sum, (void*)&a, &scale, &n};
    void* of_increase[] = {&sum, &n};
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(increase<1>);
    params.gridDim = dim3(unsigned((n + 255) / 256));
    params.blockDim = dim3(256);
    params.kernelParams = of_increase;
    cudaGraphAddKernelNode(&increased, graph, nullptr, 0, &params);
    params.func = (void*)add;
    params.kernelParams = of_add;
    cudaGraphAddKernelNode(&scaled, graph, nullptr, 0, &params);
    cudaMemsetParams to_zero = {};
    to_zero.dst = sum;
    to_zero.elementSize = 4;
    to_zero.width = size_t(n);
    to_zero.height = 1;
    cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &to_zero);
    const cudaGraphNode_t from[] = {set, scaled}, to[] = {scaled, increased};
    cudaGraphAddDependencies(graph, from, to, nullptr, 2);
    cudaGraphAddMemcpyNode1D(&copied, graph, &increased, 1, out, sum, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaGraphAddEmptyNode(&last, graph, &copied, 1);
    cudaGraphInstantiate(&ready, graph, 0);
    scale = 1.0f;
    cudaGraphExecKernelNodeSetParams(ready, scaled, &params);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaFree(sum);
}
