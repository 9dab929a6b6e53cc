// A barrier in shared memory, by inline PTX.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ alignas(8) unsigned long long barrier;
    __shared__ float shared[256];
    const unsigned at = unsigned(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
    __syncthreads();
    bool ok = true;
    for (int round = 0; round < 3; ++round) {
        shared[threadIdx.x] = float(threadIdx.x + round);
        for (int half = 0; half < 2; ++half) {
            unsigned long long state;
            unsigned done = 0;
            asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
            while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "r"(half) : "memory");
            if (half == 0) ok = ok && shared[255 - threadIdx.x] == float(255 - threadIdx.x + round);
        }
    }
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
