// Functions of PTX that macros make: the instruction, its type and its constraint are the macro's arguments.
#include <cuda_runtime.h>
#define BINARY(name, text, type, letter) \
    __device__ __forceinline__ type name(type x, type y) { \
        type d; \
        asm(text " %0, %1, %2;" : "=" letter(d) : letter(x), letter(y)); \
        return d; \
    }
#define TYPED(op, suffix, T, L) BINARY(op##_##suffix, #op "." #suffix, T, L)
#define LOAD(name, cache, T, suffix, L) \
    __device__ __forceinline__ T name(const T* from) { \
        T value; \
        asm volatile("ld.global" cache "." suffix " %0, [%1];" : "=" L(value) : "l"(from)); \
        return value; \
    }
BINARY(add_floats, "add.rn.f32", float, "f")
TYPED(min, u32, unsigned, "r")
TYPED(max, s64, long long, "l")
TYPED(xor, b32, unsigned, "r")
LOAD(load_nc, ".nc", float, "f32", "f")
LOAD(load_once, ".cs", int, "s32", "r")
#define STORE(type, letter, to, value) asm volatile("st.global." #type " [%0], %1;" ::"l"(to), letter(value) : "memory")
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = load_nc(a + i);
    const bool ok = min_u32(7u, ~0u) == 7u && max_s64(-5, 3ll << 40) == 3ll << 40 && xor_b32(12u, 10u) == 6u && load_once(reinterpret_cast<const int*>(a + i)) == __float_as_int(x);
    STORE(f32, "f", out + i, add_floats(x, ok ? 1.0f : 0.0f));
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 63) / 64, 64>>>(a, out, n); }
