// cuda::std::visit with a visitor that does not take each type.
#include <cuda/std/variant>
#include <cstdint>

struct Next {
    __device__ float operator()(float x) const { return x + 1.0f; }
};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const cuda::std::variant<float*, float> x = a[i];
    out[i] = cuda::std::visit(Next{}, x);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
