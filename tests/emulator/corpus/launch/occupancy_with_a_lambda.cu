// A block size by occupancy where shared memory depends on it, as a lambda says.
#include <cuda_runtime.h>
#include <algorithm>
__global__ void k(const float* a, float* out, int n) {
    extern __shared__ float tile[];
    for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
        const int i = base + threadIdx.x;
        tile[threadIdx.x] = i < n ? a[i] : 0.f;
        __syncthreads();
        const int mirror = blockDim.x - 1 - threadIdx.x;
        if (base + mirror < n) out[base + mirror] = tile[mirror] + 1;
        __syncthreads();
    }
}
extern "C" void launch(const float* a, float* out, int n) {
    int least = 0, block = 0, per_sm = 0, device = 0, sms = 0;
    auto bytes = [](int threads) -> size_t { return threads * sizeof(float); };
    if (cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &block, k, bytes, 256) != cudaSuccess) return;
    block = std::min(block, 256);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&per_sm, k, block, bytes(block), cudaOccupancyDefault);
    size_t free_bytes = 0;
    cudaOccupancyAvailableDynamicSMemPerBlock(&free_bytes, k, per_sm, block);
    if (least < 1 || per_sm < 1 || free_bytes < bytes(block)) return;
    const int grid = std::clamp((n + block - 1) / block, 1, sms * per_sm);
    k<<<grid, block, bytes(block)>>>(a, out, n);
}
