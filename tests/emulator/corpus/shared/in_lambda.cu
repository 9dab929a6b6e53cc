// A shared array in a lambda.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    auto f = [&] { __shared__ float s[256]; s[threadIdx.x] = 1.0f; return s[threadIdx.x]; };
    if (i < n) out[i] = a[i] + f();
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
