// Names of the C library's functions for processes and files, which no header of CUDA declares.
#include <cstdint>

enum Step { read, write, link };

__device__ int pipe = 2;
__device__ void sleep(unsigned nanoseconds) { __nanosleep(nanoseconds); }
__device__ float access(const float* x, int64_t i) { return x[i]; }

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    sleep(1);
    out[i] = access(a, i) + read + write - link + pipe;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<(n + 255) / 256, 256, 0, stream>>>(a, out, n);
}
