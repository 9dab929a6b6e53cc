// nvcc takes a function template that is specialised for a part of its arguments, and never calls it. The course, as C++, refuses it.
#include <cstdint>

template <typename T, int kN>
__device__ T add(T x) {
    return x;
}
template <typename T>
__device__ T add<T, 1>(T x) {
    return x + T(1);
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = add<float, 1>(a[i]);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
