// A struct that a host function defines is the argument of a kernel template.
#include <cuda_runtime.h>
template <class F> __global__ void k(const float* a, float* out, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(a[i]);
}
extern "C" void launch(const float* a, float* out, int n) {
    struct Add { float by; __device__ float operator()(float x) const { return x + by; } };
    k<<<(n + 255) / 256, 256>>>(a, out, n, Add{1.f});
}
