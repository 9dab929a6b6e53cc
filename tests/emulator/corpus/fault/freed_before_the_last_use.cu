// A scratch buffer is freed between two kernels that use it.
#include <cuda_runtime.h>
#include <memory>
struct Free { void operator()(float* p) const { cudaFree(p); } };
using Buffer = std::unique_ptr<float, Free>;
static Buffer make(int n) { float* p = nullptr; cudaMalloc(&p, n * sizeof(float)); return Buffer(p); }
__global__ void first(const float* a, float* t, int n) { const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) t[i] = a[i]; }
__global__ void second(const float* t, float* out, int n) { const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = t[i] + 1; }
static float* prepared(const float* a, int n) {
    Buffer t = make(n);
    first<<<(n + 255) / 256, 256>>>(a, t.get(), n);
    return t.get();
}
extern "C" void launch(const float* a, float* out, int n) {
    const float* t = prepared(a, n);
    second<<<(n + 255) / 256, 256>>>(t, out, n);
    cudaDeviceSynchronize();
}
