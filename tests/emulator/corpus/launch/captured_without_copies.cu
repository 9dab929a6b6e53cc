// In a file that captures a stream, an object that cannot be copied is converted to the kernel's pointer.
#include <cstdint>

class Buffer {
    float* data_ = nullptr;

 public:
    explicit Buffer(size_t n) { cudaMalloc(&data_, n * sizeof(float)); }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    operator float*() const { return data_; }
};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 0.5f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    const unsigned blocks = unsigned((n + 255) / 256);
    Buffer half(n);
    cudaStream_t mine;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&mine);
    cudaStreamBeginCapture(mine, cudaStreamCaptureModeGlobal);
    k<<<blocks, 256, 0, mine>>>(a, half, n);
    cudaStreamEndCapture(mine, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    k<<<blocks, 256, 0, stream>>>(half, out, n);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(mine);
}
