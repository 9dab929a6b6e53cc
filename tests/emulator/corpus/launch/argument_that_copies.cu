// An object whose copy has memory of its own is converted where the launch stands.
#include <cstdint>

struct Buf {
    float* p;
    bool own;
    Buf(float* q) : p(q), own(true) {}
    Buf(const Buf& o) : own(true) { cudaMalloc(&p, 4000); }
    ~Buf() {}
    operator float*() const { return p; }
};
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    Buf b(out);
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, b, n);
}
