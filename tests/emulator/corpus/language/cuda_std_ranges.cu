// cuda::std::ranges: begin, end, size and a subrange; concepts are constants.
#include <cuda/std/concepts>
#include <cuda/std/ranges>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    static_assert(cuda::std::ranges::random_access_range<float[3]> && cuda::std::integral<int>);
    const float t[2] = {a[i], 1.0f};
    float sum = 0.0f;
    for (const float x : cuda::std::ranges::subrange(cuda::std::ranges::begin(t), cuda::std::ranges::end(t))) sum += x;
    out[i] = cuda::std::ranges::size(t) == 2 ? sum : 0.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
