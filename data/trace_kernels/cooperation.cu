// Threads that work together: a histogram, a scan, a stencil, a softmax, a compaction.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int BINS = 64;

__global__ void histogram_kernel(const int* x, int* out, int64_t n) {
    __shared__ int bins[BINS];
    if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
    __syncthreads();
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] & (BINS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void global_histogram_kernel(const int* x, int* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[x[i] & (BINS - 1)], 1);
}

// Hillis and Steele's scan of each block's numbers.
__global__ void scan_kernel(const float* x, float* out, int64_t n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + t;
    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < 256; step *= 2) {
        const float before = t >= step ? sums[t - step] : 0.0f;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (i < n) out[i] = sums[t];
}

__global__ void stencil_kernel(const float* x, float* out, int64_t n) {
    __shared__ float tile[256 + 2];
    const int t = threadIdx.x;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + t;
    tile[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0) tile[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == 255) tile[257] = i + 1 < n ? x[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = 0.25f * tile[t] + 0.5f * tile[t + 1] + 0.25f * tile[t + 2];
}

// A warp a row of 64: two numbers a lane.
__global__ void softmax_kernel(const float* x, float* out, int64_t rows) {
    const int64_t row = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float a = x[row * 64 + lane], b = x[row * 64 + 32 + lane];
    float largest = fmaxf(a, b);
    for (int d = 16; d; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, d));
    const float ea = expf(a - largest), eb = expf(b - largest);
    float sum = ea + eb;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    out[row * 64 + lane] = ea / sum;
    out[row * 64 + 32 + lane] = eb / sum;
}

__global__ void compact_kernel(const float* x, float* out, int* count, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool keep = i < n && x[i] > 0.0f;
    const unsigned kept = __ballot_sync(0xffffffff, keep);
    int first = 0;
    if (lane == 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(0xffffffff, first, 0);
    if (keep) out[first + __popc(kept & ((1u << lane) - 1))] = x[i];
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void histogram(const int* x,  // [n]
                          int* out,      // [bins]
                          int64_t n, int64_t bins, cudaStream_t stream = 0) {
    histogram_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, n);
}
extern "C" void global_histogram(const int* x,  // [n]
                                 int* out,      // [bins]
                                 int64_t n, int64_t bins, cudaStream_t stream = 0) {
    global_histogram_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, n);
}
extern "C" void scan(const float* x,  // [n]
                     float* out,      // [n]
                     int64_t n, cudaStream_t stream = 0) {
    scan_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, n);
}
extern "C" void stencil(const float* x,  // [n]
                        float* out,      // [n]
                        int64_t n, cudaStream_t stream = 0) {
    stencil_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, n);
}
extern "C" void softmax(const float* x,  // [rows, 64]
                        float* out,      // [rows, 64]
                        int64_t rows, cudaStream_t stream = 0) {
    softmax_kernel<<<blocks_for(rows * 32, 256), 256, 0, stream>>>(x, out, rows);
}
extern "C" void compact(const float* x,  // [n]
                        float* out,      // [n]
                        int* count,      // [1]
                        int64_t n, cudaStream_t stream = 0) {
    compact_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, count, n);
}
