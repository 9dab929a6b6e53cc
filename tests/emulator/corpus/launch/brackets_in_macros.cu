// The brackets are macros.
#include <cstdint>
#define LB <<<
#define RB >>>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + 1.0f;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k LB 1024, 256, 0, stream RB (a, out, n);
}
