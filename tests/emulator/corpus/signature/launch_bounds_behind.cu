// Launch bounds behind the parameters of a definition.
#include <cstdint>
__global__ void k(const float* a, float* out, int64_t n) __launch_bounds__(256) { int64_t i = blockIdx.x * 256ll + threadIdx.x; if (i < n) out[i] = a[i] + 1.0f; }
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
