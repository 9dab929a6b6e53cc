// Inline PTX of one line, as kernels on the web have it. Each row of `out` has 32 elements.
#include <cuda_runtime.h>

#include <cstdint>

__device__ __forceinline__ float fast_exp2(float x) {
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float4 load_streaming(const float4* p) {
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p));
    return v;
}
__device__ unsigned shared_address(const void* pointer) {
    unsigned address;
    asm("{ .reg .u64 whole;\n"
        "  cvta.to.shared.u64 whole, %1;\n"
        "  cvt.u32.u64 %0, whole; }"
        : "=r"(address)
        : "l"(pointer));
    return address;
}
__global__ void instructions(const float* x, float* out) {
    __shared__ __align__(16) float tile[128];
    const int t = threadIdx.x;
    float* o = out + t;
    o[0] = fast_exp2(x[t]);
    float y;
    asm("ld.global.nc.f32 %0, [%1+4];" : "=f"(y) : "l"(x + t));
    o[32] = y;
    const float4 v = load_streaming(reinterpret_cast<const float4*>(x) + t);
    o[64] = v.x + 2 * v.y + 4 * v.z + 8 * v.w;
    asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(x[t]), "f"(2.0f), "f"(0.5f));
    o[96] = y;
    unsigned u;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(t), "r"(3u), "r"(7u));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(u) : "r"(u), "r"(0xffu), "r"(t));
    o[128] = static_cast<float>(u);
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * t));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(at), "l"(x + 4 * t));
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    __syncthreads();
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(y) : "r"(at));
    o[160] = y + tile[127 - t];
    asm("ld.shared.f32 %0, [%1];" : "=f"(y) : "r"(shared_address(tile + t)));
    o[256] = y;
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(out + 192 + 2 * t), "f"(x[t]), "f"(-x[t]) : "memory");
    asm volatile("{ bar.sync 0; membar.gl; }" ::: "memory");
}
extern "C" void run_instructions(const float* x, float* out, cudaStream_t stream) {
    instructions<<<1, 32, 0, stream>>>(x, out);
}
