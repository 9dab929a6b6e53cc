// Kernels with warp operations whose warps run by phases: loops over lanes between the waits.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#define LAUNCH(name) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        name##_kernel<<<3, threads, 0, static_cast<cudaStream_t>(stream)>>>(x, out); \
    }
#define WIDE_LAUNCH(name) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        name##_kernel<<<3, dim3(32, threads / 64, 2), threads * sizeof(float), \
                        static_cast<cudaStream_t>(stream)>>>(x, out, threads); \
    }
#define EVERY 0xffffffffu

__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ float half_of(float v) { return 0.5f * v; }

template <typename T>
__inline__ __device__ T sum_of_warp(T v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(EVERY, v, offset);
    return v;
}

// The index differs from lane to lane, and what is handed over and stored is memory.
__global__ void rotated_kernel(const float* x, float* out) {
    const int lane = threadIdx.x % 32;
    out[place()] = __shfl_sync(EVERY, x[place()], (lane + 1) % 32);
    out[place()] += __shfl_up_sync(EVERY, half_of(x[place()]), lane % 4, 16);
}
LAUNCH(rotated)

// Pairs, in a loop that all make alike and in one of each lane.
__global__ void pairs_kernel(const float* x, float* out) {
    float v = x[place()];
    int at = threadIdx.x & 31;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_down_sync(EVERY, v, offset);
        int where = __shfl_down_sync(EVERY, at, offset);
        if (other > v) {
            v = other;
            at = where;
        }
    }
    int turns = 0;
    for (int i = threadIdx.x % 32; i < 32 * 3; i += 32) {
        turns += __shfl_xor_sync(EVERY, i, 1);
        if (i % 3 == 5) continue;
        turns += i;
    }
    out[place()] = v + 100 * at + turns;
}
LAUNCH(pairs)

// Votes in conditions; a loop left by all lanes; a return of whole warps.
__global__ void votes_kernel(const float* x, float* out) {
    float v = x[place()];
    if (threadIdx.x / 32 == 1) return;
    int rounds = 0;
    while (true) {
        if (__all_sync(EVERY, v < 0.01f || rounds > 20)) break;
        v *= 0.5f;
        ++rounds;
        if (rounds == 9) continue;
        v -= 0.001f * __popc(__ballot_sync(EVERY, v > 0.5f));
    }
    do {
        v += 1.0f;
        v = fmaxf(v, __shfl_xor_sync(EVERY, v, 16, 32));
    } while (__float_as_int(v) < 0);
    if (__any_sync(EVERY, v > 1.5f)) {
        v += 10.0f;
    } else {
        v -= __shfl_sync(EVERY, v, 0);
    }
    const unsigned active = __activemask();
    __syncwarp(active);
    out[place()] = v + rounds + (active == EVERY);
}
LAUNCH(votes)

// Arrays and structs that are kept, changed parameters, names that are declared again.
__global__ void kept_kernel(const float* x, float* out) {
    using Number = float;
    constexpr int kCount = 4;
    Number part[kCount] = {1, 2, 3, 4};
    float2 both{x[place()], 0.0f};
    x += place();
    for (int i = 0; i < kCount; ++i) {
        part[i] += x[0];
        both.y += __shfl_xor_sync(EVERY, part[i], 1 << i);
        const Number v = part[i];
        {
            const Number v = __shfl_up_sync(EVERY, both.x, 2);
            both.x += v;
        }
        part[i] = v + both.x;
    }
    const half low = __float2half(both.y);
    const half other = __shfl_down_sync(EVERY, low, 3);
    out[place()] = part[0] + part[3] + both.x + __half2float(other);
}
LAUNCH(kept)

// Functions with waits, shared memory, barriers.
__inline__ __device__ float sum_of_block(float v) {
    static __shared__ float of_warp[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    v = sum_of_warp(v);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? of_warp[lane] : 0;
    if (warp == 0) v = sum_of_warp(v);
    return v;
}
__global__ void block_kernel(const float* x, float* out) {
    float sum = 0;
    for (int i = threadIdx.x; i < 900; i += blockDim.x) sum += x[i % 64];
    sum = sum_of_block(sum + x[place()]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
LAUNCH(block)

__global__ void rounds_kernel(const float* x, float* out) {
    __shared__ float tile[1024];
    float v = x[place()];
    const int n = blockDim.x;
    for (int round = 0; round < 3; ++round) {
        tile[threadIdx.x] = v;
        __syncthreads();
        v = tile[(threadIdx.x + 32) % n];
        if (round == 1) {
            __syncthreads();
            v += __shfl_sync(EVERY, v, threadIdx.x % 7);
        }
        v += __shfl_xor_sync(EVERY, v, round + 1);
        __syncthreads();
    }
    out[place()] = v;
}
LAUNCH(rounds)

// A block of three dimensions with dynamic shared memory.
__global__ void dimensions_kernel(const float* x, float* out, int threads) {
    extern __shared__ float tile[];
    const int t = threadIdx.x + 32 * (threadIdx.y + blockDim.y * threadIdx.z);
    tile[t] = x[t];
    __syncthreads();
    float v = tile[threads - 1 - t];
    if (threadIdx.z == 1) v += __shfl_down_sync(EVERY, v, 4);
    if (threadIdx.y == 0) v *= __shfl_up_sync(EVERY, v, 1);
    out[blockIdx.x * threads + t] = v;
}
WIDE_LAUNCH(dimensions)

// Lanes part before anything is stored: some warps, or blocks, run as they are written.
__global__ void parted_kernel(const float* x, float* out) {
    float v = x[place()];
    if (blockIdx.x == 1 && threadIdx.x >= 40 && threadIdx.x % 4 == 0) v = fabsf(v);
    if (blockIdx.x == 2 && threadIdx.x % 32 < 16) {
        v += __shfl_xor_sync(0xffffu, v, 8);
    } else if (threadIdx.x % 64 < 48) {
        const unsigned mask = threadIdx.x % 64 < 32 ? EVERY : 0xffffu;
        if (blockIdx.x == 2) {
            v += 1;
        } else {
            v += __shfl_xor_sync(mask, v, 2);
        }
    }
    out[place()] += v;
}
LAUNCH(parted)

__global__ void parted_at_a_barrier_kernel(const float* x, float* out) {
    __shared__ float of_warp[32];
    if (blockIdx.x == 2 && threadIdx.x >= 40) return;
    float v = x[place()];
    if (blockIdx.x != 2 || threadIdx.x < 32) v = sum_of_warp(v);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    out[place()] = of_warp[0] + threadIdx.x;
}
LAUNCH(parted_at_a_barrier)

// What is done but once: additions to memory, before and behind warp operations.
__global__ void once_kernel(const float* x, float* out) {
    for (int round = 0; round < 2; ++round) {
        float v = x[(place() + round) % 64];
        v = sum_of_warp(v);
        if (threadIdx.x % 32 == 0) atomicAdd(&out[round], static_cast<float>(static_cast<int>(v)));
    }
    out[place() + 64] += 1.0f;
}
LAUNCH(once)

__global__ void outside_kernel(const float* x, float* out) {
    float v = x[place()];
    v += __shfl_xor_sync(EVERY, v, 1);
    out[threadIdx.x == 41 ? int64_t{1} << 40 : 0] = v;
}
LAUNCH(outside)

__global__ void left_kernel(const float* x, float* out) {
    if (threadIdx.x == 20) return;
    out[place()] = sum_of_warp(x[place()]);
}
LAUNCH(left)

// What a macro, a function or a reference does to memory is seen: these have no phases, or are right with them.
#define MEET __syncthreads();
#define COUNT atomicAdd(&out[2], 1.0f);
__device__ float counted = 0.0f;
__device__ void count_up(float by) { counted += by; }
__global__ void macros_kernel(const float* x, float* out) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = x[place()];
    MEET float v = tile[(threadIdx.x + 40) % blockDim.x];
    v += __shfl_xor_sync(EVERY, v, 1);
    out[place()] = v;
}
LAUNCH(macros)

__global__ void by_macro_kernel(const float* x, float* out) {
    if (place() % 50 == 5) {
        COUNT
    }
    float v = x[place()];
    if (threadIdx.x % 32 < 16) v += __shfl_xor_sync(0xffffu, v, 2);
    if (place() == 0) out[4] = v;
}
LAUNCH(by_macro)

__global__ void by_function_kernel(const float* x, float* out) {
    if (place() % 50 == 5) {
        count_up(1.0f);
    }
    float v = x[place()];
    if (threadIdx.x % 32 < 16) v += __shfl_xor_sync(0xffffu, v, 2);
    if (place() == 0) out[0] = v + counted;
}
LAUNCH(by_function)

__global__ void by_reference_kernel(const float* x, float* out) {
    if (place() % 50 == 5) {
        float& last = out[2];
        last += 1.0f;
    }
    float v = x[place()];
    if (threadIdx.x % 32 < 16) v += __shfl_xor_sync(0xffffu, v, 2);
    if (place() == 0) out[4] = v;
}
LAUNCH(by_reference)

__global__ void by_pointers_kernel(const float* x, float* out) {
    if (place() % 50 == 5) {
        float* both[2] = {out, out + 1};
        both[1][1] += 1.0f;
    }
    float v = x[place()];
    if (threadIdx.x % 32 < 16) v += __shfl_xor_sync(0xffffu, v, 2);
    if (place() == 0) out[4] = v;
}
LAUNCH(by_pointers)

__global__ void steps_kernel(const float* x, float* out) {
    float v = x[place()], w = 0.0f;
    int i = 0;
    for (int j = 2; i < 3; w += v) {
        v += __shfl_xor_sync(EVERY, v, j);
        ++i;
    }
    out[place()] = v + w;
}
LAUNCH(steps)

// A number that all lanes have alike until each of them changes its own by another name.
__device__ void advance(int& n) { n += threadIdx.x; }
__global__ void renamed_kernel(const float* x, float* out) {
    int n = 4, m = blockDim.x;
    int& other = n;
    other += threadIdx.x;
    advance(m);
    float v = __shfl_xor_sync(EVERY, x[place()], 1);
    float& same = v;
    same += 1.0f;
    v += __shfl_xor_sync(EVERY, v, 2);
    out[place()] = v + n + m;
}
LAUNCH(renamed)

// Functions as arguments, and structs of numbers.
struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Both {
    float most, sum;
};
template <typename Op, typename T>
__device__ T over_warp(T v, Op op) {
    for (int offset = 16; offset > 0; offset /= 2) v = op(v, T(__shfl_xor_sync(EVERY, v, offset)));
    return v;
}
__global__ void functors_kernel(const float* x, float* out) {
    Both both{x[place()], 0.0f};
    if (threadIdx.x % 3 == 0) both = Both{both.most + 1.0f, 0.5f};
    for (int i = 0; i < 2; ++i) both = Both{both.most + both.sum, both.sum};
    const float most = over_warp(both.most, Larger());
    both.sum = over_warp(both.most, Sum());
    both = Both{most, both.sum};
    const Both again = both;
    out[place()] = again.most + 0.25f * again.sum;
}
LAUNCH(functors)

// Without phases: in a template the tree does not say that `+=` stores, which must not be done again.
template <typename T>
__global__ void stored_kernel(const T* x, T* out) {
    T v = x[place()];
    out[place()] += v;
    if (threadIdx.x % 2) v += __shfl_xor_sync(0xaaaaaaaau, v, 2);
    out[place()] += v;
}
LAUNCH(stored)

// The last steps of a sum, by a volatile pointer: each reads what the one before it has written.
__global__ void last_steps_kernel(const float* x, float* out) {
    __shared__ float tile[1024];
    const int t = threadIdx.x;
    tile[t] = x[place()];
    __syncthreads();
    if (t < 32) {
        volatile float* last = tile;
        last[t] += last[t + 32];
        __syncwarp();
        for (int d = 16; d > 0; d /= 2) {
            if (t < d) last[t] += last[t + d];
            __syncwarp();
        }
    }
    out[place()] = tile[t];
}
LAUNCH(last_steps)

// Without phases: a thread waits for another one, which a loop over the lanes would not.
__global__ void spun_kernel(const float* x, float* out) {
    __shared__ int turn[1];
    volatile int* whose = turn;
    if (threadIdx.x == 0) whose[0] = 0;
    __syncthreads();
    for (int tries = 0; tries < 1000000 && whose[0] != 5; ++tries) {
        if (threadIdx.x == 5) whose[0] = 5;
        __syncwarp();
    }
    out[place()] = x[place()] + whose[0];
}
LAUNCH(spun)
__global__ void asked_kernel(const float* x, float* out) {
    __shared__ int turn[1];
    volatile int* whose = turn;
    bool seen = false;
    if (threadIdx.x == 0) whose[0] = 5;
    __syncthreads();
    for (int tries = 0; !seen; ++tries) {
        seen = whose[0] == 5;
        __syncwarp();
    }
    out[place()] = x[place()] + whose[0];
}
LAUNCH(asked)

// A parameter that each lane changes is named as a member of blockIdx: a row is the block's nevertheless, and so is what
// is made of it.
__global__ void members_kernel(const float* x, float* out) {
    __shared__ float most[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.x;
    const int next = (row + 1) % 3;
    x += row * blockDim.x;
    out += row * blockDim.x;
    float m = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(EVERY, m, d));
    if (lane == 0) most[warp] = m;
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; ++w) m = fmaxf(m, most[w]);
    out[threadIdx.x] = m + next + x[threadIdx.x];
}
LAUNCH(members)
