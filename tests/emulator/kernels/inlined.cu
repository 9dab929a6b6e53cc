// Kernels whose device functions wait: at a barrier, in a loop of shuffles, or in what they call.
#include <cuda_runtime.h>

#define LAUNCH(name, ...) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        __VA_ARGS__<<<3, threads, 0, static_cast<cudaStream_t>(stream)>>>(x, out); \
    }
#define ALL 0xffffffffu

__device__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(ALL, v, offset);
    return v;
}

template <typename T, int kLanes = 32>
__device__ __forceinline__ T warp_max(T v) {
#pragma unroll
    for (int offset = kLanes / 2; offset; offset >>= 1) {
        const T other = __shfl_xor_sync(ALL, v, offset);
        v = v > other ? v : other;
    }
    return v;
}

__device__ float block_sum(float v) {
    __shared__ float part[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    __syncthreads();
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? part[lane] : 0.0f;
    if (warp == 0) v = warp_sum(v);
    return v;
}

// The functions' names are the kernel's, too.
__global__ void names_kernel(const float* x, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], most = 1, offset = 2, lane = 3, warp = 4;
    const float sum = warp_sum(v * offset) * most + lane;
    v = block_sum(v + warp) + block_sum(sum);
    most += warp_max(most + i) - warp_max<float, 16>(-x[i]);
    out[i] = v + sum + most + offset + lane + warp;
}
LAUNCH(names, names_kernel)

// In a loop, twice in a sum, in a branch that whole warps take, in what another call takes.
__global__ void places_kernel(const float* x, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], found = 0;
    for (int k = 0; k < 3; ++k) found += k * warp_sum(v + k) - warp_max(v * k);
    if (threadIdx.x < 32) found -= warp_sum(warp_sum(v));
    if (threadIdx.x / 32 % 2) {
        found = warp_max(found);
    } else {
        found += 1;
    }
    out[i] = found;
}
LAUNCH(places, places_kernel)

// Lanes of a warp that part before the call.
__global__ void parted_kernel(const float* x, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 20) out[i] = warp_sum(x[i]);
}
LAUNCH(parted, parted_kernel)

// A barrier in a function that a part of the block calls.
__global__ void divergent_kernel(const float* x, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32) out[i] = block_sum(x[i]);
}
LAUNCH(divergent, divergent_kernel)

__device__ float far_sum(const float* x, int i) {
    __syncthreads();
    return x[i] + 1;
}
__global__ void outside_kernel(const float* x, float* out) {
    const float far = far_sum(x, threadIdx.x == 9 ? 1 << 30 : 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = far;
}
LAUNCH(outside, outside_kernel)

// What a function has for itself, and what its types are.
template <int kBy>
__device__ float turned(float v) {
    __shared__ float part[1024],  // one for each kBy
        more[32];
    part[threadIdx.x] = v;
    more[threadIdx.x % 32] = kBy;
    __syncthreads();
    return part[(threadIdx.x + kBy) % blockDim.x] + more[0];
}
template <typename T>
__device__ T next(T v) {
    __syncthreads();
    return v / 3 + 1;
}
template <typename T, unsigned kMask>
__device__ T following(T v) {
    v = next(v);
    return v + (kMask >> 28);
}
__device__ float half_sum(const float& v) {
    float s = v / 2;
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(ALL, s, d);
    return s;
}
__device__ int count(int* of) {
    __syncthreads();
    return (*of)++;
}
__device__ void both(float& sum, float& most) {  // into the caller's own
    sum = warp_sum(sum);
    most = warp_max(most);
}
__device__ float which(float&) { return 1; }
__device__ float which(const float&) { return 2; }

template <typename T>
__global__ void own_kernel(const T* x, T* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int counts[1024];
    int part = i + 1, most = counts[threadIdx.x] = 0;
    float first = x[i];
    const float v = turned<1>(first);
    float w = turned<2>(v);
    float u = v;
    both(w, u);
    w += following<int, ALL>(static_cast<int>(8 * first)) + half_sum(part);
    w += which(warp_sum(v));
    most = count(counts + threadIdx.x) + 10 * count(counts + threadIdx.x);
    out[i] = w + u + part + most;
}
LAUNCH(own, own_kernel)

// With a template's number that the kernel's own template gives on, and a wait for the warp alone.
template <int kThreads>
__device__ void last_warp(volatile float* of, int t) {
    if (kThreads >= 64) of[t] += of[t + 32];
    __syncwarp();
    if (t < 16) of[t] += of[t + 16];
    __syncwarp();
    if (t < 8) of[t] += of[t + 8];
}
template <typename T, int kThreads>
__global__ void last_kernel(const T* x, T* out) {
    __shared__ T tile[1024];
    const int t = threadIdx.x;
    tile[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t < 32) last_warp<kThreads>(tile, t);
    out[blockIdx.x * blockDim.x + t] = tile[t];
}
LAUNCH(last, (last_kernel<float, 64>))
