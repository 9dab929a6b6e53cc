// A workspace that grows serves CUB's calls on iterators; the same calls are captured into a graph, which runs twice.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
class Workspace {
 public:
    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    ~Workspace() { cudaFree(at_); }
    void* grown_to(size_t bytes) {
        if (bytes > bytes_) cudaFree(at_), cudaMalloc(&at_, bytes_ = bytes);
        return at_;
    }

 private:
    void* at_ = nullptr;
    size_t bytes_ = 0;
};
struct Dot {
    template <class T> __host__ __device__ long long operator()(const T& pair) const { return static_cast<long long>(thrust::get<0>(pair)) * thrust::get<1>(pair); }
};
struct IsSquare {
    __device__ bool operator()(int x) const {
        const int root = static_cast<int>(sqrtf(static_cast<float>(x)) + 0.5f);
        return root * root == x;
    }
};
__global__ void finish(const float* a, float* out, int n, const long long* dot, const int* squares, const int* count, const int* ones) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long expected = 0;
    int found = 0;
    for (int j = 0; j < n; ++j) expected += 3ll * j, found += IsSquare{}(j);
    bool ok = *dot == expected && *count == found && *ones == n;
    for (int j = 0; j < found; ++j) ok = ok && squares[j] == j * j;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    Workspace workspace;
    long long* dot;
    int *squares, *count, *ones;
    cudaMalloc(&dot, sizeof *dot), cudaMalloc(&squares, n * sizeof(int)), cudaMalloc(&count, sizeof(int)), cudaMalloc(&ones, sizeof(int));
    const auto numbers = thrust::counting_iterator<int>(0);
    const auto threes = thrust::make_constant_iterator(3);
    const auto products = thrust::make_transform_iterator(thrust::make_zip_iterator(thrust::make_tuple(numbers, threes)), Dot{});
    size_t need[3];
    cub::DeviceReduce::Sum(nullptr, need[0], products, dot, n, stream);
    cub::DeviceSelect::If(nullptr, need[1], numbers, squares, count, n, IsSquare{}, stream);
    cub::DeviceReduce::ReduceByKey(nullptr, need[2], thrust::make_constant_iterator(7), thrust::make_discard_iterator(), thrust::make_constant_iterator(1), ones, thrust::make_discard_iterator(), cuda::std::plus<>{}, n, stream);
    for (size_t one : need) workspace.grown_to(one);
    size_t bytes = need[0] > need[1] ? need[0] : need[1];
    if (need[2] > bytes) bytes = need[2];
    void* const temp = workspace.grown_to(bytes);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cub::DeviceReduce::Sum(temp, bytes, products, dot, n, stream);
    cub::DeviceSelect::If(temp, bytes, numbers, squares, count, n, IsSquare{}, stream);
    cub::DeviceReduce::ReduceByKey(temp, bytes, thrust::make_constant_iterator(7), thrust::make_discard_iterator(), thrust::make_constant_iterator(1), ones, thrust::make_discard_iterator(), cuda::std::plus<>{}, n, stream);
    finish<<<(n + 127) / 128, 128, 0, stream>>>(a, out, n, dot, squares, count, ones);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
    cudaFree(dot), cudaFree(squares), cudaFree(count), cudaFree(ones);
}
