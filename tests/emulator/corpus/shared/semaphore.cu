// A semaphore in shared memory begins with no constructor.
#include <cuda/semaphore>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> one;
    if (i < n) out[i] = a[i] + 1 + 0 * (&one == nullptr);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
