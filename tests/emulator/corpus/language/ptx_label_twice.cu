// A label in inline PTX without braces, in two statements of a function: it is there twice.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned x = 3, y = 3;
    asm volatile("AGAIN: sub.u32 %0, %0, 1;" : "+r"(x));
    asm volatile("AGAIN: sub.u32 %0, %0, 1;" : "+r"(y));
    if (i < n) out[i] = a[i] + (x + y == 4 ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
