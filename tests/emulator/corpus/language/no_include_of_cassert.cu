// assert without <cassert>.
__global__ void k(const float* a, float* out, int64_t n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(n > 0);
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
