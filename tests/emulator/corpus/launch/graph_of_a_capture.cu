// A kernel and a copy, captured into a graph that is launched.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    cudaStream_t side;
    float* copy;
    cudaStreamCreate(&side);
    cudaMalloc(&copy, n * sizeof(float));
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(copy, a, n * sizeof(float), cudaMemcpyDeviceToDevice, side);
    k<<<unsigned((n + 255) / 256), 256, 0, side>>>(copy, out, n);
    cudaStreamEndCapture(side, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(side);
    cudaFree(copy);
}
