// A band of a matrix is kept in shared memory, and its last row is one diagonal longer.
#include <cuda_runtime.h>
constexpr int kRows = 32, kBand = 3;
__global__ void k(const float* a, float* out, int n) {
    __shared__ float band[kRows * (2 * kBand + 1)];
    const int row = threadIdx.x;
    for (int d = -kBand; d <= kBand + 1; ++d) band[row * (2 * kBand + 1) + d + kBand] = d == 0 ? 1.0f : 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * kRows + row; i < n; i += gridDim.x * kRows) out[i] = a[i] + band[row * (2 * kBand + 1) + kBand];
}
extern "C" void launch(const float* a, float* out, int n) { k<<<2, kRows>>>(a, out, n); }
