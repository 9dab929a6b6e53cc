// A macro of a declaration of dynamic shared memory, in a template.
#include <cstdint>

#define DYNAMIC(T, name) extern __shared__ T name[]

template <typename T>
__global__ void k(const T* a, T* out, int64_t n) {
    DYNAMIC(char, bytes);
    T* s = reinterpret_cast<T*>(bytes);
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : T(0);
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x] + T(1);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<float><<<unsigned((n + 255) / 256), 256, 256 * sizeof(float), stream>>>(a, out, n);
}
