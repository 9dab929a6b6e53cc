// A lambda inside of a kernel calls what only a GPU has.
#include <cstdint>

__device__ float twice(float x) { return 2 * x; }
template <typename F>
__device__ float call(F f, float x) {
    return f(x);
}

__global__ void k(const float* a, float* out, int64_t n) {
    __shared__ float s[256];
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    auto load = [&](float x) {
        s[threadIdx.x] = x;
        __syncthreads();
    };
    auto sum = [](float x) {
        for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
        return x;
    };
    load(1.0f);
    const float one = sum(s[threadIdx.x]) / 32.0f;
    const float log_4 = call([=](float x) { return __logf(twice(x) * __expf(0.0f)) * one; }, 2.0f);
    if (i < n) out[i] = a[i] + log_4 / __logf(4.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
