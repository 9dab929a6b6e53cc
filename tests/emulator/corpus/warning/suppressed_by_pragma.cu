// The file does not want to be told of a variable without a value.
#pragma nv_diag_suppress 549
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int unset;
    if (i < n) out[i] = a[i] + 1 + 0 * unset;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
