// Handles of kernels by cudaGetFuncBySymbol and cudaGetKernel; by one of them a kernel is launched.
#include <cuda_runtime.h>
template <int kBy> __global__ void add(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + kBy;
}
__global__ void negate(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = -a[i];
}
extern "C" void launch(const float* a, float* out, int n) {
    cudaFunction_t one = nullptr, two = nullptr, none = nullptr;
    cudaKernel_t kernel = nullptr, other = nullptr;
    bool ok = cudaGetFuncBySymbol(&one, (const void*)add<1>) == cudaSuccess && one;
    ok = ok && cudaGetFuncBySymbol(&two, reinterpret_cast<const void*>(&negate)) == cudaSuccess && two != one;
    ok = ok && cudaGetFuncBySymbol(&none, &ok) != cudaSuccess && !none;
    cudaGetLastError();
    ok = ok && cudaGetKernel(&kernel, add<1>) == cudaSuccess && cudaGetKernel(&other, (const void*)negate) == cudaSuccess;
    if (!ok || kernel == other) return;
    void* arguments[] = {&a, &out, &n};
    cudaLaunchKernel((const void*)kernel, dim3((n + 127) / 128), dim3(128), arguments, 0, nullptr);
}
