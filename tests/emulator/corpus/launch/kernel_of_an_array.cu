// Kernels that an array points to.
__global__ void copy(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i];
}
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}
extern "C" void launch(const float* a, float* out, int n) {
    void (*kernels[])(const float*, float*, int) = {copy, add_one};
    for (int k = 0; k < 2; ++k) kernels[k]<<<(n + 255) / 256, 256>>>(a, out, n);
}
