// A breadth-first walk over a grid by queues in shared memory, exchanged by pointers between rounds.
#include <cuda_runtime.h>
constexpr int W = 16;
struct Queue { int count; int items[W * W]; };
__global__ void walk(int* distance) {
    __shared__ Queue queues[2];
    __shared__ int seen[W * W / 32];
    Queue *now = &queues[0], *next = &queues[1];
    const int t = threadIdx.x;
    for (int i = t; i < W * W / 32; i += blockDim.x) seen[i] = 0;
    if (t == 0) now->count = 1, now->items[0] = 0, next->count = 0;
    __syncthreads();
    if (t == 0) atomicOr(&seen[0], 1), distance[0] = 0;
    __syncthreads();
    for (int round = 1; now->count > 0; ++round) {
        for (int q = t; q < now->count; q += blockDim.x) {
            const int at = now->items[q], x = at % W, y = at / W;
            const int to[] = {x > 0 ? at - 1 : -1, x + 1 < W ? at + 1 : -1, y > 0 ? at - W : -1, y + 1 < W ? at + W : -1};
            for (int p : to) {
                if (p < 0) continue;
                const int bit = 1 << (p % 32);
                if (atomicOr(&seen[p / 32], bit) & bit) continue;
                distance[p] = round;
                next->items[atomicAdd(&next->count, 1)] = p;
            }
        }
        __syncthreads();
        if (t == 0) now->count = 0;
        Queue* const old = now;
        now = next, next = old;
        __syncthreads();
    }
}
__global__ void k(const float* a, float* out, int n, const int* distance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int at = i % (W * W);
    if (i < n) out[i] = a[i] + (distance[at] == at % W + at / W ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) {
    int* distance;
    cudaMalloc(&distance, W * W * sizeof(int));
    walk<<<1, 64>>>(distance);
    k<<<(n + 255) / 256, 256>>>(a, out, n, distance);
    cudaFree(distance);
}
