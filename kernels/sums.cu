// The sum of n float32 numbers, seven ways: from one thread working to the whole card working.
//
// The first four share their first half (each thread adds up every (blocks x block_size)-th element, so
// any n and any number of partial sums will do) and differ in how the threads' sums come together:
//   sum_one_thread   thread 0 adds the block's numbers from shared memory: 1/32 of one warp works;
//   sum_tree         half of the threads add, then a quarter, ...: shared memory and a barrier each time;
//   sum_shuffle      five __shfl_down_sync a warp, no shared memory: one partial sum per WARP;
//   sum_block        shuffles in each warp, then one warp shuffles the warps' sums: one per block.
// The last three reach the whole array's sum:
//   sum_atomic_each  one atomicAdd per element, all at one address;
//   sum_atomic       16-byte loads, sum_block, then one atomicAdd per block: the order, so the last bits,
//                    may differ from run to run;
//   sum_two_pass     the same, but the blocks' sums go to memory and one block adds them: the same bits
//                    every time for the same number of partial sums and the same block size.
// A thread's share: n / threads elements; 4 bytes per load, in the last two 16, four of them in flight.
// Block: whole warps (other sizes are rounded up), 256 by default.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int WARP = 32;
constexpr unsigned EVERY_LANE = 0xffffffffu;
constexpr int LOADS_IN_FLIGHT = 4;

// ---- parts ---------------------------------------------------------------------------------------

// Lane 0 gets the sum of the warp's 32 values; what the other lanes get is of no use.
__device__ float warp_sum(float value) {
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(EVERY_LANE, value, offset);
    }
    return value;
}

// Thread 0 gets the sum of the block's values. Every thread of the block must come here.
__device__ float block_sum(float value) {
    __shared__ float of_warp[WARP];  // a block has at most 1024 / 32 = 32 warps
    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) {
        const int warps = blockDim.x / WARP;
        value = warp_sum(lane < warps ? of_warp[lane] : 0.0f);
    }
    return value;
}

// The sum of x[first], x[first + stride], x[first + 2 stride], ...
__device__ float strided_sum(const float* x, int64_t n, int64_t first, int64_t stride) {
    float sum = 0.0f;
    for (int64_t i = first; i < n; i += stride) sum += x[i];
    return sum;
}

// The same for the whole array in 16-byte packs, with several loads asked for before the first is used.
__device__ float packed_sum(const float* x, int64_t n, int64_t first, int64_t stride) {
    const float4* packs = reinterpret_cast<const float4*>(x);
    const int64_t count = n / 4;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int64_t i = first;
#pragma unroll 1
    for (; i + (LOADS_IN_FLIGHT - 1) * stride < count; i += LOADS_IN_FLIGHT * stride) {
        float4 pack[LOADS_IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; ++k) pack[k] = packs[i + k * stride];
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
            sum.x += pack[k].x;
            sum.y += pack[k].y;
            sum.z += pack[k].z;
            sum.w += pack[k].w;
        }
    }
#pragma unroll 1
    for (; i < count; i += stride) {
        const float4 pack = packs[i];
        sum.x += pack.x;
        sum.y += pack.y;
        sum.z += pack.z;
        sum.w += pack.w;
    }
    // At most 3 elements are left, and a grid has at least one warp: one each for its first threads.
    const float tail = 4 * count + first < n ? x[4 * count + first] : 0.0f;
    return (sum.x + sum.y) + (sum.z + sum.w) + tail;
}

__device__ int64_t thread_in_grid() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ int64_t threads_in_grid() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// ---- one partial sum per block or warp -------------------------------------------------------------

__global__ void one_thread_kernel(const float* x, float* partials, int64_t n) {
    extern __shared__ float shared[];
    shared[threadIdx.x] = strided_sum(x, n, thread_in_grid(), threads_in_grid());
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int t = 0; t < static_cast<int>(blockDim.x); ++t) sum += shared[t];
        partials[blockIdx.x] = sum;
    }
}

__global__ void tree_kernel(const float* x, float* partials, int64_t n) {
    extern __shared__ float shared[];
    const int t = threadIdx.x;
    shared[t] = strided_sum(x, n, thread_in_grid(), threads_in_grid());
    __syncthreads();
    for (int left = blockDim.x; left > 1;) {
        const int half = (left + 1) / 2;  // rounded up, so that sizes which are no power of two work
        if (t + half < left) shared[t] += shared[t + half];
        __syncthreads();
        left = half;
    }
    if (t == 0) partials[blockIdx.x] = shared[0];
}

__global__ void shuffle_kernel(const float* x, float* partials, int64_t n, int64_t warps) {
    const int64_t warp = thread_in_grid() / WARP;
    if (warp >= warps) return;  // the whole warp leaves together, so every lane below is present
    const float sum = warp_sum(strided_sum(x, n, thread_in_grid(), warps * WARP));
    if (threadIdx.x % WARP == 0) partials[warp] = sum;
}

__global__ void block_kernel(const float* x, float* partials, int64_t n) {
    const float sum = block_sum(strided_sum(x, n, thread_in_grid(), threads_in_grid()));
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// ---- the whole array ---------------------------------------------------------------------------------

__global__ void zero_kernel(float* total) { *total = 0.0f; }

__global__ void atomic_each_kernel(const float* x, float* total, int64_t n) {
    const int64_t i = thread_in_grid();
    if (i < n) atomicAdd(total, x[i]);
}

// A bound of 1024 threads, not the number that is launched: it leaves the compiler 64 registers a thread,
// so that it has no reason to split the group of loads (it takes 32).
__global__ void __launch_bounds__(1024) atomic_kernel(const float* x, float* total, int64_t n) {
    const float sum = block_sum(packed_sum(x, n, thread_in_grid(), threads_in_grid()));
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

__global__ void __launch_bounds__(1024) packed_kernel(const float* x, float* partials, int64_t n) {
    const float sum = block_sum(packed_sum(x, n, thread_in_grid(), threads_in_grid()));
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// ---- launchers -----------------------------------------------------------------------------------------

// A shuffle names all 32 lanes in its mask, so all 32 must exist.
static int whole_warps(int block_size) { return (block_size + WARP - 1) / WARP * WARP; }

extern "C" void sum_one_thread(const float* x,   // [n]
                               float* partials,  // [blocks]
                               int64_t n, int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {
    const size_t shared_bytes = block_size * sizeof(float);
    one_thread_kernel<<<static_cast<unsigned>(blocks), block_size, shared_bytes, stream>>>(x, partials, n);
}

extern "C" void sum_tree(const float* x,   // [n]
                         float* partials,  // [blocks]
                         int64_t n, int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {
    const size_t shared_bytes = block_size * sizeof(float);
    tree_kernel<<<static_cast<unsigned>(blocks), block_size, shared_bytes, stream>>>(x, partials, n);
}

extern "C" void sum_shuffle(const float* x,   // [n]
                            float* partials,  // [warps]
                            int64_t n, int64_t warps, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = whole_warps(block_size);
    const int64_t blocks = (warps * WARP + threads - 1) / threads;
    shuffle_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(x, partials, n, warps);
}

extern "C" void sum_block(const float* x,   // [n]
                          float* partials,  // [blocks]
                          int64_t n, int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {
    block_kernel<<<static_cast<unsigned>(blocks), whole_warps(block_size), 0, stream>>>(x, partials, n);
}

extern "C" void sum_atomic_each(const float* x,  // [n]
                                float* total,    // [1]
                                int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    zero_kernel<<<1, 1, 0, stream>>>(total);
    atomic_each_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, total, n);
}

extern "C" void sum_atomic(const float* x,  // [n] 16-byte aligned
                           float* total,    // [1]
                           int64_t n, int blocks = 1024, int block_size = 256, cudaStream_t stream = 0) {
    zero_kernel<<<1, 1, 0, stream>>>(total);
    atomic_kernel<<<blocks, whole_warps(block_size), 0, stream>>>(x, total, n);
}

extern "C" void sum_two_pass(const float* x,   // [n] 16-byte aligned
                             float* partials,  // [blocks]
                             float* total,     // [1]
                             int64_t n, int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = whole_warps(block_size);
    packed_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(x, partials, n);
    block_kernel<<<1, threads, 0, stream>>>(partials, total, blocks);
}
