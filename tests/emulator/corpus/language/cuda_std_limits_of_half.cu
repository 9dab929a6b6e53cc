// The limits of half and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/std/limits>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    using Half = cuda::std::numeric_limits<__half>;
    const bool right = __half2float(Half::max()) == 65504 && __half2float(Half::lowest()) == -65504 &&
                       __half2float(Half::epsilon()) == 1.0f / 1024 && __half2float(Half::min()) == 1.0f / 16384 &&
                       __bfloat162float(cuda::std::numeric_limits<__nv_bfloat16>::max()) > 3.3e38f;
    if (i < n) out[i] = a[i] + right;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
