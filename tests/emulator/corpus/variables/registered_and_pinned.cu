// Registered and pinned memory of the host, and null pointers in their three ways.
#include <cuda_runtime.h>
#include <vector>
__global__ void add_one(const float* a, const float* b, const float* c, float* d, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[0] + c[0] + (d ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) {
    std::vector<float> own(1024, 1.0f);
    cudaHostRegister(own.data(), 4096, cudaHostRegisterDefault);
    float* pinned;
    cudaMallocHost(&pinned, 4);
    *pinned = 0;
    add_one<<<(n + 255) / 256, 256>>>(a, own.data(), pinned, NULL, out, n);
    add_one<<<(n + 255) / 256, 256>>>(a, own.data(), pinned, 0, out, n);
    add_one<<<(n + 255) / 256, 256>>>(a, own.data(), pinned, nullptr, out, n);
    cudaDeviceSynchronize();
    cudaHostUnregister(own.data());
    cudaFreeHost(pinned);
}
