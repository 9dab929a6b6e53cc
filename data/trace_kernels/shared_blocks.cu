// Shared memory by 1, 2, 8 and 16 bytes, dynamic and two-dimensional; atomics whose results are used or not; shuffles;
// an array of each thread in local memory.
#include <cuda_runtime.h>

#include <cstdint>

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void reverse8_kernel(const double* x, double* out, int64_t n) {
    __shared__ double block[128];
    const int64_t i = thread_in_grid();
    if (i < n) block[threadIdx.x] = x[i];
    __syncthreads();
    const int64_t j = static_cast<int64_t>(blockIdx.x) * 128 + 127 - threadIdx.x;
    if (j < n) out[j] = 2.0 * block[127 - threadIdx.x];
}

template <int kPadding>
__global__ void transpose8_kernel(const float2* x, float2* out) {
    __shared__ float2 tile[16][16 + kPadding];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <int kPadding>
__global__ void transpose16_kernel(const float4* x, float4* out) {
    __shared__ float4 tile[16][16 + kPadding];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Only the lanes of a third take part.
__global__ void some16_kernel(const float4* x, float4* out, int64_t n) {
    extern __shared__ float4 packs[];
    const int64_t i = thread_in_grid();
    packs[threadIdx.x] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    if (i < n && threadIdx.x % 3 == 0) packs[threadIdx.x * 7 % blockDim.x] = x[i];
    __syncthreads();
    if (i < n && threadIdx.x % 5 < 2) out[i] = packs[threadIdx.x];
}

__global__ void bytes_kernel(const uint8_t* x, uint8_t* out, int64_t n) {
    __shared__ uint8_t block[256];
    const int64_t i = thread_in_grid();
    block[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) out[i] = block[threadIdx.x * 5 % 256];
}

__global__ void tree_kernel(const float* x, float* out, int64_t n) {
    extern __shared__ float sums[];
    const int64_t i = thread_in_grid();
    sums[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
#pragma unroll 1
    for (unsigned step = 1; step < blockDim.x; step *= 2) {  // interleaved: more and more lanes rest
        const unsigned at = 2 * step * threadIdx.x;
        if (at + step < blockDim.x) sums[at] += sums[at + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void atomics_kernel(const int* x, int* largest, int* place, float* sums, int64_t n) {
    __shared__ float pairs[16];
    if (threadIdx.x < 16) pairs[threadIdx.x] = 0.0f;
    __syncthreads();
    const int64_t i = thread_in_grid();
    if (i < n) {
        atomicMax(&largest[i % 7], x[i]);                               // no result is used: a reduction
        place[i] = atomicExch(&largest[8 + threadIdx.x % 4], x[i]);    // its result is
        atomicAdd(&pairs[threadIdx.x % 32 / 2], static_cast<float>(x[i]));
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&sums[threadIdx.x], pairs[threadIdx.x]);
}

// One counter for all.
__global__ void count_kernel(const int* x, int* count, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n && x[i] > 0) atomicAdd(count, 1);
}

__global__ void cas_kernel(const float* x, float* product, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    unsigned* const word = reinterpret_cast<unsigned*>(product) + i;  // one each: nobody loses
    unsigned seen = *word, expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected, __float_as_uint(__uint_as_float(expected) + x[i]));
    } while (seen != expected);
}

// A sum over each run of 8 lanes, and a scan of the whole warp.
__global__ void shuffles_kernel(const float* x, float* out, float* sums, int64_t n) {
    const int64_t i = thread_in_grid();
    const float mine = i < n ? x[i] : 0.0f;
    const int lane = threadIdx.x % 32;
    float before = mine;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(0xffffffff, before, step);
        if (lane >= step) before += other;
    }
    float sum = mine;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step, 8);
    if (i < n) out[i] = before;
    if (i < n && lane % 8 == 0) sums[i / 8] = sum;
}

// How often each of eight values comes among a thread's numbers; the counts have addresses, so they lie in local memory.
__global__ void counts_kernel(const int* x, int* out, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i >= n) return;
    int count[8] = {};
#pragma unroll 1
    for (int k = 0; k < 6; ++k) ++count[x[k * n + i] & 7];
#pragma unroll
    for (int k = 0; k < 8; ++k) out[k * n + i] = count[k];
}

static unsigned blocks_for(int64_t n, int block_size) {
    return static_cast<unsigned>((n + block_size - 1) / block_size);
}

extern "C" void reverse8(const double* x,  // [n]
                         double* out,      // [n]
                         int64_t n, cudaStream_t stream = 0) {
    reverse8_kernel<<<blocks_for(n, 128), 128, 0, stream>>>(x, out, n);
}
extern "C" void transpose8(const float* x,  // [16, 16, 2] 8-byte aligned
                           float* out,      // [16, 16, 2] 8-byte aligned
                           int padding, cudaStream_t stream = 0) {
    auto kernel = padding ? transpose8_kernel<1> : transpose8_kernel<0>;
    kernel<<<1, dim3(16, 16), 0, stream>>>(reinterpret_cast<const float2*>(x), reinterpret_cast<float2*>(out));
}
extern "C" void transpose16(const float* x,  // [16, 16, 4] 16-byte aligned
                            float* out,      // [16, 16, 4] 16-byte aligned
                            int padding, cudaStream_t stream = 0) {
    auto kernel = padding ? transpose16_kernel<1> : transpose16_kernel<0>;
    kernel<<<1, dim3(16, 16), 0, stream>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(out));
}
extern "C" void some16(const float* x,  // [n, 4] 16-byte aligned
                       float* out,      // [n, 4] 16-byte aligned
                       int64_t n, int block_size = 160, cudaStream_t stream = 0) {
    some16_kernel<<<blocks_for(n, block_size), block_size, 16 * block_size, stream>>>(
        reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(out), n);
}
extern "C" void bytes(const uint8_t* x,  // [n]
                      uint8_t* out,      // [n]
                      int64_t n, cudaStream_t stream = 0) {
    bytes_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, n);
}
extern "C" void tree(const float* x,  // [n]
                     float* out,      // [blocks]
                     int64_t n, int64_t blocks, cudaStream_t stream = 0) {
    tree_kernel<<<static_cast<unsigned>(blocks), 192, 192 * sizeof(float), stream>>>(x, out, n);
}
extern "C" void atomics(const int* x,  // [n]
                        int* largest,  // [12]
                        int* place,    // [n]
                        float* sums,   // [16]
                        int64_t n, cudaStream_t stream = 0) {
    atomics_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, largest, place, sums, n);
}
extern "C" void count(const int* x,  // [n]
                      int* total,    // [1]
                      int64_t n, cudaStream_t stream = 0) {
    count_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, total, n);
}
extern "C" void cas(const float* x,  // [n]
                    float* product,  // [n]
                    int64_t n, cudaStream_t stream = 0) {
    cas_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, product, n);
}
extern "C" void shuffles(const float* x,  // [n]
                         float* out,      // [n]
                         float* sums,     // [n]
                         int64_t n, cudaStream_t stream = 0) {
    shuffles_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, out, sums, n);
}
extern "C" void counts(const int* x,  // [6, n]
                       int* out,      // [8, n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    counts_kernel<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, out, n);
}
