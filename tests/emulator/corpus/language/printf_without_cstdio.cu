// printf without <cstdio>: nvcc's own headers do not bring it.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    if (i == 0) printf("%u %ld %llu %f %e %g %5d|%-5d|%05d %.3s %lu\n", 1u, 2l, 3ull, 1.5, 1.5, 1.5, 4, 5, 6, "abcdef", 7ul);
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
