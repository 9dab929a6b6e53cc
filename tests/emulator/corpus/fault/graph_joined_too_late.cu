// In a captured graph a kernel reads what another branch writes, and the join comes behind it.
#include <cstdint>

__global__ void add_one(const float* a, float* sum, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) sum[i] = a[i] + 1.0f;
}
__global__ void copy(const float* sum, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = sum[i];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    const unsigned blocks = unsigned((n + 255) / 256);
    float *sum, *other;
    cudaMalloc(&sum, n * sizeof(float));
    cudaMalloc(&other, n * sizeof(float));
    cudaMemset(sum, 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    add_one<<<blocks, 256, 0, second>>>(a, sum, n);
    cudaEventRecord(join, second);
    add_one<<<blocks, 256, 0, first>>>(a, other, n);
    copy<<<blocks, 256, 0, first>>>(sum, out, n);
    cudaStreamWaitEvent(first, join, 0);
    cudaStreamEndCapture(first, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(sum);
    cudaFree(other);
}
