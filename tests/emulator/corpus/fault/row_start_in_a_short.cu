// Where a row starts is kept in 16 bits, which a large row's start does not fit.
#include <cuda_runtime.h>
struct Image { const float* p; short pitch; };
__device__ const float* row(Image m, int y) {
    const short start = static_cast<short>(y * m.pitch);
    return m.p + start;
}
__global__ void k(Image m, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int y = i < n / 2 ? 0 : 200;
    out[i] = row(m, y)[y ? i - 200 * m.pitch % n : i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(Image{a, 200}, out, n); }
