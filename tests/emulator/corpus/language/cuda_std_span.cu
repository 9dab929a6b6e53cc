// cuda::std::span of a fixed size and its parts.
#include <cuda/std/span>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    float t[4] = {a[i], 1.0f, 2.0f, 3.0f};
    const cuda::std::span all(t);
    static_assert(decltype(all)::extent == 4 && all.size() == 4);
    const cuda::std::span<const float> two = all.first<2>();
    float sum = 0.0f;
    for (float x : two) sum += x;
    out[i] = all.last<1>().size() == 1 ? sum : 0.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
