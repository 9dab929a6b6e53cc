// A table of functions on the device has an operation that nobody filled in: a null function is called.
#include <cuda_runtime.h>
using Op = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
struct Entry { int code; Op op; };
__device__ Entry operations[4] = {{'t', twice}, {'s', square}, {'h'}};
__global__ void kernel(const float* a, float* out, int n, int which) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operations[which].op(a[i]);
}
extern "C" void launch(const float* a,  // [n]
                       float* out,      // [n]
                       int n) { kernel<<<(n + 127) / 128, 128>>>(a, out, n, 0); kernel<<<(n + 127) / 128, 128>>>(a, out, n, 2); }
