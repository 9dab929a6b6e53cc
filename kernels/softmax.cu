// softmax: out = exp(x - m) / sum of exp(x - m) over each row of float16, where m is the row's largest element.
//
// The middle of attention in one kernel: a row is read once and stays in registers for the maximum, the sum and
// the quotient, which are float32. `width` decides how its elements travel: 8 at a time as V6's packs do, or 4, 2, 1.
//
//   a row's threads    one warp
//   a thread's share   cols / 32 elements, at most 32
//   global loads       2 * width bytes each, all before the first use
//   block size         128 threads (4 rows)
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kWarp = 32;
constexpr int kMostPerLane = 32;  // elements of a row that a lane keeps in registers
constexpr unsigned kAllLanes = 0xffffffff;

template <int W>
struct Raw;  // as many bytes as W halves have, in a type that one instruction moves
template <>
struct Raw<1> {
    using type = unsigned short;
};
template <>
struct Raw<2> {
    using type = unsigned;
};
template <>
struct Raw<4> {
    using type = uint2;
};
template <>
struct Raw<8> {
    using type = uint4;
};

__device__ float warp_max(float value) {
    for (int step = kWarp / 2; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
    return value;
}

__device__ float warp_sum(float value) {
    for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
    return value;
}

template <int W>
__global__ void softmax_kernel(const half* x, half* out, int64_t rows, int64_t cols) {
    using Bytes = typename Raw<W>::type;
    constexpr int kPacks = kMostPerLane / W;
    const int64_t row = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
    if (row >= rows) return;  // a whole warp, or none of it
    const int lane = threadIdx.x % kWarp, packs = static_cast<int>(cols) / W;
    const Bytes* from = reinterpret_cast<const Bytes*>(x + row * cols);
    Bytes* to = reinterpret_cast<Bytes*>(out + row * cols);

    alignas(16) half kept[kPacks][W];  // indexed by constants only, so it lives in registers
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
        if (lane + kWarp * k < packs) *reinterpret_cast<Bytes*>(kept[k]) = from[lane + kWarp * k];
    }

    float largest = -INFINITY;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
        if (lane + kWarp * k >= packs) break;
#pragma unroll
        for (int i = 0; i < W; ++i) largest = fmaxf(largest, __half2float(kept[k][i]));
    }
    largest = warp_max(largest);

    float power[kPacks][W], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
        if (lane + kWarp * k >= packs) break;
#pragma unroll
        for (int i = 0; i < W; ++i) sum += power[k][i] = __expf(__half2float(kept[k][i]) - largest);
    }
    const float scale = 1.0f / warp_sum(sum);

#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
        if (lane + kWarp * k >= packs) break;
#pragma unroll
        for (int i = 0; i < W; ++i) kept[k][i] = __float2half(power[k][i] * scale);
        to[lane + kWarp * k] = *reinterpret_cast<Bytes*>(kept[k]);
    }
}

// A row that is too long for registers, or not whole packs: read three times, element by element.
__global__ void softmax_long(const half* x, half* out, int64_t rows, int64_t cols) {
    const int64_t row = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
    if (row >= rows) return;
    const half* from = x + row * cols;
    const int lane = threadIdx.x % kWarp;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t i = lane; i < cols; i += kWarp) largest = fmaxf(largest, __half2float(from[i]));
    largest = warp_max(largest);
    for (int64_t i = lane; i < cols; i += kWarp) sum += __expf(__half2float(from[i]) - largest);
    const float scale = 1.0f / warp_sum(sum);
    for (int64_t i = lane; i < cols; i += kWarp) {
        out[row * cols + i] = __float2half(__expf(__half2float(from[i]) - largest) * scale);
    }
}

extern "C" void softmax(const half* x,  // [rows, cols] 16-byte aligned
                        half* out,      // [rows, cols] 16-byte aligned
                        int64_t rows, int64_t cols, int width = 8, int block_size = 128,
                        cudaStream_t stream = 0) {
    block_size = (block_size + kWarp - 1) / kWarp * kWarp;
    const int64_t rows_per_block = block_size / kWarp;
    const auto blocks = static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block);
    auto kernel = softmax_long;
    if (cols % width == 0 && cols <= kWarp * kMostPerLane) {
        if (width == 1) kernel = softmax_kernel<1>;
        if (width == 2) kernel = softmax_kernel<2>;
        if (width == 4) kernel = softmax_kernel<4>;
        if (width == 8) kernel = softmax_kernel<8>;
    }
    kernel<<<blocks, block_size, 0, stream>>>(x, out, rows, cols);
}
