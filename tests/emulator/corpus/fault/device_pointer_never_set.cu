// A __device__ pointer is set in a struct of the host only.
#include <cuda_runtime.h>
struct State { float* scratch; int n; };
__device__ State state;
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    state.scratch[i] = a[i];
    out[i] = state.scratch[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    State host{};
    cudaMalloc(&host.scratch, n * sizeof(float));
    host.n = n;
    cudaMemcpyToSymbol(state, &host.n, sizeof host.n, sizeof(float*));
    k<<<(n + 255) / 256, 256>>>(a, out, n);
    cudaFree(host.scratch);
}
