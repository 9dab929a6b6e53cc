// A class's static constexpr array has no memory on the device; an index known at run time needs one.
#include <cuda_runtime.h>
struct Gauss {
    static constexpr float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    static constexpr int radius = 2;
};
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = -Gauss::radius; j <= Gauss::radius; ++j) s += Gauss::weights[(j + i) % 5] * a[max(0, min(n - 1, i + j))];
    out[i] = s;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
