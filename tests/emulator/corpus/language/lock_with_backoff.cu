// A lock of a block's first thread by atomicCAS, with __nanosleep, a fence at both ends and a guard of its own scope.
#include <cuda_runtime.h>
class Mutex {
    int state_ = 0;
public:
    __device__ void lock() {
        unsigned wait = 8;
        while (atomicCAS(&state_, 0, 1) != 0) {
            __nanosleep(wait);
            if (wait < 256) wait *= 2;
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&state_, 0);
    }
};
struct Guard {
    Mutex& m;
    __device__ explicit Guard(Mutex& m) : m(m) { m.lock(); }
    __device__ ~Guard() { m.unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
};
__device__ Mutex mutex;
__device__ double sum;
__device__ int blocks;
__global__ void clear() { sum = 0; blocks = 0; }
__global__ void count(int n) {
    const int left = min(n - int(blockIdx.x * blockDim.x), int(blockDim.x));
    if (threadIdx.x == 0) {
        Guard guard(mutex);
        sum += left;
        ++blocks;
    }
}
__global__ void k(const float* a, float* out, int n, int grid) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + (sum == n && blocks == grid ? 1.0f : 0.0f);
}
extern "C" void launch(const float* a, float* out, int n) {
    const int grid = (n + 99) / 100;
    clear<<<1, 1>>>();
    count<<<grid, 100>>>(n);
    k<<<grid, 100>>>(a, out, n, grid);
}
