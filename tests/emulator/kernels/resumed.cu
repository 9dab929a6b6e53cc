// Kernels whose threads leave their call at a barrier, alone and beside others that wait with a stack of their own.
#include <cuda_runtime.h>

#define LAUNCH(name, ...) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        __VA_ARGS__<<<3, dim3(threads / 2, 2), 0, static_cast<cudaStream_t>(stream)>>>(x, out); \
    }

__device__ int place() { return threadIdx.y * blockDim.x + threadIdx.x; }

__device__ float block_sum(float v) {
    __shared__ float of_warp[32];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    if (place() % 32 == 0) of_warp[place() / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int i = 0; i < blockDim.x * 2 / 32; ++i) v += of_warp[i];
    __syncthreads();
    return v;
}

__global__ void tree_kernel(const float* x, float* out) {
    __shared__ float s[1024];
    const int t = place(), n = 2 * blockDim.x;
    x += blockIdx.x * n;
    s[t] = x[t];
    __syncthreads();
    for (int d = n / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    for (int d = 1; d < 3; ++d) {
        const float sum = s[0];
        __syncthreads();
        if (t == d) s[0] = sum * d;
        __syncthreads();
    }
    if (t % 3 == 0) return;
    out[blockIdx.x * n + t] = s[0] + t;
}
LAUNCH(tree, tree_kernel)

template <typename T, int N>
__global__ void variables_kernel(const T* x, T* out) {
    constexpr int kTwo = 2;
    const int kFour = kTwo * kTwo;
    __shared__ alignas(16) T s[1024], t[kFour];
    int place = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * kTwo, i;
    T first[kFour] = {x[place], 2, 3};
    T sums[N];
    const T* from = x;
    unsigned where = 0;
    for (i = 0; i < N; ++i) sums[i] = first[i % kFour];
    while (true) {
        s[place] = sums[0];
        if (place < kFour) t[place] = sums[1] * place;
        __syncthreads();  /* µ */
        __syncthreads();
        T next(s[(place + 1) % n]);
        float2 pair{next, t[where % 4]};
        __syncthreads();
        sums[0] = next + pair.x, sums[1] += pair.y + from[where];
        if (++where == 5) break;
    }
    out[blockIdx.x * n + place] = sums[0] + sums[1] * first[1];
}
LAUNCH(variables, variables_kernel<float, 6>)

// Half of the threads leave at each barrier, or all but one, or none; shuffles stand between barriers.
__global__ void mixed_kernel(const float* x, float* out) {
    __shared__ float s[1024];
    const int t = place(), n = 2 * blockDim.x;
    float v = x[t];
    for (int part = 0; part < 4; ++part) {
        s[t] = v;
        if (t * 2 < n * (part % 3)) {
            __syncthreads();
        } else {
            v += __syncthreads_count(t % 2);
        }
        v += s[(t + 7) % n];
        v += __shfl_down_sync(0xffffffff, v, 3);
        __syncthreads();
        v = v * 0.5f + block_sum(v);
        if (part == 2) __syncthreads();
    }
    out[blockIdx.x * n + t] = v;
}
LAUNCH(mixed, mixed_kernel)

// A thread waits in a loop for one that comes behind it, in the part behind a barrier.
__global__ void waiting_kernel(const float* x, float* out) {
    __shared__ volatile int flag[1024];
    const int t = place(), n = 2 * blockDim.x;
    flag[t] = 0;
    __syncthreads();
    if (t == 0) {
        while (!flag[n - 1]) {
        }
    }
    flag[t] = 1;
    if (t == n - 1) {
        while (!flag[1]) {
        }
    }
    __syncthreads();
    out[blockIdx.x * n + t] = x[t] + flag[(t + 1) % n];
}
LAUNCH(waiting, waiting_kernel)

__global__ void divergent_kernel(const float* x, float* out) {
    const int t = place();
    __syncthreads();
    if (t == 5) return;
    if (t < 40) __syncthreads();
    out[t] = x[t];
}
LAUNCH(divergent, divergent_kernel)

__global__ void at_a_shuffle_kernel(const float* x, float* out) {
    const int t = place();
    float v = x[t];
    __syncthreads();
    if (t < 20) {
        __syncthreads();
    } else {
        v += __shfl_xor_sync(0xffffffff, v, 1);
    }
    out[t] = v;
}
LAUNCH(at_a_shuffle, at_a_shuffle_kernel)

__global__ void outside_kernel(const float* x, float* out) {
    __shared__ float s[64];
    const int t = place();
    s[t % 64] = x[t];
    __syncthreads();
    if (t == 41) out[1 << 30] = s[t];
    out[t] = s[0];
}
LAUNCH(outside, outside_kernel)
