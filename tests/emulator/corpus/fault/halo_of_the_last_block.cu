// A stencil's halo is loaded past the end of the tensor by the last block.
#include <cuda_runtime.h>
template <int R> __global__ void k(const float* __restrict__ a, float* __restrict__ out, int n) {
    __shared__ float tile[128 + 2 * R];
    const int t = threadIdx.x, first = blockIdx.x * 128, i = first + t;
    tile[R + t] = i < n ? a[i] : 0.0f;
    if (t < R) {
        tile[t] = first ? a[first - R + t] : 0.0f;
        tile[R + 128 + t] = a[first + 128 + t];
    }
    __syncthreads();
    float s = 0;
    for (int d = -R; d <= R; ++d) s += tile[R + t + d] * (d ? 0.0f : 1.0f);
    if (i < n) out[i] = s + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<3><<<(n + 127) / 128, 128>>>(a, out, n); }
