// A __constant__ struct filled in parts by offset and by address, its size asked, read back at last.
#include <cuda_runtime.h>
#include <cstddef>
struct alignas(16) Taps { float left[3]; float mid; float right[3]; int count; };
__constant__ Taps taps;
__device__ float total[2];
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < taps.count; ++j) s += taps.left[j] + taps.right[j];
    out[i] = a[i] * taps.mid + s;
    if (i == 0) total[1] = s;
}
__global__ void scale(float* out, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += by;
}
extern "C" void launch(const float* a, float* out, int n) {
    const float left[3] = {0.125f, 0.125f, 0.125f}, mid = 1;
    const int count = 3;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyToSymbolAsync(taps, left, sizeof left, offsetof(Taps, left), cudaMemcpyHostToDevice, stream);
    cudaMemcpyToSymbolAsync(taps, &mid, sizeof mid, offsetof(Taps, mid), cudaMemcpyHostToDevice, stream);
    cudaMemcpyToSymbolAsync(taps, &count, sizeof count, offsetof(Taps, count), cudaMemcpyHostToDevice, stream);
    void* where = nullptr;
    size_t bytes = 0;
    cudaGetSymbolAddress(&where, taps);
    cudaGetSymbolSize(&bytes, taps);
    cudaMemcpyAsync(static_cast<char*>(where) + offsetof(Taps, right), left, sizeof left, cudaMemcpyHostToDevice, stream);
    k<<<(n + 127) / 128, 128, 0, stream>>>(a, out, n);
    float s = 0;
    cudaMemcpyFromSymbolAsync(&s, total, sizeof s, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    scale<<<(n + 127) / 128, 128, 0, stream>>>(out, n, bytes == sizeof(Taps) ? 1 - s : 0);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
