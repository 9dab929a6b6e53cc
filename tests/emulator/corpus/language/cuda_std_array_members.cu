// What cuda::std::array has beyond constexpr.
#include <cuda/std/array>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::std::array<float, 2> halves;
    halves.fill(0.5f);
    cuda::std::array other{0.0f, 0.0f};
    halves.swap(other);
    if (i < n) out[i] = a[i] + other[0] + other.at(1) + (halves == other);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
