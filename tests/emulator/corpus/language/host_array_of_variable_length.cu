// The launcher has an array whose length is a variable, and gives it values: g++ takes it.
#include <cstdint>

__global__ void add(const float* a, float* out, int64_t n, float one) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + one;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    int side = 2;
    float weights[side * side] = {0.25f, 0.5f, 0.125f, 0.125f};
    float sums[side] = {0.f};
    for (int i = 0; i < side * side; ++i) sums[i % side] += weights[i];
    add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, out, n, sums[0] + sums[1]);
}
