// An initializer_list of float is made of a double that is no constant.
#include <cuda_runtime.h>
#include <initializer_list>
__host__ __device__ float sum_of(std::initializer_list<float> all) {
    float sum = 0.0f;
    for (float x : all) sum += x;
    return sum;
}
__global__ void k(const float* a, float* out, int n, double one) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum_of({a[i], one});
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n, 1.0); }
