// A kernel makes objects of derived classes, another calls them through the base, a third destroys them.
#include <cuda_runtime.h>
struct Layer {
    __device__ virtual ~Layer() {}
    __device__ virtual float apply(float x) const = 0;
};
struct Bias : Layer {
    float b;
    __device__ explicit Bias(float b) : b(b) {}
    __device__ float apply(float x) const override { return x + b; }
};
struct Chain final : Layer {
    Layer *first, *second;
    __device__ Chain(Layer* first, Layer* second) : first(first), second(second) {}
    __device__ ~Chain() override { delete first; delete second; }
    __device__ float apply(float x) const override { return second->apply(first->apply(x)); }
};
__device__ Layer* model;
__global__ void build() {
    Layer* l = new Bias(0.25f);
    for (int j = 0; j < 3; ++j) l = new Chain(l, new Bias(0.25f));
    model = l;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = model->apply(a[i]);
}
__global__ void destroy() { delete model; model = nullptr; }
extern "C" void launch(const float* a, float* out, int n) {
    build<<<1, 1>>>();
    k<<<(n + 63) / 64, 64>>>(a, out, n);
    destroy<<<1, 1>>>();
    cudaDeviceSynchronize();
}
