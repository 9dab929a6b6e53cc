// A stream's callback, ids and flags of streams, an event of another stream waited for.
#include <cuda_runtime.h>
#include <atomic>
static std::atomic<int> calls{0};
static void CUDART_CB called(cudaStream_t, cudaError_t status, void* data) { if (status == cudaSuccess) *static_cast<std::atomic<int>*>(data) += 1; }
__global__ void k(const float* a, float* out, int n, int part) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == part) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    int low, high, priority = 1;
    unsigned flags = 0;
    unsigned long long id = 0, other = 0;
    cudaDeviceGetStreamPriorityRange(&low, &high);
    cudaStream_t s, t;
    cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, high);
    cudaStreamCreate(&t);
    cudaStreamGetPriority(s, &priority);
    cudaStreamGetFlags(s, &flags);
    cudaStreamGetId(s, &id);
    cudaStreamGetId(t, &other);
    calls = 0;
    k<<<(n + 255) / 256, 256, 0, s>>>(a, out, n, 0);
    cudaStreamAddCallback(s, called, &calls, 0);
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(done, s);
    cudaStreamWaitEvent(t, done, 0);
    if (priority == high && flags == cudaStreamNonBlocking && id != other) k<<<(n + 255) / 256, 256, 0, t>>>(a, out, n, 1);
    cudaStreamSynchronize(t);
    cudaStreamSynchronize(s);
    if (calls != 1) k<<<1, 1>>>(a, out, -1, 5);
    cudaEventDestroy(done); cudaStreamDestroy(s); cudaStreamDestroy(t);
}
