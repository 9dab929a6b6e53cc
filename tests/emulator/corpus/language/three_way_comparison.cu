// <=> needs C++20, also where it would be made by default.
#include <cuda_runtime.h>
#include <compare>
struct Key { int row, column; __host__ __device__ auto operator<=>(const Key&) const = default; };
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Key mine{i / 8, i % 8}, first{0, 0};
    out[i] = a[i] + (mine >= first);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
