// An atomic operation on a thread's own array: a GPU has none on local memory.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int counts[4] = {0, 1, 2, 3};
    atomicAdd(&counts[i % 4], 1);
    if (i < n) out[i] = a[i] + counts[i % 4] - i % 4;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
