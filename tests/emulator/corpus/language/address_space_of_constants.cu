// Constant memory is none of the other spaces.
#include <cstdint>

__constant__ float table[4];
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ float shared[4];
    const bool ok = __isConstant(table) && !__isGlobal(table) && !__isConstant(shared) && !__isConstant(a) && __isGlobal(a) && __cvta_global_to_generic(__cvta_generic_to_global(a)) == a;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
