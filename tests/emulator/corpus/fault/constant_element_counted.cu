// An atomic operation on an element of constant memory, in a thread of the last block.
struct Counter {
    int calls[2];
};
__constant__ Counter counter;
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
    if (i == n - 1) atomicAdd(&counter.calls[1], 1);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
