// cuda::std::barrier in shared memory, made by new.
#include <cuda/std/barrier>
#include <new>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ alignas(8) unsigned char place[sizeof(cuda::std::barrier<>)];
    __shared__ float shared[256];
    auto* all = reinterpret_cast<cuda::std::barrier<>*>(place);
    if (threadIdx.x == 0) new (all) cuda::std::barrier<>(blockDim.x);
    __syncthreads();
    shared[threadIdx.x] = float(threadIdx.x);
    all->arrive_and_wait();
    if (i < n) out[i] = a[i] + (shared[255 - threadIdx.x] == float(255 - threadIdx.x) ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
