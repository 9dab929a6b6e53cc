// Two kernels that may overlap (programmatic dependent launch): the second waits for the first one's memory.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void first(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 0.5f;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void second(float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    cudaGridDependencySynchronize();
    if (i < n) out[i] += 0.5f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(unsigned((n + 255) / 256));
    config.blockDim = dim3(256);
    config.stream = stream;
    first<<<config.gridDim, config.blockDim, 0, stream>>>(a, out, n);
    config.attrs = &overlap;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, second, out, n);
}
