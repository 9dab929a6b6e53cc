// Sets memory of the host, a std::vector's, as if it were the GPU's.
#include <cstdint>
#include <vector>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    std::vector<float> mine(n);
    cudaMemset(mine.data(), 0, n * sizeof(float));
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
