// A constexpr table is made by a function that writes one element too many.
#include <cuda_runtime.h>
struct Table { int v[8]; };
constexpr Table make() {
    Table t{};
    for (int j = 0; j <= 8; ++j) t.v[j] = j * j;
    return t;
}
__constant__ constexpr Table kSquares = make();
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + kSquares.v[i & 7];
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
