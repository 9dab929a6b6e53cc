// The modifiers of a PTX load, store and atomic in another order than its manual's.
__global__ void k(const float* a, float* out, int* last, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x;
    if (i < n) {
        asm volatile("ld.global.relaxed.gpu.f32 %0, [%1];" : "=f"(x) : "l"(a + i) : "memory");
        asm volatile("st.global.release.gpu.f32 [%0], %1;" ::"l"(out + i), "f"(x + 1) : "memory");
    }
    if (threadIdx.x == 0) {
        int before;
        asm volatile("atom.add.release.gpu.global.s32 %0, [%1], 1;" : "=r"(before) : "l"(last) : "memory");
        asm volatile("red.global.add.gpu.relaxed.u32 [%0], %1;" ::"l"(last), "r"(before) : "memory");
    }
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) {
    int* last;
    cudaMalloc(&last, sizeof(int));
    cudaMemset(last, 0, sizeof(int));
    k<<<(n + 255) / 256, 256>>>(a, out, last, n);
    cudaFree(last);
}
