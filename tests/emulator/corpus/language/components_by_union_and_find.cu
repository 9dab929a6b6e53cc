// Components of a graph: roots joined by compare-and-swap, paths halved on the way, labels flattened, and counted.
#include <cuda/atomic>
#include <cuda_runtime.h>
__device__ int find(int* parent, int x) {
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(parent[x]);
    int up = mine.load(cuda::memory_order_relaxed);
    while (up != x) {
        cuda::atomic_ref<int, cuda::thread_scope_device> next(parent[up]);
        const int above = next.load(cuda::memory_order_relaxed);
        if (above == up) return up;
        cuda::atomic_ref<int, cuda::thread_scope_device>(parent[x]).compare_exchange_strong(up, above, cuda::memory_order_relaxed);
        x = above;
        up = cuda::atomic_ref<int, cuda::thread_scope_device>(parent[x]).load(cuda::memory_order_relaxed);
    }
    return x;
}
__device__ void join(int* parent, int x, int y) {
    for (;;) {
        x = find(parent, x), y = find(parent, y);
        if (x == y) return;
        if (x < y) { const int t = x; x = y, y = t; }
        int expected = x;
        if (cuda::atomic_ref<int, cuda::thread_scope_device>(parent[x]).compare_exchange_strong(expected, y)) return;
    }
}
__global__ void begin(int* parent, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) parent[i] = i;
    if (i == 0) *count = 0;
}
__global__ void link(int* parent, int n, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + step < n) join(parent, i, i + step);
}
__global__ void flatten(int* parent, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int root = find(parent, i);
    if (root == i) atomicAdd(count, 1);
}
__global__ void finish(const float* a, float* out, int* parent, const int* count, int n, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (find(parent, i) == i % step && *count == min(step, n) ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    constexpr int step = 6;
    int *parent, *count;
    cudaMalloc(&parent, n * sizeof(int)), cudaMalloc(&count, sizeof(int));
    const int blocks = (n + 63) / 64;
    begin<<<blocks, 64>>>(parent, count, n);
    link<<<blocks, 64>>>(parent, n, step);
    flatten<<<blocks, 64>>>(parent, count, n);
    finish<<<blocks, 64>>>(a, out, parent, count, n, step);
    cudaFree(parent), cudaFree(count);
}
