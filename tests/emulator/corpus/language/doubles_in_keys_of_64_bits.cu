// A maximum of doubles by 64-bit atomics on keys that sort alike, and flags in 64-bit words.
#include <cuda_runtime.h>
using Word = unsigned long long;
__host__ __device__ inline Word key(double x) {
#ifdef __CUDA_ARCH__
    const long long bits = __double_as_longlong(x);
#else
    long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
#endif
    return bits < 0 ? ~static_cast<Word>(bits) : static_cast<Word>(bits) ^ (1ull << 63);
}
__device__ double value(Word k) { return __longlong_as_double(k >> 63 ? k ^ (1ull << 63) : ~k); }
__global__ void largest(const float* a, int n, Word* best, Word* seen) {
    __shared__ Word mine;
    if (threadIdx.x == 0) mine = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMax_block(&mine, key(-static_cast<double>(a[i]) * 1e300));
        atomicOr(seen + i / 64, 1ull << (i % 64));
        atomicAnd_system(seen + i / 64, ~0ull);
        atomicXor(seen + i / 64, 0ull);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(best, mine);
}
__global__ void k(const float* a, float* out, int n, const Word* best, const Word* seen) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool ok = -value(*best) <= a[i] * 1e300 && (seen[i / 64] >> (i % 64) & 1) && __popcll(seen[0]) == 64 && __ffsll(seen[0]) == 1 && __clzll(1) == 63;
    out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) {
    Word* words;
    const size_t bytes = (1 + (n + 63) / 64) * sizeof(Word);
    cudaMallocAsync(&words, bytes, cudaStreamPerThread);
    cudaMemsetAsync(words, 0, bytes, cudaStreamPerThread);
    largest<<<(n + 127) / 128, 128, 0, cudaStreamPerThread>>>(a, n, words, words + 1);
    k<<<(n + 127) / 128, 128, 0, cudaStreamPerThread>>>(a, out, n, words, words + 1);
    cudaFreeAsync(words, cudaStreamPerThread);
}
