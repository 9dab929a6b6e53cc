// A kernel's parameter is a pointer to a member: nvcc's linker finds no such kernel.
#include <cstdint>

struct Pair {
    float x, y;
};
__global__ void k(const Pair* a, float* out, float Pair::*field, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i / 2].*field + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(reinterpret_cast<const Pair*>(a), out, &Pair::x, n);
}
