// A constraint, which is C++20.
#include <cstdint>
#include <type_traits>

template <typename T>
    requires std::is_floating_point_v<T>
__global__ void k(const T* a, T* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
