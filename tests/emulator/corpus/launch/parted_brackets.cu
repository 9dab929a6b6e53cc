// Launches with parted brackets, as editors that format C++ write them.
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}
// clang-format off
extern "C" void launch(const float* a, float* out, int n) {
    add_one << <(n + 255) / 256, 256 >> > (a, out, n);
}
