// What the emulator offers: dtypes, atomics, warps, dynamic shared memory, printf.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include "wîde.cuh"

// A launch in a comment stays one: nothing<<<1, 2>>>(3);
const char* kText = "and in a string: nothing<<<1, 2>>>(3);";
__constant__ float kTable[4] = {1, 2, 3, 4};
__device__ int counter;

template <typename T> __global__ void to_float(const T* x, float* y, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = static_cast<float>(x[i]);
}
template <typename T> __global__ void binary(const T* a, const T* b, const T* c, T* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    out[i] = __hadd(a[i], b[i]);
    out[n + i] = a[i] - b[i];
    out[2 * n + i] = __hmul(a[i], b[i]);
    out[3 * n + i] = a[i] / b[i];
    out[4 * n + i] = __hfma(a[i], b[i], c[i]);
    out[5 * n + i] = __hmax(a[i], b[i]);
    out[6 * n + i] = __hneg(__habs(__hmin(a[i], b[i])));
    out[7 * n + i] = T(a[i] < b[i] ? 1.0f : 0.0f);
}
__global__ void narrow(const float* x, half* h, __nv_bfloat16* b, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) h[i] = __float2half_rn(x[i]), b[i] = __float2bfloat16(x[i]);
}
extern "C" void f16_to_float(const half* x, float* y, int64_t n, cudaStream_t s) {
    to_float<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
}
extern "C" void bf16_to_float(const __nv_bfloat16* x, float* y, int64_t n, cudaStream_t s) {
    to_float<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
}
extern "C" void narrow_both(const float* x, half* h, __nv_bfloat16* b, int64_t n, cudaStream_t s) {
    narrow<<<(n + 255) / 256, 256, 0, s>>>(x, h, b, n);
}
extern "C" void f16_binary(const half* a, const half* b, const half* c, half* o, int64_t n, cudaStream_t s) {
    binary<half><<<(n + 63) / 64, 64, 0, s>>>(a, b, c, o, n);
}
extern "C" void bf16_binary(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* c, __nv_bfloat16* o,
                            int64_t n, cudaStream_t s) {
    binary<__nv_bfloat16><<<(n + 63) / 64, 64, 0, s>>>(a, b, c, o, n);
}

__global__ void pairs(const half* a, const half* b, half* out, int64_t n) {
    const int64_t i = 2 * (blockIdx.x * int64_t(blockDim.x) + threadIdx.x);
    if (i + 1 < n) {
        const half2 x = __ldg(reinterpret_cast<const half2*>(a + i));
        const half2 y = __ldcs(reinterpret_cast<const half2*>(b + i));
        __stcs(reinterpret_cast<half2*>(out + i), __hadd2(x, y));
    } else if (i < n) {
        out[i] = __hadd(a[i], b[i]);
    }
}
extern "C" void f16_pairs(const half* a, const half* b, half* out, int64_t n, cudaStream_t s) {
    pairs<<<(n + 127) / 128, 64, 0, s>>>(a, b, out, n);
}

template <typename T> __device__ T warp_sum(T v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads) block_sum(const T* x, T* out, int64_t n) {
    __shared__ T part[kThreads / 32], unused[2][3];
    const int64_t i = blockIdx.x * int64_t(kThreads) + threadIdx.x;
    T v = warp_sum<T>(i < n ? x[i] : T(0));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < kThreads / 32 ? part[threadIdx.x] : T(0));
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
    unused[1][2] = v;
}
extern "C" void sums_f64(const double* x, double* out, int64_t n, cudaStream_t stream) {
    block_sum<256, double>
        <<<dim3((n + 255) / 256), dim3(256), 0, stream>>>(
            x, out, n);
}
__global__ void transpose(const float* x, float* out, int rows, int cols) {
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = x[r * cols + c];
    __syncthreads();
    c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
    if (r < cols && c < rows) out[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}
extern "C" void transposed(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16), 0, stream>>>(x, out, rows, cols);
}
__global__ void found(int* out) {
    extern __shared__ int given[];
    __shared__ int own[4];
    out[0] = own[1];
    out[1] = given[1];
}
extern "C" void found_in_shared(int* out, cudaStream_t stream) { found<<<1, 1, 4 * sizeof(int), stream>>>(out); }
__global__ void reversed(float* x) {
    extern __shared__ float whole[];
    whole[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    x[blockIdx.x * blockDim.x + threadIdx.x] = whole[blockDim.x - 1 - threadIdx.x];
}
extern "C" void reverse(float* x, int64_t blocks, int64_t threads, cudaStream_t stream) {
    reversed<<<blocks, threads, threads * sizeof(float), stream>>>(x);
}
__global__ void atomics(int* i, float* f, unsigned* u, double* d, unsigned long long* m) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(i, 2), atomicAdd(i + 1, -1), atomicMax(i + 2, (int)t), atomicMin(i + 3, -(int)t);
    atomicAdd(f, 0.5f), atomicOr(u, 1u << t % 32), atomicInc(u + 1, 9u), atomicXor(u + 2, t);
    atomicAdd(d, 1.0), atomicAdd(m, 3ull), atomicAdd(&counter, 1);
    __shared__ int lock, guarded;
    if (threadIdx.x == 0) lock = guarded = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    guarded += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(i + 4, guarded);
}
extern "C" void atomics_all(int* i, float* f, unsigned* u, double* d, unsigned long long* m, int* count,
                            cudaStream_t stream) {
    const int zero = 0;
    cudaMemcpyToSymbol(counter, &zero, sizeof zero);
    atomics<<<10, 100, 0, stream>>>(i, f, u, d, m);
    cudaMemcpyFromSymbol(count, counter, sizeof(int));
}
// The largest number of a block + 1. Without `takes`, a thread never looks at what another block has written.
__global__ void exchanges(int* out, bool takes) {
    const int mine = blockIdx.x + 1;
    if (threadIdx.x) return;
    int old = *out;
    while (old < mine) {
        const int seen = atomicCAS(out, old, mine);
        if (seen == old) break;
        if (takes) old = seen;
    }
}
// Each thread adds 1, by an exchange that it tries once, or until it is right.
__global__ void exchanges_in_a_block(int* out, bool again) {
    int seen = *static_cast<volatile int*>(out);
    for (;;) {
        const int found = atomicCAS(out, seen, seen + 1);
        if (found == seen || !again) return;
        seen = found;
    }
}
extern "C" void exchanges_of_threads(int* out, int64_t again, cudaStream_t stream) {
    exchanges_in_a_block<<<1, 64, 0, stream>>>(out, again != 0);
}

extern "C" void exchanges_all(int* out, int64_t takes, cudaStream_t stream) {
    exchanges<<<64, 256, 0, stream>>>(out, takes != 0);
}
__global__ void warps(int* out) {  // [12, 96]
    const int t = threadIdx.x, lane = t % 32;
    unsigned hardware_lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(hardware_lane));
    int* o = out + t;
    o[0] = hardware_lane;
    o[96] = __shfl_up_sync(0xffffffff, t, 3);
    o[192] = __shfl_xor_sync(0xffffffff, t, 5, 8);
    o[288] = __shfl_sync(0xffffffff, t, 9, 8);
    o[384] = __ballot_sync(0xffffffff, lane % 3 == 0);
    o[480] = __any_sync(0xffffffff, lane == 40) * 2 + __all_sync(0xffffffff, lane < 40);
    o[576] = __match_any_sync(0xffffffff, lane / 10);
    o[672] = __syncthreads_count(t < 50) * 100 + __syncthreads_and(t < 96) * 10 + __syncthreads_or(t == 200);
    if (lane < 10) {
        const unsigned active = __activemask();
        o[768] = active;
        o[864] = __shfl_sync(active, t, 9 - lane);
    } else {
        o[768] = __activemask();
        o[864] = __popc(o[768]) + 100 * __ffs(o[768]) + 10000 * __clz(o[768]);
    }
    o[960] = __reduce_add_sync(0xffffffff, lane);
    o[1056] = __brev(1u) == 0x80000000u && warpSize == 32 && kTable[3] == 4.0f;
    __syncwarp();
}
extern "C" void warps_all(int* out, cudaStream_t stream) { warps<<<1, 96, 0, stream>>>(out); }

__global__ void order(int* out) {
    if (blockIdx.x == 0) out[1 + atomicAdd(out, 1)] = threadIdx.x;
}
extern "C" void orders(int* out, cudaStream_t stream) { order<<<2, 64, 0, stream>>>(out); }
__global__ void racy(int* out) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = threadIdx.x ? shared[threadIdx.x - 1] : -1;  // no barrier
}
extern "C" void race(int* out, cudaStream_t stream) { racy<<<1, 64, 0, stream>>>(out); }
// Some threads wait, others run through; each is once at its place.
#define THREAD ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)
__global__ void places(int* out, dim3 gridDim) {
    const unsigned t = THREAD, threads = blockDim.x * blockDim.y * blockDim.z;
    const auto waits = [](unsigned t) { return t % 7 == 3; };
    unsigned lanes = 0;
    for (unsigned i = t / 32 * 32; i < t / 32 * 32 + 32 && i < threads; ++i) lanes |= (waits(i) ? 1u : 0u) << i % 32;
    if (waits(t)) __syncwarp(lanes);
    if (t % 20 == 11) __nanosleep(1);
    const auto place = [=] { return THREAD; };
    out[blockIdx.x * threads + THREAD] += place() == t ? gridDim.x : 1000;
}
__global__ void threads_of(int* out) {  // the same without a function inside
    if (threadIdx.y == 2 && threadIdx.x > 1) __syncwarp(__activemask());
    out[blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + THREAD] += 1;
}
extern "C" void all_places(int* out, cudaStream_t stream) {
    dim3 blockDim(5, 3, 4), gridDim(2);
    places<<<gridDim, blockDim, 0, stream>>>(out, dim3(1));
    threads_of<<<gridDim, blockDim, 0, stream>>>(out);
}
__global__ void speak(int n) { printf("thread %u of %d\n", threadIdx.x, n); }
extern "C" void talk(cudaStream_t stream) { speak<<<1, 3, 0, stream>>>(3); }
extern "C" void doubled(const float* x, float* out, int64_t n, cudaStream_t stream) { wide::twice(x, out, n, stream); }

// 0 and NULL among the arguments of a launch: null where a pointer is meant, else the number.
template <typename T> __global__ void of_nothing(T* x, const T* other, half h, size_t n, T more) {
    if (threadIdx.x < 32 - n) x[threadIdx.x] += (other ? 100 : 1) + __half2float(h) + more;
}
__global__ void waits_for_nothing(float* x, const float* other, double d) {
    __shared__ float kept[32];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = kept[31 - threadIdx.x] * (other ? 100 : 2) + d;
}
extern "C" void of_nulls(float* x, int64_t n, cudaStream_t s) {
    of_nothing<float><<<1, 32, 0, s>>>(x, NULL, 0, 0, 0);
    of_nothing<<<1, 32, 0, s>>>(x, x + 0, half(0), n, 0.0f);
    waits_for_nothing<<<1, 32, 0, s>>>(x, 0, 0);
}
