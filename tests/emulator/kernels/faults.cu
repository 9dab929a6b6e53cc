// Every rule that a kernel or its launcher can break, by number.
#include <cuda_runtime.h>
#include <cassert>
#include <stdexcept>
#include <vector>

__global__ void fill(float* x, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) x[i] = 1.0f;
}
__device__ __noinline__ float deep(int t) {
    volatile char large[1 << 20];
    large[t] = 1;
    return large[t];
}
__global__ void faulty(int64_t what, float* x, int64_t n) {
    __shared__ float tile[64];
    extern __shared__ float more[];
    const int t = threadIdx.x;
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + t;
    if (what == 0) x[i] = 1.0f;
    if (what == 1 && i < n) x[0] += x[i + 1];
    if (what == 2) *reinterpret_cast<float4*>(x + 1 + 4 * i) = make_float4(1, 2, 3, 4);
    if (what == 3 && t < 32) __syncthreads();
    if (what == 4 && t < 16) x[0] = __shfl_down_sync(0xffffffff, 1.0f, 16);
    if (what == 5) {
        volatile int64_t k = 0;
        while (k >= 0) k = k < 7 ? k + 1 : 0;
    }
    if (what == 6) assert(i < 3);
    if (what == 7 && i == 5) __trap();
    if (what == 10) {
        volatile int zero = 0;
        x[0] = static_cast<float>(t / zero);
    }
    if (what == 11) tile[t] = x[0];
    if (what == 12) more[t] = x[0];
    if (what == 13) *static_cast<volatile float*>(nullptr) = 1.0f;
    if (what == 14) t < 16 ? __syncthreads() : (void)__shfl_sync(0xffffffff, t, 0);
    if (what == 15 && t >= 8) x[0] = __shfl_sync(0xff, 1.0f, 0);
    if (what == 16 && t < 16) __ballot_sync(0x0000ffff, 1);
    if (what == 17) t < 16 ? (void)__shfl_sync(0xffffffff, 1, 0) : (void)__ballot_sync(0xffffffff, 1);
    if (what == 18) x[i - 1] = 1.0f;
    if (what == 19) x[0] = deep(t);
    if (what == 20) (tile + t)[-3] = x[0];
    if (what == 21) {
        for (volatile int64_t k = t == 0; k != 0; k = k + 2) x[0] = static_cast<float>(k);
        __syncthreads();
    }
}
extern "C" void ok(float* x, int64_t n, cudaStream_t stream) { fill<<<(n + 255) / 256, 256, 0, stream>>>(x, n); }
extern "C" void fault(int64_t what, float* x, int64_t n, int64_t blocks, int64_t threads, int64_t shared,
                      cudaStream_t stream) {
    faulty<<<blocks, threads, shared, stream>>>(what, x, n);
}
extern "C" void grid_y(float* x, int64_t y, int64_t z, cudaStream_t stream) {
    fill<<<dim3(1, y, z), 1, 0, stream>>>(x, 1);
}
extern "C" void raised(int64_t value, float* x, int64_t bytes, cudaStream_t stream) {
    cudaFuncSetAttribute(faulty, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(value));
    faulty<<<1, 64, bytes, stream>>>(12, x, 1);
}
extern "C" void host(int64_t what, cudaStream_t) {
    if (what == 0) throw std::runtime_error("thrown in a launcher");
    if (what == 1) std::vector<int>().at(3);
    if (what == 2) *static_cast<volatile int*>(nullptr) = 1;
    if (what == 3) abort();
}
