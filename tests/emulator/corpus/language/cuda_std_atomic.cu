// cuda::std::atomic_ref, and a fence.
#include <cuda/std/atomic>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int plain, more;
    if (threadIdx.x == 0) {
        plain = 2;
        more = 1;
        cuda::std::atomic_ref<int> one(plain), two(more);
        one.fetch_sub(2, cuda::std::memory_order_relaxed);
        two.fetch_add(3);
        cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
    }
    __syncthreads();
    if (i < n) out[i] = a[i] + more - 3 + plain;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
