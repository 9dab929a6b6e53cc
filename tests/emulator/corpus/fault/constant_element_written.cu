// Elements of constant memory are written: nvcc warns, and puts a trap in their place.
__constant__ float ones[4] = {1, 1, 1, 1};
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) ones[0] = 1;
    if (i < n) out[i] = a[i] + ones[i % 4];
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
