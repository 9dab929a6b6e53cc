// using enum is C++20.
#include <cuda_runtime.h>
enum class Op { add, scale };
__device__ float apply(Op op, float x) {
    switch (op) {
        using enum Op;
        case add: return x + 1;
        case scale: return x * 1;
    }
    return x;
}
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = apply(Op::add, a[i]);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
