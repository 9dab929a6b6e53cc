// What std::array holds is deduced.
#include <array>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const std::array parts{0.25f, 0.75f};
    if (i < n) out[i] = a[i] + parts[0] + parts[1];
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
