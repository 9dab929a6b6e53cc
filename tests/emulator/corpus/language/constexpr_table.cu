// A table that a constexpr function makes, in constant memory.
#include <cstdint>

struct T {
    float v[8];
};
constexpr T make() {
    T t{};
    for (int i = 0; i < 8; ++i) t.v[i] = i * i;
    return t;
}
__constant__ T kTable = make();
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + kTable.v[i % 8] - kTable.v[i % 8] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
