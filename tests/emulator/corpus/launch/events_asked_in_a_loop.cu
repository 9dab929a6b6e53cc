// Two streams pass a buffer to and fro by events; the host asks them until they are done.
#include <cuda_runtime.h>
__global__ void step(const float* from, float* to, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + by;
}
struct Streams {
    cudaStream_t s[2];
    cudaEvent_t e[2];
    Streams() {
        for (auto& x : s) cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
        for (auto& x : e) cudaEventCreateWithFlags(&x, cudaEventDisableTiming | cudaEventBlockingSync);
    }
    ~Streams() {
        for (auto x : s) cudaStreamDestroy(x);
        for (auto x : e) cudaEventDestroy(x);
    }
};
extern "C" void launch(const float* a, float* out, int n) {
    Streams streams;
    float* t[2];
    for (auto& p : t) cudaMalloc(&p, n * sizeof *p);
    const int grid = (n + 255) / 256;
    const float* from = a;
    for (int i = 0; i < 7; ++i) {
        const int me = i & 1;
        if (i) cudaStreamWaitEvent(streams.s[me], streams.e[!me], 0);
        step<<<grid, 256, 0, streams.s[me]>>>(from, t[me], n, 0.125f);
        cudaEventRecord(streams.e[me], streams.s[me]);
        from = t[me];
    }
    cudaError_t state;
    while ((state = cudaEventQuery(streams.e[0])) == cudaErrorNotReady) {}
    if (state != cudaSuccess) return;
    step<<<grid, 256, 0, streams.s[0]>>>(from, out, n, 0.125f);
    while (cudaStreamQuery(streams.s[0]) != cudaSuccess) {}
    for (auto p : t) cudaFree(p);
}
