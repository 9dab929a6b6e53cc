// An object with a destructor in braces among the arguments: the launch makes no copy of it.
#include <cstdint>

struct Buffer {
    float* at = nullptr;
    explicit Buffer(int n) { cudaMalloc(&at, n * sizeof(float)); }
    ~Buffer() { cudaFree(at); }
    operator float*() const { return at; }
};
struct View {
    float* at;
    int n;
};
__global__ void k(View ones, const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < ones.n) ones.at[i] = 1.0f;
    if (i < n) out[i] = a[i] + (i < ones.n ? ones.at[i] : 1.0f);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    Buffer ones(100);
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>({ones, 100}, a, out, n);
}
