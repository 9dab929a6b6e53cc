// Loops of shuffles: sums, maxima, prefix sums, pairs, functions and function objects; lanes that part.
#include <cuda_runtime.h>

#define FULL 0xffffffffu
#define LANE (threadIdx.x & 31)
constexpr int kHalf = 16;

template <typename T>
__device__ T sum(T value) {
#pragma unroll
    for (int offset = kHalf; offset > 0; offset >>= 1)
        value += __shfl_xor_sync(FULL, value, offset);
    return value;
}
__device__ float larger(float a, float b) { return a > b ? a : b; }
struct Larger {
    __device__ float operator()(float a, float b) const { return larger(a, b); }
};
__device__ float largest(float v) {
    for (int d = 16; d > 0; d >>= 1) v = larger(v, __shfl_xor_sync(FULL, v, d));
    return v;
}
template <typename Op>
__device__ float reduce(float v, Op op) {
    for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_down_sync(FULL, v, d, 32));
    return v;
}
__device__ float scan(float v) {
    const int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        float n = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += n;
    }
    for (int d = 1; d < 32; d *= 2) {
        float n = __shfl_up_sync(FULL, v, d);
        if (LANE >= d) v += n;
    }
    return v;
}
__device__ void place(float& v, int& i) {
    for (int d = 16; d; d /= 2) {
        float other = __shfl_xor_sync(FULL, v, d);
        int j = __shfl_xor_sync(FULL, i, d);
        if (other > v || (other == v && j < i)) {
            v = other;
            i = j;
        }
    }
}
__global__ void reduce_all(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], least = v;
    int at = i;
    out[i] = sum(v);
    out[n + i] = largest(v);
    out[2 * n + i] = reduce(v, Larger()) + reduce(v, [=](float a, float b) { return a + b * v; });
    out[3 * n + i] = scan(v);
    place(v, at);
    out[4 * n + i] = v + at;
    double total = v;
    for (int d = 4; d > 0; d /= 2) {
        total += __shfl_xor_sync(FULL, total, d, 8);
        least = fminf(least, __shfl_sync(FULL, least, d, 8));
    }
    out[5 * n + i] = total - least;
    out[6 * n + i] = sum(static_cast<int>(100 * x[i])) + sum(1.0 * x[i]);
}
extern "C" void reductions(const float* x, float* out, int threads, unsigned, cudaStream_t stream) {
    reduce_all<<<2, threads, 0, stream>>>(x, out, 2 * threads);
}
// Half a warp comes to the loop; the other half shuffles by itself, with the same mask.
__global__ void part(const float* x, float* out) {
    float v = x[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        for (int d = 1; d < 3; d *= 2) v += __shfl_xor_sync(FULL, v, d);
    } else {
        v += 2 * __shfl_xor_sync(FULL, v, 1);
        v += 3 * __shfl_xor_sync(FULL, v, 2);
    }
    out[threadIdx.x] = v;
}
extern "C" void parted(const float* x, float* out, int threads, unsigned, cudaStream_t stream) {
    part<<<1, threads, 0, stream>>>(x, out);
}
__global__ void some(const float* x, float* out, unsigned mask) {
    float v = x[threadIdx.x];
    if (mask >> threadIdx.x % 32 & 1) {
        for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d);
    }
    out[threadIdx.x] = v;
}
extern "C" void part_of_the_lanes(const float* x, float* out, int threads, unsigned lanes, cudaStream_t stream) {
    some<<<1, threads, 0, stream>>>(x, out, lanes);
}
// Lanes that have left the kernel are read.
__global__ void leave(const float* x, float* out, unsigned lanes) {
    if (!(lanes >> threadIdx.x % 32 & 1)) return;
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(FULL, v, d);
    out[threadIdx.x] = v;
}
extern "C" void left(const float* x, float* out, int threads, unsigned lanes, cudaStream_t stream) {
    leave<<<1, threads, 0, stream>>>(x, out, lanes);
}
