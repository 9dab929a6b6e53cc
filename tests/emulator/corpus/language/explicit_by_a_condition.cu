// explicit with a condition is C++20, and nvcc only warns of it.
#include <cuda_runtime.h>
#include <type_traits>
template <class T> struct Box {
    T v;
    template <class U> explicit(!std::is_same_v<T, U>) __host__ __device__ Box(U u) : v(static_cast<T>(u)) {}
};
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Box<float> one = 1.0f;
    if (i < n) out[i] = a[i] + one.v;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
