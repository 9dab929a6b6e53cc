// Special registers of <cuda/ptx> in a kernel that asks for nothing else.
#include <cuda/ptx>
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const bool ok = cuda::ptx::get_sreg_laneid() == threadIdx.x % 32 && cuda::ptx::get_sreg_warpid() == threadIdx.x / 32;
    if (i < n) out[i] = a[i] + (ok ? 1.0f : 2.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
