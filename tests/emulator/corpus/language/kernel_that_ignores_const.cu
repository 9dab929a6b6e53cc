// A method that is not const is called of a const object in a kernel.
#include <cuda_runtime.h>
struct Row { const float* p; __device__ float at(int i) { return p[i]; } };
__global__ void k(const Row row, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = row.at(i) + 1;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(Row{a}, out, n); }
