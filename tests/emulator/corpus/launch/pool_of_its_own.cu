// Memory in a stream's order from a pool of the launcher's own, its attributes set and asked.
#include <cuda_runtime.h>
#include <cstdint>
__global__ void twice(const float* a, float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = 2 * a[i];
}
__global__ void k(const float* a, const float* t, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = t[i] - a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) {
    int supported = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0);
    if (!supported) return;
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 0;
    cudaMemPool_t pool;
    if (cudaMemPoolCreate(&pool, &props) != cudaSuccess) return;
    std::uint64_t keep = UINT64_MAX, used = 0;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    float* t = nullptr;
    cudaMallocFromPoolAsync(reinterpret_cast<void**>(&t), n * sizeof(float), pool, stream);
    twice<<<(n + 255) / 256, 256, 0, stream>>>(a, t, n);
    k<<<(n + 255) / 256, 256, 0, stream>>>(a, t, out, n);
    cudaFreeAsync(t, stream);
    cudaStreamSynchronize(stream);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    cudaMemPoolTrimTo(pool, 0);
    cudaMemPoolDestroy(pool);
    cudaStreamDestroy(stream);
}
