// The host copies device functions' addresses from __device__ variables and gives them to a kernel.
#include <cuda_runtime.h>
using Step = float (*)(float, const float*);
__device__ float plus(float x, const float* p) { return x + p[0]; }
__device__ float times(float x, const float* p) { return x * p[1]; }
template <int N> __device__ float power(float x, const float*) { float y = 1; for (int j = 0; j < N; ++j) y *= x; return y; }
__device__ Step d_plus = plus, d_times = &times;
__device__ Step d_table[] = {power<0>, power<1>, +[](float x, const float* p) { return x - p[0]; }};
struct Chain { Step steps[5]; int count; };
__global__ void k(const float* a, float* out, int n, Chain chain) {
    const float p[2] = {1.f, 2.f};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    for (int j = 0; j < chain.count; ++j) x = chain.steps[j](x, p);
    out[i] = x;
}
extern "C" void launch(const float* a, float* out, int n) {
    Chain chain;
    Step table[3];
    cudaMemcpyFromSymbol(table, d_table, sizeof table);
    cudaMemcpyFromSymbol(&chain.steps[0], d_plus, sizeof(Step));
    cudaMemcpyFromSymbol(&chain.steps[2], d_plus, sizeof(Step));
    chain.steps[1] = table[1];
    chain.steps[3] = table[2];
    chain.count = 4;  // + 1, ^ 1, + 1, - 1
    k<<<(n + 255) / 256, 256>>>(a, out, n, chain);
}
