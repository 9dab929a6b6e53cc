// A pack in a capture with an initialiser is C++20, and nvcc only warns of it.
#include <cuda_runtime.h>
template <class... Ts> __device__ auto later(Ts... xs) { return [... ys = xs] { return (ys + ...); }; }
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = later(a[i], 0.5f, 0.5f)();
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
