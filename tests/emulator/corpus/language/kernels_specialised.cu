// A kernel template specialised, instantiated by hand, with default arguments, of a pack, and as a friend.
#include <cuda_runtime.h>
template <class T, int By = 1> __global__ void k(const T* a, T* out, int n, T more = T()) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + By + more;
}
template <> __global__ void k<float, 2>(const float* a, float* out, int n, float more) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 0.5f + more;
}
template __global__ void k<double, 3>(const double*, double*, int, double);
template <class... Ts> __global__ void sum(float* out, int n, Ts... xs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (out[i] + ... + xs);
}
class Counter {
    int start_ = 0;
    friend __global__ void count(Counter c, float* out, int n);
};
__global__ void count(Counter c, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += c.start_;
}
extern "C" void launch(const float* a, float* out, int n) {
    const dim3 grid((n + 255) / 256);
    k<float><<<grid, 256>>>(a, out, n, 0.f);
    k<float, 2><<<grid, 256>>>(a, out, n, 0.25f);
    sum<<<grid, 256>>>(out, n, 0.125f, 0.125, 0);
    count<<<grid, 256>>>(Counter{}, out, n);
}
