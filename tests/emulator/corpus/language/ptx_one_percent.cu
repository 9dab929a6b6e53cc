// Special registers with one % where an operand stands beside them; nvcc takes both forms.
#include <cstdint>

__device__ unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
    return mask;
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned lane;
    asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
    if (i < n) out[i] = a[i] + 1.0f + (__popc(lanes_below()) - int(lane));
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
