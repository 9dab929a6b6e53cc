// ldmatrix, and mma of half, in inline PTX: a product with the identity.
#include <cuda_fp16.h>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    __shared__ alignas(16) __half shared[16 * 16];
    shared[threadIdx.x] = __int2half_rn(int(threadIdx.x));
    __syncthreads();
    const int lane = threadIdx.x % 32, row = lane / 4, pair = lane % 4;
    unsigned x[4], y[2];
    const unsigned at = unsigned(__cvta_generic_to_shared(shared + lane % 16 * 16 + lane / 16 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
    for (int step = 0; step < 2; ++step) {  // columns 8 to 15 of the identity
        const __half2 two = __floats2half2_rn(8 * step + 2 * pair == 8 + row ? 1.0f : 0.0f, 8 * step + 2 * pair + 1 == 8 + row ? 1.0f : 0.0f);
        y[step] = reinterpret_cast<const unsigned&>(two);
    }
    float sum[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    const bool ok = sum[0] == float(row * 16 + 8 + 2 * pair) && sum[1] == sum[0] + 1.0f && sum[3] == sum[1] + 128.0f;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
