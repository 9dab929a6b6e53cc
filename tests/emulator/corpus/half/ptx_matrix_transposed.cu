// movmatrix, and ldmatrix with a generic address: both say where the halves of a transposed matrix lie.
#include <cuda_fp16.h>

#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ alignas(16) uint16_t shared[8 * 8];
    if (threadIdx.x < 64) shared[threadIdx.x] = uint16_t(threadIdx.x);
    __syncthreads();
    const int lane = threadIdx.x % 32, row = lane / 4, pair = lane % 4;
    unsigned plain, turned, read_turned;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(plain) : "l"(shared + lane % 8 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%0}, [%1];" : "=r"(read_turned) : "l"(shared + lane % 8 * 8));
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(plain));
    const unsigned first = 2 * pair * 8 + row;
    const bool ok = plain == (unsigned(row * 8 + 2 * pair) | unsigned(row * 8 + 2 * pair + 1) << 16) && turned == (first | (first + 8) << 16);
    if (i < n) out[i] = a[i] + (ok && turned == read_turned ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
