// Each stream has a part of its own, and the host reads a part when its stream has ended.
#include <cuda_runtime.h>

__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaStream_t streams[2];
    float* pinned;
    cudaMallocHost(&pinned, n * sizeof(float));
    const int half = n / 2;
    for (int k = 0; k < 2; ++k) {
        const int first = k * half, count = k ? n - half : half;
        cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking);
        add_one<<<(count + 255) / 256, 256, 0, streams[k]>>>(a + first, out + first, count);
        cudaMemcpyAsync(pinned + first, out + first, count * sizeof(float), cudaMemcpyDeviceToHost, streams[k]);
    }
    for (int k = 0; k < 2; ++k) {
        const int first = k * half, count = k ? n - half : half;
        cudaStreamSynchronize(streams[k]);
        bool same = true;
        for (int i = first; i < first + count; ++i) same = same && pinned[i] == pinned[i];
        if (!same) cudaMemsetAsync(out + first, 0, count * sizeof(float), streams[k]);
        cudaStreamDestroy(streams[k]);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
}
