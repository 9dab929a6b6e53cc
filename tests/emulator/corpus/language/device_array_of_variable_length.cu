// A kernel's array whose length is a variable, with values: only host code may have one.
#include <cstdint>

__global__ void add(const float* a, float* out, int64_t n) {
    int side = 2;
    float ones[side] = {1.f};
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + ones[0];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
