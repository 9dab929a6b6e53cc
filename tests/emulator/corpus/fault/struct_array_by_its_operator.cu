// A struct's only member is an array, which its operator[] reads past the end.
#include <cuda_runtime.h>

template <int N>
struct Limits {
    float v[N];
    __device__ const float& operator[](int k) const { return v[k]; }
};
__device__ Limits<8> limits = {{0, 1, 2, 3, 4, 5, 6, 7}};

__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fminf(a[i], limits[i % 10]);
}

extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
