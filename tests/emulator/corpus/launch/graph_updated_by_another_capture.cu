// A graph is captured twice; the second updates the executable one.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + by;
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraphExec_t ready = nullptr;
    for (float by : {7.f, 1.f}) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        k<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n, by);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphExecUpdateResultInfo info;
        if (!ready || cudaGraphExecUpdate(ready, graph, &info) != cudaSuccess) {
            if (ready) cudaGraphExecDestroy(ready);
            cudaGraphInstantiate(&ready, graph, 0);
        }
        cudaGraphDestroy(graph);
        cudaGraphLaunch(ready, stream);
    }
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaStreamDestroy(stream);
}
