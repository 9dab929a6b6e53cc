// A struct with a pointer to a member may be a kernel's parameter.
#include <cstdint>

struct One {
    float x;
};
struct Field {
    float One::*of;
};
__global__ void k(const One* a, float* out, Field field, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i].*field.of + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(reinterpret_cast<const One*>(a), out, {&One::x}, n);
}
