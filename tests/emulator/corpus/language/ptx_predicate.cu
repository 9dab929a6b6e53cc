// Inline PTX with a predicate of its own, bits moved between types, and an atomic addition.
#include <cstdint>

__device__ unsigned count;

__device__ float load_or_zero(const float* from, bool inside) {
    float value;
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\tmov.b32 %0, 0;\n\t"
        "@p ld.global.f32 %0, [%1];\n\t}"
        : "=f"(value)
        : "l"(from), "r"(int(inside)));
    return value;
}

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const float value = load_or_zero(a + i, i < n);
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&count), "r"(1u));
    unsigned bits;
    asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(value));
    if (i < n) out[i] = __uint_as_float(bits) + (count > 0 ? 1.0f : 0.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
