// Vector loads and stores by PTX with cache words, a prefetch, and an asynchronous copy that fills up with zeros.
#include <cuda_runtime.h>
#include <cstdint>
__device__ float4 load_once(const float4* p) {
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}
__device__ void store_once(float4* p, float4 v) {
    asm volatile("st.global.L1::no_allocate.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
__device__ void copy16(void* to, const void* from, bool valid) {
    const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(to));
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
}
__global__ void k(const float* a, float* out, int n) {
    __shared__ alignas(16) float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    const bool valid = 4 * i < n;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + (valid ? 4 * i : 0)));
    copy16(&tile[t], a + (valid ? 4 * i : 0), valid);
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group 0;\n" ::: "memory");
    float4 v = tile[t];
    if (valid) {
        const float4 w = load_once(reinterpret_cast<const float4*>(a) + i);
        v.x += v.x == w.x, v.y += v.y == w.y, v.z += v.z == w.z, v.w += v.w == w.w;
        store_once(reinterpret_cast<float4*>(out) + i, v);
    } else if (v.x != 0 || v.w != 0) {
        __trap();
    }
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n / 4 + 63) / 64, 64>>>(a, out, n); }
