// A stream has the flags and the priority that it was made with.
#include <cuda_runtime.h>
__global__ void add(const float* a, float* out, float more, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + more;
}
extern "C" void launch(const float* a, float* out, int n) {
    int least, greatest, priority;
    unsigned flags;
    cudaStream_t stream;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
    cudaStreamGetPriority(stream, &priority);
    cudaStreamGetFlags(stream, &flags);
    const bool right = priority == greatest && flags == cudaStreamNonBlocking;
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, out, right ? 1.0f : 2.0f, n);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
