// A launch on an object that converts to a stream and cannot be copied.
#include <cstdint>

class Stream {
 public:
    Stream() { cudaStreamCreate(&stream_); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    operator cudaStream_t() { return stream_; }

 private:
    cudaStream_t stream_;
};
__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t) {
    Stream own;
    k<<<unsigned((n + 255) / 256), 256, 0, own>>>(a, out, n);
    cudaStreamSynchronize(own);
}
