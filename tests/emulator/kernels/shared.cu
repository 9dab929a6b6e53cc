// Shared arrays outside of a kernel, in it and of the launch: a step past each end, by number.
#include <cuda_runtime.h>
#include <cstdint>
__shared__ float tile[64];
namespace other {
static __shared__ __align__(32) volatile int counts[3][5], one;
}
extern __shared__ double more[];
thread_local int* of_host = new int(3);

template <int N> __device__ float total() {
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += tile[i];
    return sum;
}
template <int N> __device__ float* own() {
    __shared__ float kept[64];
    return kept;
}
__global__ void right(float* x) {
    const int t = threadIdx.x;
    own<1>()[t] = 1;
    own<2>()[t] = 2;  // an array of its own
    tile[t] = t;
    other::counts[t % 3][t % 5] = 1;
    other::one = sizeof tile + sizeof other::counts + reinterpret_cast<uintptr_t>(&other::counts) % 32;
    __syncthreads();
    if (t == 0) x[blockIdx.x] = total<64>() + other::one + own<1>()[63];
}
__global__ void step(int64_t what, int64_t by, float* x) {
    __shared__ float inside[64];
    __shared__ short rows[4][8];
    extern __shared__ double whole[];
    const int64_t t = threadIdx.x + by;
    if (what == 0) tile[t] = 1.0f;
    if (what == 1) x[0] = tile[t];
    if (what == 2) inside[t] = 1.0f;
    if (what == 3) x[0] = inside[t];
    if (what == 4) more[t] = 1.0;
    if (what == 5) x[0] = whole[t];
    if (what == 6) rows[3][t] = 1;
    if (what == 7) other::counts[2][t] = 1;
    if (what == 8) {
        extern __shared__ float floats[];
        x[0] = floats[t];
    }
}
extern "C" void sums(float* x, int64_t blocks, cudaStream_t stream) { right<<<blocks, 64, 0, stream>>>(x); }
extern "C" void walk(int64_t what, int64_t by, float* x, int64_t threads, cudaStream_t stream) {
    step<<<1, threads, 512, stream>>>(what, by, x);
}
extern "C" int own_variable(cudaStream_t) { return *of_host - 3; }
