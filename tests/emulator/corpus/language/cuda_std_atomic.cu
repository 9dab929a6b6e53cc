// cuda::std::atomic and its reference.
#include <cuda/std/atomic>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int plain = 2;
    cuda::std::atomic<int> count(1);
    cuda::std::atomic_ref<int> other(plain);
    count.fetch_add(3);
    other.fetch_sub(2, cuda::std::memory_order_relaxed);
    cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
    if (i < n) out[i] = a[i] + count.load() - 3 + plain;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
