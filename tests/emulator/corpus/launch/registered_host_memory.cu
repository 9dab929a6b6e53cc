// A kernel writes an array of the host that is registered.
#include <cstdlib>
#include <cstdint>

__global__ void q(float* p) { *p += 1; }
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float* h = (float*)malloc(4096);
    *h = 0;
    cudaHostRegister(h, 4096, cudaHostRegisterDefault);
    q<<<1, 1, 0, stream>>>(h);
    cudaDeviceSynchronize();
    cudaHostUnregister(h);
    if (*h == 1) k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
    free(h);
}
