// How many bytes must be in flight to keep the memory busy? Three dials, one kernel that only reads:
//   warps per multiprocessor   set by `shared_bytes`: memory that a block asks for and does not use,
//                              so that fewer blocks fit; and by the number of threads asked for;
//   loads in flight            `unroll` = 1, 2, 4 or 8 loads asked for before the first is used;
//   bytes per load             `load_bytes` = 4 or 16.
// A thread's share: n / threads elements, `unroll` loads at a time; it writes its own sum, 4 bytes.
// Block: up to 256 threads, 256 by default; threads / block_size blocks, rounded up.
#include <cuda_runtime.h>

#include <cstdint>

__device__ float total(float value) { return value; }
__device__ float total(float4 pack) { return (pack.x + pack.y) + (pack.z + pack.w); }

// "At least 1 block of 256": without this the compiler, to save registers for more blocks, would use
// the first four 16-byte loads before it asks for the other four.
template <typename Pack, int UNROLL>
__global__ void __launch_bounds__(256, 1) read_kernel(const float* x, float* sums, int64_t n, int64_t threads) {
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= threads) return;

    const Pack* packs = reinterpret_cast<const Pack*>(x);
    constexpr int WIDTH = sizeof(Pack) / sizeof(float);
    const int64_t count = n / WIDTH;
    float sum = 0.0f;
    int64_t i = thread;
#pragma unroll 1  // without this line the compiler unrolls further, and more loads would be in flight
    for (; i + (UNROLL - 1) * threads < count; i += UNROLL * threads) {
        Pack pack[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) pack[k] = packs[i + k * threads];
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) sum += total(pack[k]);
    }
#pragma unroll 1
    for (; i < count; i += threads) sum += total(packs[i]);
#pragma unroll 1
    for (i = WIDTH * count + thread; i < n; i += threads) sum += x[i];  // at most 3 elements
    sums[thread] = sum;
}

template <typename Pack, int UNROLL>
static void launch(const float* x, float* sums, int64_t n, int64_t threads, int block_size, int shared_bytes,
                   cudaStream_t stream) {
    const int64_t blocks = (threads + block_size - 1) / block_size;
    // More than 48 KB a block has to be asked for.
    cudaFuncSetAttribute(read_kernel<Pack, UNROLL>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    read_kernel<Pack, UNROLL><<<static_cast<unsigned>(blocks), block_size, shared_bytes, stream>>>(x, sums, n,
                                                                                                   threads);
}

extern "C" void read_sum(const float* x,  // [n] 16-byte aligned
                         float* sums,     // [threads]
                         int64_t n, int64_t threads, int unroll = 1, int load_bytes = 4, int shared_bytes = 0,
                         int block_size = 256, cudaStream_t stream = 0) {
    // A block of 0 threads is refused at launch: so a version that does not exist is an error, not a lie.
    switch (load_bytes * 100 + unroll) {
        case 401: launch<float, 1>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 402: launch<float, 2>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 404: launch<float, 4>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 408: launch<float, 8>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 1601: launch<float4, 1>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 1602: launch<float4, 2>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 1604: launch<float4, 4>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        case 1608: launch<float4, 8>(x, sums, n, threads, block_size, shared_bytes, stream); break;
        default: read_kernel<float, 1><<<1, 0, 0, stream>>>(x, sums, n, threads);
    }
}
