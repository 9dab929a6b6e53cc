// The file makes a warning an error: of a variable that nothing uses.
#pragma nv_diag_error 177
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int unused = 3;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
