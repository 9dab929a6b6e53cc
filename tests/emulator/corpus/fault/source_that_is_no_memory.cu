// Sources are chosen from a table of functions; the last gives an address that is no memory's.
#include <cuda_runtime.h>
struct Job { const float* (*source)(const float*, int); };
__device__ const float* from_input(const float* a, int i) { return a + i; }
__device__ const float* from_nowhere(const float*, int i) { return reinterpret_cast<const float*>(16) + i; }
__constant__ int order[4] = {0, 0, 0, 1};
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Job jobs[2] = {{from_input}, {from_nowhere}};
    out[i] = *jobs[order[i * 4 / n]].source(a, i) + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
