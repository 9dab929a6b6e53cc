// cudaLaunchKernelEx with an instance of a template, and an argument that is converted.
#include <cstdint>

template <typename T, int kStep>
__global__ void k(const T* a, T* out, int64_t n, T b) {
    const int64_t i = (blockIdx.x * int64_t{blockDim.x} + threadIdx.x) / kStep;
    if (i < n) out[i] = a[i] + b;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    cudaLaunchAttribute attributes[1];
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(unsigned((n + 255) / 256));
    config.blockDim = 256;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k<float, 1>, a, out, n, 1);
}
