// A __constant__ struct's rows are indexed by the column of a wider matrix.
#include <cuda_runtime.h>
struct Basis { float rows[4][4]; };
__constant__ Basis basis;
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < 4; ++j) s += basis.rows[i % 5][j];
    out[i] = a[i] + s;
}
extern "C" void launch(const float* a, float* out, int n) {
    Basis b{};
    for (int j = 0; j < 4; ++j) b.rows[j][j] = 1;
    cudaMemcpyToSymbol(basis, &b, sizeof b);
    k<<<(n + 255) / 256, 256>>>(a, out, n);
}
