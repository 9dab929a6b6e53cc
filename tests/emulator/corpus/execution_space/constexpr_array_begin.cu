// The address of a constant array of the host, by std::begin.
#include <cstdint>
#include <iterator>

constexpr int kTable[] = {1, 2, 3, 4};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const int* table = std::begin(kTable);
    if (i < n) out[i] = a[i] + table[0];
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
