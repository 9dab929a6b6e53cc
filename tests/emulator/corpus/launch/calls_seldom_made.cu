// Limits, cache wishes, flags of streams and events, versions and errors of the runtime.
#include <cuda_runtime.h>
#include <cstring>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    size_t stack = 0, heap = 0, fifo = 0, free_bytes = 0, total = 0, dynamic = 0;
    cudaDeviceGetLimit(&stack, cudaLimitStackSize);
    cudaDeviceSetLimit(cudaLimitStackSize, stack * 2);
    cudaDeviceSetLimit(cudaLimitStackSize, stack);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize);
    cudaMemGetInfo(&free_bytes, &total);
    cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferShared);
    cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, k, 2, 256);
    int driver = 0, runtime = 0, device = -1, can = -1;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaDeviceProp wanted{};
    wanted.major = 7;
    cudaChooseDevice(&device, &wanted);
    cudaDeviceCanAccessPeer(&can, 0, 0);
    cudaStream_t s;
    unsigned flags = 0;
    int priority = 1;
    cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 0);
    cudaStreamGetFlags(s, &flags);
    cudaStreamGetPriority(s, &priority);
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventBlockingSync);
    cudaError_t wrong = cudaMalloc(nullptr, 4);
    const bool named = !std::strcmp(cudaGetErrorName(wrong), "cudaErrorInvalidValue") && cudaPeekAtLastError() == wrong;
    const bool cleared = cudaGetLastError() == wrong && cudaGetLastError() == cudaSuccess;
    const bool ok = stack && heap && fifo && free_bytes <= total && dynamic > 0 && driver >= runtime && runtime / 1000 == 13;
    if (ok && named && cleared && device == 0 && can == 0 && flags == cudaStreamNonBlocking && priority == 0) {
        k<<<(n + 255) / 256, 256, 0, s>>>(a, out, n);
        cudaEventRecordWithFlags(e, s, cudaEventRecordDefault);
        cudaEventSynchronize(e);
    }
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
}
