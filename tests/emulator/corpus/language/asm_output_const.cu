// A const variable as the output of inline PTX.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = 0;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (i < n) out[i] = a[i] + 1.0f + 0 * lane;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
