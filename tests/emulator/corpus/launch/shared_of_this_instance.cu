// The same for the instance that is launched, whose type has two names.
#include <cstdint>

template <typename T, int kStages>
__global__ void mirror(const T* a, T* out, int64_t n) {
    extern __shared__ float tile[];
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) tile[threadIdx.x] = a[i];
    if (i < n) out[i] = tile[threadIdx.x] + float(kStages - 2);
}
template <typename T>
void allow() {
    cudaFuncSetAttribute((const void*)mirror<T, 3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    allow<float>();
    mirror<float, 3><<<unsigned((n + 255) / 256), 256, 65536, stream>>>(a, out, n);
}
