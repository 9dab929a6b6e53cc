// Macros of a whole declaration of shared memory: with a type, with parameters, of two arrays.
#include <cstdint>

#define IN_BLOCK __shared__ float
#define SHARED(T, name, count) __shared__ T name[count]
#define TWO(T, x, y) SHARED(T, x, 256), y

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    IN_BLOCK s[256], one;
    SHARED(float, t, 128 + 128);
    TWO(float, u, last);
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    t[255 - threadIdx.x] = u[threadIdx.x] = 1.0f;
    if (threadIdx.x == 0) one = 0.5f, last = 0.5f;
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x] + one + last + t[threadIdx.x] - u[255 - threadIdx.x];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
