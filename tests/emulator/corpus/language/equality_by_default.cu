// operator== by default is C++20.
#include <cuda_runtime.h>
struct Cell { int x, y; __host__ __device__ bool operator==(const Cell&) const = default; };
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Cell here{i % 32, i / 32}, there{int(threadIdx.x % 32), i / 32};
    if (i < n) out[i] = a[i] + (here == there ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
