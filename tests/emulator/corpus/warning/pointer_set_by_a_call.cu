// Pointers that calls and conditions set before they are used.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
void set(const float*& pointer, const float* a) { pointer = a; }
extern "C" void launch(const float* a, float* out, int n) {
    float *copy, *first, *second;
    const float* input;
    set(input, a);
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(copy, input, n * sizeof(float), cudaMemcpyDeviceToDevice);
    first = second = copy;
    add_one<<<(n + 255) / 256, 256>>>(first, out, n);
    cudaFree(second);
}
