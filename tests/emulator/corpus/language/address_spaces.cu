// In which memory an address lies.
#include <cuda_runtime.h>
__global__ void add_one(const float* a, float* out, int n) {
    __shared__ float t[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = 1.0f;
    t[threadIdx.x] = i < n ? a[i] : 0.0f;
    const bool fine = __isShared(&t[threadIdx.x]) && !__isShared(a) && __isGlobal(a) && __isLocal(&own) && !__isGlobal(&own);
    if (i < n) out[i] = t[threadIdx.x] + (fine ? 1.0f : 2.0f);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
