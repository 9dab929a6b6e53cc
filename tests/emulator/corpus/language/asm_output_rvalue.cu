// A sum as the output of inline PTX.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int y = 1;
    asm("mov.u32 %0, 3;" : "=r"(y + 1));
    if (i < n) out[i] = a[i] + y;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
