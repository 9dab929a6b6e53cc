// Managed memory is advised and prefetched as CUDA 13 asks for it, by a location.
#include <cuda_runtime.h>
__global__ void k(const float* a, const float* bias, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + bias[i % 64];
}
extern "C" void launch(const float* a, float* out, int n) {
    float* bias;
    if (cudaMallocManaged(&bias, 64 * sizeof(float), cudaMemAttachGlobal) != cudaSuccess) return;
    for (int i = 0; i < 64; ++i) bias[i] = 1;
    int device = 0;
    cudaGetDevice(&device);
    cudaMemLocation gpu{}, cpu{};
    gpu.type = cudaMemLocationTypeDevice;
    gpu.id = device;
    cpu.type = cudaMemLocationTypeHost;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemAdvise(bias, 64 * sizeof(float), cudaMemAdviseSetReadMostly, gpu);
    cudaMemAdvise(bias, 64 * sizeof(float), cudaMemAdviseSetPreferredLocation, cpu);
    cudaMemPrefetchAsync(bias, 64 * sizeof(float), gpu, 0, s);
    k<<<(n + 127) / 128, 128, 0, s>>>(a, bias, out, n);
    cudaStreamSynchronize(s);
    cudaMemPrefetchAsync(bias, 64 * sizeof(float), cpu, 0, s);
    cudaStreamSynchronize(s);
    if (bias[5] != 1) cudaMemset(out, 0, n * sizeof(float));
    cudaStreamDestroy(s);
    cudaFree(bias);
}
