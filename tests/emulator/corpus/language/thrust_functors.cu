// Operators, pairs and tuples of Thrust in a kernel.
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include <cstdint>

template <typename Op>
__global__ void k(const float* a, float* out, int64_t n, Op op) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const thrust::pair<float, float> both = thrust::make_pair(a[i], 1.0f);
    const thrust::tuple<float, int> three = thrust::make_tuple(both.first, 2);
    out[i] = op(thrust::get<0>(three), both.first - 1.0f) + thrust::multiplies<float>()(both.second, 1.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, thrust::maximum<float>());
}
