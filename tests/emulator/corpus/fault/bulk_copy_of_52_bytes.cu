// A bulk copy into shared memory of 13 floats: its size must be a multiple of 16 bytes.
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <utility>
__global__ void kernel(const float* a, float* out, int n) {
    __shared__ alignas(16) float s[16];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) { init(&bar, blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(s, a, 13 * sizeof(float), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 13 * sizeof(float));
    } else token = bar.arrive();
    bar.wait(std::move(token));
    if (threadIdx.x < 13) out[threadIdx.x] = s[threadIdx.x];
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) { kernel<<<1, 32>>>(a, out, n); }
