// A cuda::barrier whose completion adds a round, a latch, and a semaphore that lets two warps in.
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda_runtime.h>
struct Count { int* rounds; __device__ void operator()() noexcept { ++*rounds; } };
__global__ void k(const float* a, float* out, int n) {
    __shared__ int rounds, inside, most;
    using Barrier = cuda::barrier<cuda::thread_scope_block, Count>;
    __shared__ alignas(Barrier) unsigned char raw[sizeof(Barrier)];
    __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 2> door;
    Barrier* bar = reinterpret_cast<Barrier*>(raw);
    if (threadIdx.x == 0) {
        rounds = inside = most = 0;
        new (bar) Barrier(blockDim.x, Count{&rounds});
        new (&door) cuda::counting_semaphore<cuda::thread_scope_block, 2>(2);
    }
    __syncthreads();
    for (int r = 0; r < 3; ++r) bar->arrive_and_wait();
    if (threadIdx.x % 32 == 0) {
        door.acquire();
        atomicMax(&most, atomicAdd(&inside, 1) + 1);
        atomicSub(&inside, 1);
        door.release();
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (rounds == 3 && most >= 1 && most <= 2 ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 127) / 128, 128>>>(a, out, n); }
