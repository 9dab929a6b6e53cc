// Bank conflicts of 4-, 8- and 16-byte accesses: each thread writes one T into shared memory and reads one
// that lies `stride` elements a lane further.
#include <cuda_runtime.h>

#include <cstdint>

template <typename T, int THREADS>
__global__ void walk_kernel(const T* x, T* out, int stride) {
    __shared__ T shared[THREADS];
    const int t = threadIdx.x;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + t;
    shared[t] = x[i];
    __syncthreads();
    out[i] = shared[t * stride % THREADS];
}

extern "C" void walk4(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, int stride, cudaStream_t stream = 0) {
    walk_kernel<float, 256><<<static_cast<unsigned>(n / 256), 256, 0, stream>>>(x, out, stride);
}
extern "C" void walk8(const double* x,  // [n]
                      double* out,      // [n]
                      int64_t n, int stride, cudaStream_t stream = 0) {
    walk_kernel<double, 256><<<static_cast<unsigned>(n / 256), 256, 0, stream>>>(x, out, stride);
}
extern "C" void walk16(const float* x,  // [n] 16-byte aligned
                       float* out,      // [n] 16-byte aligned
                       int64_t n, int stride, cudaStream_t stream = 0) {
    walk_kernel<float4, 256><<<static_cast<unsigned>(n / 1024), 256, 0, stream>>>(
        reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(out), stride);
}

// 2-byte elements: two lanes share a word, and a column of a 32 x 32 tile lies in one bank.
__global__ void tile2_kernel(const int16_t* x, int16_t* out, int64_t n) {
    __shared__ int16_t tile[32][32];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void tile2(const uint8_t* x,  // [bytes]
                      uint8_t* out,      // [bytes]
                      int64_t bytes, cudaStream_t stream = 0) {
    tile2_kernel<<<1, dim3(32, 32), 0, stream>>>(reinterpret_cast<const int16_t*>(x),
                                                 reinterpret_cast<int16_t*>(out), bytes / 64);
}
