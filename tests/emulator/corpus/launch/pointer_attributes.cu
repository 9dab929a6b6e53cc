// Asks whose an address is.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    float* pinned;
    if (cudaMallocHost(&pinned, sizeof(float)) != cudaSuccess) return;
    cudaPointerAttributes of_out, of_pinned, of_local;
    if (cudaPointerGetAttributes(&of_out, out) != cudaSuccess || of_out.type != cudaMemoryTypeDevice) return;
    if (cudaPointerGetAttributes(&of_pinned, pinned) != cudaSuccess || of_pinned.type != cudaMemoryTypeHost) return;
    if (cudaPointerGetAttributes(&of_local, &n) != cudaSuccess || of_local.type != cudaMemoryTypeUnregistered) return;
    cudaFreeHost(pinned);
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
