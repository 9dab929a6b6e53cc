// A barrier's token is kept in a variable and given to wait() as it is: it can only be moved.
#include <cuda_runtime.h>
#include <cuda/barrier>
__global__ void kernel(const float* a, float* out, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0;
    auto token = bar.arrive();
    bar.wait(token);
    if (i < n) out[i] = s[127 - threadIdx.x];
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) { kernel<<<(n + 127) / 128, 128>>>(a, out, n); }
