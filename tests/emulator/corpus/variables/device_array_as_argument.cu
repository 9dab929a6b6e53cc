// A host's address of a device array, as a launch's argument.
#include <cstdint>
__device__ float buf[100000];
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + 1.0f;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    if (n < 0) k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(buf, out, n);
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
