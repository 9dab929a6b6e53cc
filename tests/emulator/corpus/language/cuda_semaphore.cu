// cuda::counting_semaphore and cuda::std::binary_semaphore.
#include <cuda/semaphore>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    cuda::counting_semaphore<cuda::thread_scope_thread, 4> places(1);
    cuda::std::binary_semaphore one(1);
    places.acquire();
    one.acquire();
    out[i] = a[i] + (places.try_acquire() || one.try_acquire() ? 2.0f : 1.0f);
    places.release(2);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
