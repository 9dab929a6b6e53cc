// Code by target in a function that returns from each branch, nested, and with an atomic of the device.
#include <nv/target>
#include <cuda_runtime.h>
#include <atomic>
template <class T> __host__ __device__ T add(T* where, T by) {
    NV_IF_TARGET(NV_IS_DEVICE, (return atomicAdd(where, by);), (T old = *where; *where += by; return old;))
}
__host__ __device__ inline int kind() {
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, (return 3;), NV_PROVIDES_SM_70, (return 2;), NV_IS_DEVICE, (return 1;), NV_IS_HOST, (return 0;))
}
__device__ int calls;
__global__ void k(const float* a, float* out, int n, int on_host) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    add(&calls, 1);
    NV_IF_TARGET(NV_IS_HOST, (out[i] = 0;))
    NV_IF_TARGET(NV_IS_DEVICE, (out[i] = a[i] + (on_host == 5 && kind() == 2);))
}
extern "C" void launch(const float* a, float* out, int n) {
    int x = 5;
    const int before = add(&x, kind());
    k<<<(n + 255) / 256, 256>>>(a, out, n, before);
}
