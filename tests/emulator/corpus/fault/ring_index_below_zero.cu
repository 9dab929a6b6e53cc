// A ring's index (i - 3) % size is negative for the first elements.
#include <cuda_runtime.h>
template <class T> struct Ring {
    T* data;
    int size;
    __device__ T& operator[](int i) const { return data[i % size]; }
};
__global__ void k(const float* a, float* out, int n) {
    const Ring<const float> ring{a, n};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
#pragma unroll
    for (int j = -3; j <= 3; ++j) s += ring[i + j];
    out[i] = s / 7;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
