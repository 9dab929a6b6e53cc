// A tile of 16 rows of 17 is read by a pitch of 18.
#include <cuda_runtime.h>
template <int P> __device__ float& at(float* tile, int y, int x) { return tile[y * P + x]; }
__global__ void k(const float* a, float* out, int n) {
    __shared__ float tile[16 * 17];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    at<17>(tile, y, x) = i < n ? a[i] : 0.0f;
    __syncthreads();
    const float v = at<18>(tile, y, x);
    if (i < n) out[i] = a[i] + 1 + 0 * v;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, dim3(16, 16)>>>(a, out, n); }
