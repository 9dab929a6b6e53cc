// Kernels whose threads leave their call at one shuffle, one vote or __syncwarp(), which no loop has.
#include <cuda_runtime.h>

#define LAUNCH(name) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        name##_kernel<<<3, threads, 0, static_cast<cudaStream_t>(stream)>>>(x, out); \
    }
#define EVERY 0xffffffffu

__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void swaps_kernel(const float* x, float* out) {
    const float mine = x[place()];
    const float other = __shfl_xor_sync(EVERY, mine, 1);
    float next = 2.0f * __shfl_down_sync(EVERY, mine, 1) + other;
    int lane = threadIdx.x % 32;
    next = fmaxf(next, __shfl_sync(EVERY, other, 3, 8));
    lane = lane + __shfl_up_sync(EVERY, lane, 4);
    out[place()] = other + next * lane;
}
LAUNCH(swaps)

__global__ void unrolled_kernel(const float* x, float* out) {
    float v = x[place()];
    v += __shfl_down_sync(EVERY, v, 16);
    v += __shfl_down_sync(EVERY, v, 8);
    v += __shfl_down_sync(EVERY, v, 4);
    v += __shfl_down_sync(EVERY, v, 2);
    v += __shfl_down_sync(EVERY, v, 1);
    if (threadIdx.x % 32 == 0) out[place() / 32] = v;
}
LAUNCH(unrolled)

__global__ void votes_kernel(const float* x, float* out) {
    const float v = x[place()];
    const unsigned positive = __ballot_sync(EVERY, v > 0.0f && v < 2.0f);
    int large = __any_sync(EVERY, v > 2.5f);
    const int all = __all_sync(EVERY, v > -2.0f);
    large += 2 * __any_sync(EVERY, v < -2.5f);
    out[place()] = __popc(positive & ((1u << threadIdx.x % 32) - 1)) + 100 * large + 1000 * all;
}
LAUNCH(votes)

// Half of each warp, by a mask of its own, in several rounds, and shared memory of a warp.
__global__ void halves_kernel(const float* x, float* out) {
    __shared__ float tile[1024];
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int round = 0; round < 3; ++round) {
        tile[t] = x[place()] * (round + 1);
        __syncwarp();
        sum += tile[t ^ 1];
        __syncwarp(EVERY);
        if (t % 32 < 16) {
            const float low = __shfl_xor_sync(0xffffu, sum, 8);
            sum -= 0.5f * low;
        } else {
            const unsigned votes = __ballot_sync(0xffff0000u, sum > round);
            sum += votes >> 16;
        }
    }
    out[place()] = sum;
}
LAUNCH(halves)

// The first warps end before the others wait, and barriers stand between.
__global__ void mixed_kernel(const float* x, float* out) {
    __shared__ float of_warp[32];
    float v = x[place()];
    if (threadIdx.x < 32) v += __shfl_xor_sync(EVERY, v, 16);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        const float other = __shfl_xor_sync(EVERY, v, 3);
        out[place()] = other;
        return;
    }
    const float first = __shfl_sync(EVERY, v, 0);
    out[place()] = first + of_warp[0];
}
LAUNCH(mixed)

__global__ void leaves_kernel(const float* x, float* out) {
    float v = x[place()];
    if (threadIdx.x == 20) return;
    v += __shfl_down_sync(EVERY, v, 1);
    out[place()] = v;
}
LAUNCH(leaves)

__global__ void unnamed_kernel(const float* x, float* out) {
    float v = x[place()];
    if (threadIdx.x % 32 < 16) v += __shfl_down_sync(0xffffu, v, 2);
    out[place()] = v;
}
LAUNCH(unnamed)

__global__ void apart_kernel(const float* x, float* out) {
    float v = x[place()];
    if (threadIdx.x % 2)
        v += __shfl_xor_sync(EVERY, v, 2);
    else
        __syncwarp();
    out[place()] = v;
}
LAUNCH(apart)
