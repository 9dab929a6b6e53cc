// A specialisation has its template's space.
#include <cstdint>
template <typename T> __device__ T plus(T x) { return x; }
template <> float plus<float>(float x) { return x + 1.0f; }
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        out[i] = plus<float>(a[i]);
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
