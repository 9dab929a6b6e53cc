// Launchers in the forms that learners write.
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 8 * 32;
#define BLOCKS(n) ((n) + kThreads - 1) / kThreads
#define LAUNCH(kernel, n, stream, ...) \
    kernel<<<BLOCKS(n), kThreads, 0, stream>>>(__VA_ARGS__)
extern float __shared__ at_file_scope[];

template <typename T>
__global__ void scale(const T* x, T* out, size_t n, T by) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * by;
}
__global__ void reverse_blocks(const float* x, float* out, unsigned n) {
    extern float __shared__ s[];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void same(const float* x, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    at_file_scope[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = at_file_scope[threadIdx.x];
}

extern "C" {
int scale_in_block(const float* const __restrict__ x, float* const out, size_t n, unsigned threads,
                   float by = 1 / 2.0f, cudaStream_t stream = nullptr) {
    scale<float><<<BLOCKS(n), threads, 0, stream>>>(x, out, n, by);
    return 0;
}
static int helper(int x) { return x; }
void by_macro(const int* x, int* out, long long n, int block_size = kThreads, cudaStream_t stream = 0) {
    LAUNCH(scale<int>, n, stream, x, out, static_cast<size_t>(n), helper(3));
}
}  // extern "C"

extern "C" void by_runtime(const void* x,  // [n] float
                           void* out,      // [n] float
                           unsigned n, float by, cudaStream_t stream) {
    size_t count = n;
    void* arguments[] = {&x, &out, &count, &by};
    cudaLaunchKernel((const void*)scale<float>, dim3(BLOCKS(n)), dim3(kThreads), arguments, 0, stream);
}
extern "C" cudaError_t by_runtime_reference(const float x[], float* out, unsigned n, cudaStream_t stream) {
    void* arguments[] = {&x, &out, &n};
    return cudaLaunchKernel((void*)&reverse_blocks, n / 64, 64, arguments, 64 * sizeof(float), stream);
}
extern "C" void by_pointer(const float* x, float* out, unsigned n, cudaStream_t stream) {
    auto* kernel = &same;
    kernel<<<n / 64, 64, 64 * sizeof(float), stream>>>(x, out, n);
}
