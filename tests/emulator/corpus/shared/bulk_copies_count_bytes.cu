// Copies in bulk into shared memory, for whose bytes a barrier waits, and back from there.
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace bulk = cuda::device::experimental;

__global__ void k(const float* a, float* out, int n) {
    __shared__ alignas(16) float tile[200];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        bulk::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        bulk::cp_async_bulk_global_to_shared(tile, a + 200 * blockIdx.x, sizeof tile, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 200; i += blockDim.x) tile[i] += 1;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk::cp_async_bulk_shared_to_global(out + 200 * blockIdx.x, tile, sizeof tile);
        bulk::cp_async_bulk_commit_group();
        bulk::cp_async_bulk_wait_group_read<0>();
    }
}

extern "C" void launch(const float* a, float* out, int n) { k<<<n / 200, 64>>>(a, out, n); }
