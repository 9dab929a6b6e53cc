// Host code sees no function that only device code has.
#include <cstdint>
#ifdef __CUDA_ARCH__
__device__ int f() { return 1; }
#endif
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + f();
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
