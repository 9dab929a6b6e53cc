// printf, malloc, free and memcpy exist in kernels.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i == 0 && n < 0) printf("%d", 1);
    float one = 1.0f, copy;
    memcpy(&copy, &one, sizeof one);
    void* p = malloc(16);
    free(p);
    if (i < n) out[i] = a[i] + copy;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
