// Threads, blocks and their sizes as PTX names them, and constants with a point.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    unsigned thread, threads, block, blocks, warp;
    float one;
    asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(threads));
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
    asm("mov.u32 %0, WARP_SZ;" : "=r"(warp));
    asm("sub.f32 %0, %1, 0.5;" : "=f"(one) : "f"(1.5f));
    const bool ok = thread == threadIdx.x && threads == blockDim.x && block == blockIdx.x && blocks == gridDim.x && warp == 32 && one == 1.0f;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
