// A device check of one's own prints its condition and traps.
#include <cuda_runtime.h>
#include <cstdio>
#define DEVICE_CHECK(cond, ...) \
    do { if (!(cond)) { printf("failed: " #cond " " __VA_ARGS__); __trap(); } } while (0)
struct Range { const float* data; int size; __device__ float at(int i) const { DEVICE_CHECK(i >= 0 && i < size, "(%d)\n", i); return data[i]; } };
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Range r{a, n};
    if (i < n) out[i] = 0.5f * (r.at(i) + r.at(i + 1));
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
