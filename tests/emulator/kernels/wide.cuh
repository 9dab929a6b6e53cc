#pragma once
namespace wide {
template <int N, typename T> __global__ void twice_kernel(const T* x, T* out, int64_t n) {
    const int64_t i = N * (blockIdx.x * int64_t(blockDim.x) + threadIdx.x);
    for (int64_t k = i; k < i + N && k < n; ++k) out[k] = x[k] + x[k];
}
template <typename T, typename... Rest> void twice(const T* x, T* out, int64_t n, Rest... rest) {
    auto kernel = twice_kernel<4, T>;
    kernel<<<(n + 1023) / 1024, 256, 0, rest...>>>(x, out, n);
}
}  // namespace wide
