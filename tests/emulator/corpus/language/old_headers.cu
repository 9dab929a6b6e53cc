// Headers of older versions of CUDA.
#include <cstdint>
#include <builtin_types.h>
#include <driver_types.h>
#include <host_defines.h>
#include <math_functions.h>
#include <sm_30_intrinsics.h>
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + 1;
    }
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
