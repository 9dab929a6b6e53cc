// A kernel's input is a pointer that nothing has set.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    float* copy;
    add_one<<<(n + 255) / 256, 256>>>(copy, out, n);
}
