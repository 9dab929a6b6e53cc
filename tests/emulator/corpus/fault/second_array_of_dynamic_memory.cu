// Two arrays in dynamic shared memory, the second counted as bytes of shorts.
#include <cuda_runtime.h>
struct Carved { float* values; int* keys; };
__device__ Carved carve(int count) {
    extern __shared__ __align__(16) unsigned char raw[];
    return {reinterpret_cast<float*>(raw), reinterpret_cast<int*>(raw + count * sizeof(float))};
}
__global__ void k(const float* a, float* out, int n) {
    const Carved s = carve(blockDim.x);
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s.values[t] = i < n ? a[i] : 0.f;
    s.keys[t] = blockDim.x - 1 - t;
    __syncthreads();
    if (i < n) out[i] = s.values[s.keys[s.keys[t]]] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    const int threads = 128;
    k<<<(n + threads - 1) / threads, threads, threads * (sizeof(float) + sizeof(short))>>>(a, out, n);
}
