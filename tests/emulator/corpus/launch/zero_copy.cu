// A kernel writes memory of the host that is mapped.
#include <cstdint>

__global__ void q(float* p) { *p += 1; }
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float *h, *d;
    cudaHostAlloc(&h, 4, cudaHostAllocMapped);
    *h = 0;
    cudaHostGetDevicePointer(&d, h, 0);
    q<<<1, 1, 0, stream>>>(d);
    cudaStreamSynchronize(stream);
    if (*h == 1) k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
