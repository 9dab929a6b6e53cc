// Slices of rows that cudaMalloc3D has spaced.
#include <cstdint>

__global__ void k(cudaPitchedPtr p, int width, const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const int64_t x = i % width, row = i / width;
    out[i] = a[i] + reinterpret_cast<const float*>(static_cast<char*>(p.ptr) + row * p.pitch)[x];
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    constexpr int kWidth = 10, kHeight = 10;
    const cudaExtent extent = make_cudaExtent(kWidth * sizeof(float), kHeight, (n + 99) / 100);
    cudaPitchedPtr p;
    if (cudaMalloc3D(&p, extent) != cudaSuccess) return;
    cudaMemset3D(p, 0, extent);
    float* ones = new float[extent.depth * 100];
    for (size_t i = 0; i < extent.depth * 100; ++i) ones[i] = 1;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(ones, kWidth * sizeof(float), kWidth, kHeight);
    copy.dstPtr = p;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(p, kWidth, a, out, n);
    cudaStreamSynchronize(stream);
    cudaFree(p.ptr);
    delete[] ones;
}
