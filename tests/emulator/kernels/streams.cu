// Launchers that share work among streams: out = 2 x + 1. Those called right_... are right on every GPU; the others are not.
#include <cuda_runtime.h>

#include <thread>
#include <vector>

__global__ void twice(const float* x, float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = 2 * x[i];
}
__global__ void plus_one(const float* t, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = t[i] + 1;
}
__global__ void sum_of(const float* s, const float* t, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = s[i] + t[i] + 1;
}
__device__ float shared_by_all[4096];
__global__ void twice_there(const float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) shared_by_all[i] = 2 * x[i];
}
__global__ void plus_one_from_there(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = shared_by_all[i] + 1;
}
struct Stays {  // what cannot be copied as bytes is used at once
    const float* x;
    __host__ __device__ Stays(const float* x) : x(x) {}
    __host__ __device__ Stays(const Stays& other) : x(other.x) {}
};
__global__ void twice_of(Stays of, float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = 2 * of.x[i];
}

#define GRID (n + 255) / 256, 256, 0
#define LAUNCHER(name, kind, ...) \
    extern "C" void name(const float* x, float* out, int n, cudaStream_t stream) { \
        (void)stream; \
        cudaStream_t one, two; \
        cudaStreamCreateWithFlags(&one, kind); \
        cudaStreamCreateWithFlags(&two, kind); \
        cudaEvent_t done, also; \
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming); \
        cudaEventCreate(&also); \
        float *t, *s, *pinned; \
        cudaMalloc(&t, n * sizeof(float)); \
        cudaMalloc(&s, n * sizeof(float)); \
        cudaMallocHost(&pinned, n * sizeof(float)); \
        const size_t bytes = n * sizeof(float); \
        (void)bytes; \
        __VA_ARGS__ \
        cudaDeviceSynchronize(); \
        cudaEventDestroy(done); \
        cudaEventDestroy(also); \
        cudaStreamDestroy(one); \
        cudaStreamDestroy(two); \
        cudaFree(t); \
        cudaFree(s); \
        cudaFreeHost(pinned); \
    }
#define BLOCKING cudaStreamDefault
#define APART cudaStreamNonBlocking

// A graph of two kernels that are added one by one. before: what plus_one waits for.
#define NODES(before, count) \
    cudaGraph_t graph; \
    cudaGraphExec_t ready; \
    cudaGraphNode_t first, second; \
    cudaGraphCreate(&graph, 0); \
    void* of_twice[] = {&x, &t, &n}; \
    void* of_plus_one[] = {&t, &out, &n}; \
    cudaKernelNodeParams params{(void*)twice, dim3((n + 255) / 256), dim3(256), 0, of_twice, nullptr}; \
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params); \
    params.func = (void*)plus_one; \
    params.kernelParams = of_plus_one; \
    cudaGraphAddKernelNode(&second, graph, before, count, &params); \
    cudaGraphInstantiate(&ready, graph, 0); \
    cudaGraphDestroy(graph); \
    cudaGraphLaunch(ready, one); \
    cudaGraphExecDestroy(ready);

// Nodes: a kernel, the host and a kernel again, each behind the one before, on managed memory.
struct Halves {
    float* all;
    int n;
};
inline void add_one(void* of) {
    const auto* halves = static_cast<const Halves*>(of);
    for (int i = 0; i < halves->n; ++i) halves->all[i] += 1;
}
#define HOST_NODE(in) \
    static float* m = [] { \
        float* made; \
        cudaMallocManaged(&made, 1 << 14); \
        return made; \
    }(); \
    static Halves halves; \
    halves = {m, n}; \
    cudaGraph_t graph; \
    cudaGraphExec_t ready; \
    cudaGraphNode_t first, second, third; \
    cudaGraphCreate(&graph, 0); \
    void* of_twice[] = {&x, &m, &n}; \
    cudaKernelNodeParams params{(void*)twice, dim3((n + 255) / 256), dim3(256), 0, of_twice, nullptr}; \
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params); \
    cudaHostNodeParams host{add_one, &halves}; \
    cudaGraphAddHostNode(&second, graph, &first, 1, &host); \
    cudaGraphAddMemcpyNode1D(&third, graph, &second, 1, out, m, n * sizeof(float), cudaMemcpyDefault); \
    cudaGraphInstantiate(&ready, graph, 0); \
    cudaGraphDestroy(graph); \
    cudaGraphLaunch(ready, in); \
    cudaGraphExecDestroy(ready);
LAUNCHER(right_host_node, APART, HOST_NODE(one))
LAUNCHER(no_event, BLOCKING, twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_event, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaEventRecord(done, one); cudaStreamWaitEvent(two, done, 0);
         plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_copy_behind_an_event, APART, twice<<<GRID, one>>>(x, out, n); cudaEventRecord(done, one); cudaStreamWaitEvent(two, done, 0);
         cudaMemcpyAsync(t, out, bytes, cudaMemcpyDeviceToDevice, two); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_nodes, APART, NODES(&first, 1))
LAUNCHER(nodes_without_dependency, APART, NODES(nullptr, 0))
LAUNCHER(event_before_the_kernel, BLOCKING, cudaEventRecord(done, one); twice<<<GRID, one>>>(x, t, n);
         cudaStreamWaitEvent(two, done, 0); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(waits_behind_the_kernel, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaEventRecord(done, one);
         plus_one<<<GRID, two>>>(t, out, n); cudaStreamWaitEvent(two, done, 0);)
LAUNCHER(event_of_another_stream, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaEventRecord(done, two);
         cudaStreamWaitEvent(two, done, 0); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(event_not_recorded, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaStreamWaitEvent(two, done, 0);
         plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_synchronize, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaStreamSynchronize(one);
         plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(synchronizes_another, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaStreamSynchronize(two);
         plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_device, BLOCKING, twice<<<GRID, one>>>(x, t, n); cudaDeviceSynchronize(); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_event_synchronize, APART, twice<<<GRID, one>>>(x, t, n); cudaEventRecord(done, one); cudaEventSynchronize(done);
         plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_query, APART, twice<<<GRID, one>>>(x, t, n); while (cudaStreamQuery(one) == cudaErrorNotReady) {} plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_one_stream, APART, twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID, one>>>(t, out, n);)
LAUNCHER(right_default_between, BLOCKING, twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID>>>(t, s, n);
         cudaMemcpyAsync(out, s, bytes, cudaMemcpyDeviceToDevice, two);)
LAUNCHER(default_beside, APART, twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID>>>(t, out, n);)
LAUNCHER(beside_the_default, APART, twice<<<GRID>>>(x, t, n); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_copy_waits, BLOCKING, std::vector<float> own(n); twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID, one>>>(t, s, n);
         cudaMemcpy(own.data(), s, bytes, cudaMemcpyDeviceToHost); cudaMemcpy(out, own.data(), bytes, cudaMemcpyHostToDevice);)
LAUNCHER(copy_does_not_wait, APART, std::vector<float> own(n); twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID, one>>>(t, s, n);
         cudaMemcpy(own.data(), s, bytes, cudaMemcpyDeviceToHost); cudaMemcpy(out, own.data(), bytes, cudaMemcpyHostToDevice);)
LAUNCHER(overwritten, BLOCKING, twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID, one>>>(t, out, n);
         cudaMemsetAsync(t, 0, bytes, two);)
LAUNCHER(right_overwritten, BLOCKING, twice<<<GRID, one>>>(x, t, n); plus_one<<<GRID, one>>>(t, out, n);
         cudaEventRecord(done, one); cudaStreamWaitEvent(two, done, 0); cudaMemsetAsync(t, 0, bytes, two);)
LAUNCHER(right_halves, APART, const int half = n / 2; twice<<<GRID, one>>>(x, t, half); plus_one<<<GRID, one>>>(t, out, half);
         twice<<<GRID, two>>>(x + half, t + half, n - half); plus_one<<<GRID, two>>>(t + half, out + half, n - half);)
LAUNCHER(halves_overlap, APART, const int half = n / 2; twice<<<GRID, one>>>(x, t, half);
         twice<<<GRID, two>>>(x + half, t + half, n - half); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_fork_and_join, APART, cudaEventRecord(done, stream); cudaStreamWaitEvent(one, done, 0);
         cudaMemcpyAsync(s, x, bytes, cudaMemcpyDeviceToDevice, one); cudaEventRecord(also, one);
         cudaMemcpyAsync(t, x, bytes, cudaMemcpyDeviceToDevice, stream); cudaStreamWaitEvent(stream, also, 0);
         sum_of<<<GRID, stream>>>(s, t, out, n);)
LAUNCHER(fork_without_a_join, APART, cudaEventRecord(done, stream); cudaStreamWaitEvent(one, done, 0);
         cudaMemcpyAsync(s, x, bytes, cudaMemcpyDeviceToDevice, one);
         cudaMemcpyAsync(t, x, bytes, cudaMemcpyDeviceToDevice, stream); sum_of<<<GRID, stream>>>(s, t, out, n);)
LAUNCHER(fork_too_early, APART, twice<<<GRID, stream>>>(x, t, n); plus_one<<<GRID, one>>>(t, out, n);
         cudaEventRecord(also, one); cudaStreamWaitEvent(stream, also, 0);)
LAUNCHER(copy_on_another, BLOCKING, cudaMemcpyAsync(t, x, bytes, cudaMemcpyDeviceToDevice, two); sum_of<<<GRID, one>>>(t, t, s, n);
         cudaEventRecord(done, one); cudaStreamWaitEvent(two, done, 0);
         cudaMemcpyAsync(out, s, bytes, cudaMemcpyDeviceToDevice, two);)
LAUNCHER(copy_back_on_another, BLOCKING, cudaMemcpyAsync(t, x, bytes, cudaMemcpyDeviceToDevice, two); cudaEventRecord(done, two);
         cudaStreamWaitEvent(one, done, 0); sum_of<<<GRID, one>>>(t, t, s, n);
         cudaMemcpyAsync(out, s, bytes, cudaMemcpyDeviceToDevice, two);)
LAUNCHER(by_name, BLOCKING, twice_there<<<GRID>>>(t, n); twice_there<<<GRID, one>>>(x, n); plus_one_from_there<<<GRID, two>>>(out, n);)
LAUNCHER(right_by_name, BLOCKING, twice_there<<<GRID, one>>>(x, n); cudaEventRecord(done, one); cudaStreamWaitEvent(two, done);
         plus_one_from_there<<<GRID, two>>>(out, n);)
LAUNCHER(right_object, BLOCKING, twice_of<<<GRID, one>>>(Stays(x), t, n); cudaEventRecord(done, one);
         cudaStreamWaitEvent(two, done); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_pipeline, APART, for (int i = 0; i < n; i += 100) {
             const cudaStream_t in = i / 100 % 2 ? one : two;
             const int m = n - i < 100 ? n - i : 100;
             cudaMemcpyAsync(t + i, x + i, m * 4, cudaMemcpyDeviceToDevice, in);
             twice<<<1, 128, 0, in>>>(t + i, s + i, m);
             plus_one<<<1, 128, 0, in>>>(s + i, out + i, m); })
LAUNCHER(one_buffer_for_two, APART, for (int i = 0; i < n; i += 100) {
             const cudaStream_t in = i / 100 % 2 ? one : two;
             const int m = n - i < 100 ? n - i : 100;
             twice<<<1, 128, 0, in>>>(x + i, t, m);
             plus_one<<<1, 128, 0, in>>>(t, out + i, m); })
LAUNCHER(right_pinned_parts, APART, const int half = n / 2; twice<<<GRID, one>>>(x, t, half);
         twice<<<GRID, two>>>(x + half, t + half, n - half);
         cudaMemcpyAsync(pinned, t, half * 4, cudaMemcpyDeviceToHost, one);
         cudaMemcpyAsync(pinned + half, t + half, (n - half) * 4, cudaMemcpyDeviceToHost, two); cudaStreamSynchronize(one);
         for (int i = 0; i < half; ++i) pinned[i] += 1; cudaStreamSynchronize(two);
         for (int i = half; i < n; ++i) pinned[i] += 1;
         cudaMemcpyAsync(out, pinned, bytes, cudaMemcpyHostToDevice, one);)
LAUNCHER(right_pageable, BLOCKING, {
    std::vector<float> own(n, 1.0f);
    cudaMemcpyAsync(t, own.data(), bytes, cudaMemcpyHostToDevice, one);
} sum_of<<<GRID, one>>>(x, x, s, n);
         cudaMemcpyAsync(out, s, bytes, cudaMemcpyDeviceToDevice, one);)
LAUNCHER(right_host_function, APART, static int count; count = 0; twice<<<GRID, one>>>(x, t, n);
         cudaLaunchHostFunc(one, [](void* to) { ++*static_cast<int*>(to); }, &count); plus_one<<<GRID, one>>>(t, out, n); cudaStreamSynchronize(one); if (count != 1) cudaMemset(out, 0, bytes);)
LAUNCHER(right_freed_in_order, APART, float* own; cudaMallocAsync(&own, bytes, one); twice<<<GRID, one>>>(x, own, n);
         plus_one<<<GRID, one>>>(own, out, n); cudaFreeAsync(own, one);)
LAUNCHER(right_destroyed_early, BLOCKING, cudaStream_t own; cudaStreamCreate(&own); twice<<<GRID, own>>>(x, t, n);
         cudaEvent_t event; cudaEventCreate(&event); cudaEventRecord(event, own); cudaStreamWaitEvent(two, event);
         cudaEventDestroy(event); cudaStreamDestroy(own); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_destroyed_default, BLOCKING, cudaStream_t own; cudaStreamCreate(&own); twice<<<GRID, own>>>(x, t, n);
         cudaStreamDestroy(own); plus_one<<<GRID>>>(t, out, n);)
LAUNCHER(right_thread, APART, twice<<<GRID, one>>>(x, t, n); std::thread([=] { cudaStreamSynchronize(one); }).join();
         plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_timed, BLOCKING, cudaEvent_t from, to; cudaEventCreate(&from); cudaEventCreate(&to); cudaEventRecord(from, one);
         twice<<<GRID, one>>>(x, t, n); cudaEventRecord(to, one); cudaStreamWaitEvent(two, to); plus_one<<<GRID, two>>>(t, out, n);
         cudaEventSynchronize(to); float ms; cudaEventElapsedTime(&ms, from, to); if (!(ms > 0)) cudaMemset(out, 0, bytes);
         cudaEventDestroy(from); cudaEventDestroy(to);)
LAUNCHER(right_three_chain, APART, cudaStream_t three; cudaStreamCreate(&three);
         cudaMemcpyAsync(s, x, bytes, cudaMemcpyDeviceToDevice, one); cudaEventRecord(done, one);
         cudaStreamWaitEvent(two, done); twice<<<GRID, two>>>(s, t, n); cudaEventRecord(also, two);
         cudaStreamWaitEvent(three, also); plus_one<<<GRID, three>>>(t, out, n); cudaStreamSynchronize(three);
         cudaStreamDestroy(three);)
#define WITHOUT_WAIT(name, kind, ...) \
    extern "C" void name(const float* x, float* out, int n, cudaStream_t stream) { \
        static cudaStream_t one = [] { \
            cudaStream_t made; \
            cudaStreamCreateWithFlags(&made, kind); \
            return made; \
        }(); \
        static float* t = [] { \
            float* made; \
            cudaMalloc(&made, 1 << 14); \
            return made; \
        }(); \
        twice<<<GRID, one>>>(x, t, n); \
        __VA_ARGS__ \
    }
WITHOUT_WAIT(returns_early, APART, plus_one<<<GRID, one>>>(t, out, n); (void)stream;)
WITHOUT_WAIT(right_host_node_of_the_caller, BLOCKING, HOST_NODE(stream))
WITHOUT_WAIT(right_at_return, BLOCKING, plus_one<<<GRID, one>>>(t, out, n); (void)stream;)
WITHOUT_WAIT(right_joined, APART, plus_one<<<GRID, one>>>(t, out, n); cudaEvent_t done; cudaEventCreate(&done);
             cudaEventRecord(done, one); cudaStreamWaitEvent(stream, done); cudaEventDestroy(done);)

__global__ void far(float* t) { t[1 << 28] = 1; }
extern "C" void faults_later(const float* x, float* out, int n, cudaStream_t) {
    cudaStream_t one;
    cudaStreamCreate(&one);
    float* t;
    cudaMalloc(&t, n * sizeof(float));
    far<<<1, 1, 0, one>>>(t);
    twice<<<GRID, one>>>(x, out, n);
    cudaStreamSynchronize(one);
    cudaStreamDestroy(one);
    cudaFree(t);
}

// Memory that the host and the GPU share.
LAUNCHER(shared_without_event, BLOCKING, twice<<<GRID, one>>>(x, pinned, n); plus_one<<<GRID, two>>>(pinned, out, n);)
LAUNCHER(right_shared_with_event, BLOCKING, twice<<<GRID, one>>>(x, pinned, n); cudaEventRecord(done, one);
         cudaStreamWaitEvent(two, done, 0); plus_one<<<GRID, two>>>(pinned, out, n);)
LAUNCHER(right_shared_in_halves, APART, const int half = n / 2; twice<<<GRID, one>>>(x, pinned, half); twice<<<GRID, two>>>(x + half, pinned + half, n - half);
         cudaStreamSynchronize(one); cudaStreamSynchronize(two); float last = pinned[n - 1]; pinned[n - 1] = 0; pinned[n - 1] = last;
         plus_one<<<GRID, stream>>>(pinned, out, n); cudaStreamSynchronize(stream);)
LAUNCHER(right_shared_and_read_by_both, BLOCKING, for (int i = 0; i < n; ++i) pinned[i] = 1; plus_one<<<GRID, one>>>(pinned, s, n);
         if (pinned[3] == 1) twice<<<GRID, two>>>(x, t, n); cudaEventRecord(done, one); cudaStreamWaitEvent(two, done, 0);
         cudaStreamSynchronize(two); plus_one<<<GRID, two>>>(t, out, n);)
LAUNCHER(right_shared_on_the_default, BLOCKING, twice<<<GRID, nullptr>>>(x, pinned, n); plus_one<<<GRID, one>>>(pinned, out, n);)
