// A barrier of shared memory is given its count where it is declared.
#include <cuda/barrier>
__global__ void k(const float* a, float* out, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> all(blockDim.x);
    __shared__ float s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0;
    all.arrive_and_wait();
    if (i < n) out[i] = s[threadIdx.x] + 1;
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) {
    k<<<(n + 255) / 256, 256>>>(a, out, n);
}
