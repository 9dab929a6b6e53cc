// A kernel's argument is a list in braces: its parameter, a struct, says what it makes.
#include <cstdint>

struct Line {
    float slope, start;
};

__global__ void k(const float* a, float* out, int64_t n, Line line) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = line.slope * a[i] + line.start;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, {1.0f, 1.0f});
}
