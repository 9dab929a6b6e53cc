// Step 2: the grid-stride loop. The grid is as large as the card likes, each thread walks through the rest.
//
//   a thread's share   one element, and another one a whole grid further on, until n
//   block size         256 threads; the grid at most `waves` times what the GPU holds at once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

struct Square {
    __device__ float operator()(float x) const { return x * x; }
    __device__ __half operator()(__half x) const { return __hmul(x, x); }
};

template <typename F, typename T>
__global__ void unary_kernel(F f, int64_t n, T* out, const T* x) {
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int64_t i = thread; i < n; i += threads) out[i] = f(x[i]);
}

// At least one block, at most one for every 256 elements, and never more than `waves` full GPUs.
static int64_t grid_size(int64_t n, int block_size, int waves) {
    int sms = 0, threads_per_sm = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    const int64_t wanted = (n + block_size - 1) / block_size;
    const int64_t cap = static_cast<int64_t>(waves) * sms * (threads_per_sm / block_size);
    return wanted < cap || waves == 0 ? wanted : cap;
}

template <typename F, typename T>
void unary(F f, int64_t n, T* out, const T* x, int block_size, int waves, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(grid_size(n, block_size, waves));
    unary_kernel<<<blocks, block_size, 0, stream>>>(f, n, out, x);
}

extern "C" void square(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, int waves = 32, cudaStream_t stream = 0) {
    unary(Square{}, n, out, x, block_size, waves, stream);
}

extern "C" void square_f16(const half* x,  // [n]
                           half* out,      // [n]
                           int64_t n, int block_size = 256, int waves = 32, cudaStream_t stream = 0) {
    unary(Square{}, n, out, x, block_size, waves, stream);
}
