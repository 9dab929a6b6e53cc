// A host that counts in warps: it has no warpSize.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 8 * warpSize>>>(a, out, n); }
