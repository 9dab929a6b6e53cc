// Threads that return before a barrier (it does not wait for them), and some that go round it.
#include <cstdint>

__global__ void neighbours_kernel(const float* x, float* out, int64_t n) {
    __shared__ float s[256];
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = x[i];
    __syncthreads();
    const float other = i + 1 < n && threadIdx.x + 1 < blockDim.x ? s[threadIdx.x + 1] : 0.0f;
    __syncthreads();
    s[threadIdx.x] += other;
    __syncthreads();
    out[i] = s[threadIdx.x];
}
extern "C" void neighbours(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    neighbours_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

__device__ float exchanged(float* s, float value) {
    s[threadIdx.x] = value;
    __syncthreads();
    return s[threadIdx.x ^ 1];
}
__global__ void in_function_kernel(const float* x, float* out, int64_t n) {
    __shared__ float s[256];
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i >= n) {
        return;
    } else if (i < 0)
        return;
    out[i] = exchanged(s, x[i]);
}
extern "C" void in_function(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    in_function_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

__global__ void votes_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const int all = __syncthreads_and(x[i] >= 0.0f), count = __syncthreads_count(1);
    out[i] = static_cast<float>(all ? count : -count);
}
extern "C" void votes(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    votes_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

__global__ void tree_kernel(const float* x, float* out, int64_t n) {
    __shared__ float s[256];
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half) return;
        s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    out[blockIdx.x] = s[0];
}
extern "C" void tree(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    tree_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

__global__ void goes_round_kernel(const float* x, float* out, int64_t n) {
    __shared__ float s[256];
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = x[i];
        __syncthreads();
        out[i] = s[threadIdx.x];
    }
}
extern "C" void goes_round(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    goes_round_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

__global__ void returns_behind_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (threadIdx.x < 128) __syncthreads();
    if (i >= n) return;
    out[i] = x[i];
}
extern "C" void returns_behind(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    returns_behind_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}
