// An object is made in memory that is there already.
#include <cstdint>
#include <new>

struct Sum {
    float value;
};

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    alignas(Sum) unsigned char room[sizeof(Sum)];
    const Sum* sum = new (room) Sum{i < n ? a[i] + 1.0f : 0.0f};
    if (i < n) out[i] = sum->value;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
