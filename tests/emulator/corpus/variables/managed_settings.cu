// A __managed__ struct with an array is set by the host, counted in by the kernel, read after a wait.
#include <cuda_runtime.h>
struct Settings { float bias[4]; unsigned seen; int limit; };
__managed__ Settings settings;
__managed__ float* scratch = nullptr;
__global__ void k(const float* a, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        scratch[i] = a[i] + settings.bias[i & 3];
        atomicInc(&settings.seen, 0xffffffffu);
    }
}
__global__ void finish(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scratch[i] + settings.bias[3 - (i & 3)];
}
extern "C" void launch(const float* a, float* out, int n) {
    for (int j = 0; j < 4; ++j) settings.bias[j] = 0.25f * j;
    settings.seen = 0;
    cudaMalloc(&scratch, n * sizeof(float));
    k<<<3, 96>>>(a, out, n);
    cudaDeviceSynchronize();
    if (settings.seen == static_cast<unsigned>(n)) settings.bias[0] += 0.25f, settings.bias[1] += 0.25f,
        settings.bias[2] += 0.25f, settings.bias[3] += 0.25f;
    finish<<<(n + 255) / 256, 256>>>(out, n);
    // (j / 4) + (3 - j) / 4 + 1 / 4 = 1
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
