// The mask of a shuffle is a vote's, and lanes that voted no call it, too.
#include <cuda_runtime.h>
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = i < n ? a[i] : 0.0f;
    const unsigned wanted = __ballot_sync(0xffffffffu, (threadIdx.x & 3) != 3);
    float s = x;
    s += __shfl_xor_sync(wanted, s, 1);
    if (i < n) out[i] = a[i] + (s > -1 ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
