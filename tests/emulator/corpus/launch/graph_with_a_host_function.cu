// A function of the host between a kernel and a copy of a captured graph, on managed memory.
#include <cstdint>

__global__ void half(const float* a, float* m, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) m[i] = a[i] / 2;
}

struct Numbers {
    float* all;
    int64_t n;
};

void twice_and_one(void* of) {
    const auto* numbers = static_cast<const Numbers*>(of);
    for (int64_t i = 0; i < numbers->n; ++i) numbers->all[i] = 2 * numbers->all[i] + 1;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    cudaStream_t side;
    cudaStreamCreate(&side);
    Numbers numbers{nullptr, n};
    cudaMallocManaged(&numbers.all, n * sizeof(float));
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal);
    half<<<unsigned((n + 255) / 256), 256, 0, side>>>(a, numbers.all, n);
    cudaLaunchHostFunc(side, twice_and_one, &numbers);
    cudaMemcpyAsync(out, numbers.all, n * sizeof(float), cudaMemcpyDefault, side);
    cudaStreamEndCapture(side, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(side);
    cudaFree(numbers.all);
}
