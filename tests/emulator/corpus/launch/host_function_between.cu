// A host function in a stream adds up what was copied, and the next kernel takes its result from pinned memory.
#include <cuda_runtime.h>
struct Work { const float* from; float* result; int n; };
void CUDART_CB add_up(void* data) {
    auto* work = static_cast<Work*>(data);
    float s = 0;
    for (int i = 0; i < work->n; ++i) s += work->from[i];
    *work->result = s >= 0 ? 1.f : -1.f;
}
__global__ void k(const float* a, float* out, int n, const float* one) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + *one;
}
extern "C" void launch(const float* a, float* out, int n) {
    float *copy, *result;
    cudaMallocHost(&copy, n * sizeof(float));
    cudaHostAlloc((void**)&result, sizeof(float), cudaHostAllocMapped);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Work work{copy, result, n};
    cudaMemcpyAsync(copy, a, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, add_up, &work);
    float* seen;
    cudaHostGetDevicePointer((void**)&seen, result, 0);
    k<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n, seen);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
    cudaStreamDestroy(stream);
    cudaFreeHost(copy);
    cudaFreeHost(result);
}
