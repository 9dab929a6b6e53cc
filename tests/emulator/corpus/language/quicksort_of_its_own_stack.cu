// Each thread sorts 25 numbers by recursion, with a larger stack asked for, and a stack in an array beside it.
#include <cuda_runtime.h>
__device__ void swap_numbers(float& x, float& y) { const float t = x; x = y; y = t; }
__device__ void sort(float* v, int lo, int hi) {
    if (lo >= hi) return;
    swap_numbers(v[(lo + hi) / 2], v[hi]);
    int at = lo;
    for (int j = lo; j < hi; ++j) if (v[j] < v[hi]) swap_numbers(v[j], v[at++]);
    swap_numbers(v[at], v[hi]);
    sort(v, lo, at - 1);
    sort(v, at + 1, hi);
}
__device__ bool sorted(const float* v, int count) {
    struct Range { short from, to; } stack[16];
    int top = 0;
    stack[top++] = {0, static_cast<short>(count)};
    while (top > 0) {
        const auto [from, to] = stack[--top];
        if (to - from < 2) continue;
        const short mid = (from + to) / 2;
        if (v[mid - 1] > v[mid]) return false;
        stack[top++] = {from, mid};
        stack[top++] = {mid, to};
    }
    return true;
}
__global__ void k(const float* a, float* out, float* keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, first = i * 25;
    if (first + 25 > n) return;
    float* mine = keys + first;
    for (int j = 0; j < 25; ++j) mine[j] = a[first + j];
    sort(mine, 0, 24);
    const bool good = sorted(mine, 25);
    for (int j = 0; j < 25; ++j) out[first + j] = a[first + j] + good;
}
extern "C" void launch(const float* a, float* out, int n) {
    size_t before = 0;
    cudaDeviceGetLimit(&before, cudaLimitStackSize);
    if (before < 4096) cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    float* keys;
    cudaMalloc(&keys, n * sizeof(float));
    k<<<2, 32>>>(a, out, keys, n);
    cudaFree(keys);
}
