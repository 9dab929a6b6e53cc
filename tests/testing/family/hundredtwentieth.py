"""Hold a hundred-and-twentieth family: a course's plain operators, and plain mistakes.

Its bases are a sum of two vectors in float4, integers between two limits, float to bfloat16 in
pairs, GELU of halves in its tanh form, hard-swish, the sum of an array, the smallest of an
array, the largest of each column, a dot product by warps, softmax by warps, layer norm by
blocks, a transpose of halves in tiles of 64, a product in tiles of 32, and the sums of each
number with each. They have 19 to 39 lines that are not empty. Five wrong members and a right
one belong to each. The causes were written before a member was judged. On the emulator each
was run on the cases, mostly twice on the same tensors, with NaN, 1e3 and -5.5 in floating
outputs (-1, 77 and 0 in others), with tensors at either end of their pages and at offsets that
the launcher allows, the bytes around them and the inputs looked at afterwards, on the default
stream and on another, with threads in order, from the last to the first and in two random
orders; of quick cases one of five in ways other than the first. Bases and right ones ran all
cases, those past 2^31 left out, and are right; wrong ones ran until they were wrong often
enough, or to the end. Where a barrier is missing, where the kernel sets the sum, and where
threads share a place, the order of threads decides. nvcc 13.0 compiles each base, with its
members, for 8.0; none was run on a GPU:

    hundredtwenty_add_no_block_for_rest      where the rest needs a block, as below 4 numbers
    hundredtwenty_add_rest_behind_packs      unless 4 divides n, where packs are taken
    hundredtwenty_add_count_for_address      if 4 divides n, by the addresses alone
    hundredtwenty_add_w_copied               of each fourth number, where packs are taken
    hundredtwenty_add_bounds_of_256          of larger blocks: the launch is refused
    hundredtwenty_clamp_unsigned             of negative numbers or limits
    hundredtwenty_clamp_zero_is_no_limit     of numbers beyond a limit of 0
    hundredtwenty_clamp_hi_exclusive         of numbers from the upper limit on
    hundredtwenty_clamp_hop_of_256           of smaller blocks, from a second round on
    hundredtwenty_clamp_first_limits         from the first call with other limits on
    hundredtwenty_cast_ties_up               halfway between two numbers, if the lower is even
    hundredtwenty_cast_nan_rounded           of some NaN, by their bits
    hundredtwenty_cast_first_for_both        from 2 numbers on
    hundredtwenty_cast_last_no_stream        of odd counts, on another than the default stream
    hundredtwenty_cast_ceil_of_quotient      unless 192 divides the pairs
    hundredtwenty_gelu_half_tanh             of many below 0
    hundredtwenty_gelu_erf                   of many, below -1 above all
    hundredtwenty_gelu_pack_of_seven         if 7 are left: one is written past the end
    hundredtwenty_gelu_three_pairs           from 8 numbers on
    hundredtwenty_gelu_quotient              from about 10 on
    hundredtwenty_hswish_product_first       above a sixth of the largest number
    hundredtwenty_hswish_no_block_for_few    of fewer numbers than a block has threads
    hundredtwenty_hswish_do_while            unless all threads have a number
    hundredtwenty_hswish_grid_for_block      from a second block on
    hundredtwenty_hswish_sixth_of_5_digits   of nearly all between -3 and 3, and above
    hundredtwenty_sum_set_in_kernel          if another block adds before the first sets it
    hundredtwenty_sum_all_threads_add        unless the sum is 0
    hundredtwenty_sum_tree_ends_early        from 2 numbers on
    hundredtwenty_sum_byte_a_number          always: shared memory is written past its end
    hundredtwenty_sum_memset_no_stream       on another stream than the default one
    hundredtwenty_least_of_all_places        if all are above 0, or were less in a longer call
    hundredtwenty_least_nan_of_one_side      of NaN, at most places
    hundredtwenty_least_from_flt_max         of nothing but infinities
    hundredtwenty_least_of_32_warps          by what lies in shared memory
    hundredtwenty_least_blocks_unlimited     from 16,385 numbers on
    hundredtwenty_colmax_from_first_number   of columns below the first number
    hundredtwenty_colmax_32_rows_down        from 9 rows on
    hundredtwenty_colmax_columns_in_turn     unless there is one row or one column
    hundredtwenty_colmax_column_of_thread    from 33 columns on
    hundredtwenty_colmax_shared_sides        by the order of threads, if two write one place
    hundredtwenty_dot_zeroed_once            from the second call on
    hundredtwenty_dot_lanes_leave            up to 3,071 numbers, unless 32 divides n
    hundredtwenty_dot_step_of_warps          from 5 numbers on
    hundredtwenty_dot_shuffle_from_32        unless the result is 0
    hundredtwenty_dot_whole_warps            unless 32 divides n
    hundredtwenty_softmax_sum_not_scaled     from 33 columns on
    hundredtwenty_softmax_from_infinity      up to 15 columns, and of some masks
    hundredtwenty_softmax_row_not_tested     unless 4 divides the rows
    hundredtwenty_softmax_powers_of_two      of nearly all, from 2 columns on
    hundredtwenty_softmax_block_turned       always
    hundredtwenty_norm_less_one              of nearly all
    hundredtwenty_norm_in_place              always: x is overwritten
    hundredtwenty_norm_no_last_barrier       where threads do not wait for another
    hundredtwenty_norm_squares_of_all        of rows far from 0
    hundredtwenty_norm_bias_of_thread        from 129 columns on
    hundredtwenty_turn_half_of_a_tile        from 33 rows on
    hundredtwenty_turn_tiles_of_other_side   unless the tiles are as many each way
    hundredtwenty_turn_tile_too_small        from 64 rows and 2 columns on
    hundredtwenty_turn_places_of_16_bits     from 65,537 rows or columns on
    hundredtwenty_turn_limits_of_input       unless square
    hundredtwenty_matmul_no_first_barrier    where threads do not wait for another
    hundredtwenty_matmul_only_last_tile      from k = 33 on
    hundredtwenty_matmul_edge_not_cleared    unless 32 divides k
    hundredtwenty_matmul_four_rows_in_turn   from 2 rows on
    hundredtwenty_matmul_adds_to_result      unless the result was 0
    hundredtwenty_outer_rows_along_y         from 65,536 rows on: the launch is refused
    hundredtwenty_outer_length_not_tested    unless 4 divides the columns, by the addresses
    hundredtwenty_outer_pitch_rows           unless square or one row, in single numbers
    hundredtwenty_outer_vectors_swapped      of nearly all, where single numbers are taken
    hundredtwenty_outer_1024_rows            from 1,025 rows on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# float + float: a float4 a thread where the addresses allow it, and a thread for each one left.
ADD = (
    HEADER
    + """\
static inline bool onSixteen(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

__global__ void addKernel(const float *a, const float *b, float *out, int packs, int rest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) {
        float4 x = ((const float4 *)a)[i];
        float4 y = ((const float4 *)b)[i];
        ((float4 *)out)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else if (i < packs + rest) {
        int k = 4 * packs + (i - packs);
        out[k] = a[k] + b[k];
    }
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    int packs = 0;
    if (onSixteen(a) && onSixteen(b) && onSixteen(out))
        packs = n / 4;
    int rest = n - 4 * packs;
    int work = packs + rest;
    addKernel<<<(work + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, out, packs,
                                                                              rest);
}
"""
)

# Integers between two scalars, in a loop over a grid of at most 48 blocks.
CLAMP = (
    HEADER
    + """\
namespace {

template <typename T>
__device__ __forceinline__ T bounded(T v, T lo, T hi) {
  if (v < lo) return lo;
  if (v > hi) return hi;
  return v;
}

__global__ void bounded_kernel(const int32_t* __restrict__ in, int32_t* __restrict__ out,
                               int32_t lo, int32_t hi, int64_t n) {
  const int64_t hop = (int64_t)blockDim.x * gridDim.x;
  int64_t at = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
  for (; at < n; at += hop) out[at] = bounded(in[at], lo, hi);
}

}  // namespace

extern "C" void launch(const int32_t* in,  // [n]
                       int32_t* out,       // [n]
                       int32_t lo, int32_t hi, int64_t n, int block_size = 256,
                       cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  if (blocks > 48) blocks = 48;
  bounded_kernel<<<(unsigned)blocks, block_size, 0, stream>>>(in, out, lo, hi, n);
}
"""
)

# float to bfloat16, a pair a thread; the last of an odd count has a kernel of its own.
CAST = (
    HEADER
    + """\
__global__ void cast_pairs(const float2* in, __nv_bfloat162* out, int pairs) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    const float2 v = in[p];
    out[p] = __floats2bfloat162_rn(v.x, v.y);
}

__global__ void cast_last(const float* in, __nv_bfloat16* out, int n) {
    out[n - 1] = __float2bfloat16(in[n - 1]);
}

extern "C" void launch(const float* in,     // [n] 8-byte aligned
                       __nv_bfloat16* out,  // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
    const int threads = 192;
    const int pairs = n >> 1;
    const int blocks = (pairs + threads - 1) / threads;
    if (blocks > 0)
        cast_pairs<<<blocks, threads, 0, stream>>>((const float2*)in, (__nv_bfloat162*)out,
                                                   pairs);
    if (n & 1) cast_last<<<1, 1, 0, stream>>>(in, out, n);
}
"""
)

# GELU in its tanh form: eight halves a thread in 16 bytes, the last few one by one.
GELU = (
    HEADER
    + """\
#define SQRT_2_OVER_PI 0.7978845608f
#define PACK 8

__device__ float gelu(float v)
{
    float u = SQRT_2_OVER_PI * (v + 0.044715f * v * v * v);
    float t = tanhf(u);
    return 0.5f * v * (1.0f + t);
}

__global__ void gelu_packs(const half *x, half *y, int n)
{
    int first = PACK * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first + PACK <= n) {
        uint4 raw = *(const uint4 *)(x + first);
        half2 *h = (half2 *)&raw;
        for (int k = 0; k < PACK / 2; k++) {
            float2 f = __half22float2(h[k]);
            h[k] = __floats2half2_rn(gelu(f.x), gelu(f.y));
        }
        *(uint4 *)(y + first) = raw;
    } else {
        for (int i = first; i < n; i++)
            y[i] = __float2half(gelu(__half2float(x[i])));
    }
}

extern "C" void launch(const half *x,  // [n] 16-byte aligned
                       half *y,        // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int per_block = PACK * block_size;
    int blocks = n / per_block + (n % per_block != 0);
    if (blocks)
        gelu_packs<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Hard-swish, x times (x + 3 between 0 and 6) over 6, in a loop over the grid.
HSWISH = (
    HEADER
    + """\
__device__ float hard_swish(float v) {
  float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);
  return v * (gate / 6.0f);
}

__global__ void hswish(const float* x, float* y, size_t n) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    y[i] = hard_swish(x[i]);
    i += stride;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       size_t n, int block_size = 256, cudaStream_t stream = 0) {
  size_t wanted = (n + block_size - 1) / block_size;
  unsigned blocks = wanted < 30 ? wanted : 30;
  if (n) hswish<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of all: a tree in each block, whose sizes the launch gives, and an atomic.
SUM = (
    HEADER
    + """\
#define BLOCK 256
#define MOST_BLOCKS 32

__global__ void addAll(const float *x, float *total, int64_t n)
{
    extern __shared__ float part[];
    const unsigned t = threadIdx.x;

    float mine = 0.f;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + t; i < n; i += (int64_t)BLOCK * gridDim.x)
        mine += x[i];
    part[t] = mine;

    for (unsigned half_of = BLOCK / 2; half_of > 0; half_of >>= 1) {
        __syncthreads();
        if (t < half_of)
            part[t] += part[t + half_of];
    }
    if (t == 0)
        atomicAdd(total, part[0]);
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    addAll<<<(unsigned)blocks, BLOCK, BLOCK * sizeof(float), stream>>>(x, total, n);
}
"""
)

# The smallest of all, where a NaN counts as the smallest: one number a block, then one block.
LEAST = (
    HEADER
    + """\
const int THREADS = 256;
const int WARPS = THREADS / 32;
const int MOST = 64;

__device__ float least_of_block[MOST];

__device__ float smaller(float a, float b) { return a < b || isnan(a) ? a : b; }

__device__ float least_in_warp(float v) {
    for (int d = 16; d > 0; d /= 2) v = smaller(v, __shfl_down_sync(0xffffffffu, v, d));
    return v;
}

__device__ float least_in_block(float v) {
    __shared__ float of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = least_in_warp(v);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    if (warp == 0) v = least_in_warp(lane < WARPS ? of_warp[lane] : INFINITY);
    return v;
}

__global__ void least_1(const float* x, int n) {
    float v = INFINITY;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x)
        v = smaller(v, x[i]);
    v = least_in_block(v);
    if (threadIdx.x == 0) least_of_block[blockIdx.x] = v;
}

__global__ void least_2(float* out, int blocks) {
    float v = threadIdx.x < blocks ? least_of_block[threadIdx.x] : INFINITY;
    v = least_in_block(v);
    if (threadIdx.x == 0) out[0] = v;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > MOST) blocks = MOST;
    least_1<<<blocks, THREADS, 0, stream>>>(x, n);
    least_2<<<1, THREADS, 0, stream>>>(out, blocks);
}
"""
)

# The largest of each column: blocks of 32 columns and 8 threads for the rows of each.
COLMAX = (
    HEADER
    + """\
#define ACROSS 32
#define DOWN 8

__global__ void columnMax(const float *m, float *out, int rows, int cols)
{
    __shared__ float best[DOWN][ACROSS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int c = blockIdx.x * ACROSS + tx;
    float b = -INFINITY;
    if (c < cols)
        for (int r = ty; r < rows; r += DOWN)
            b = fmaxf(b, m[(size_t)r * cols + c]);
    best[ty][tx] = b;
    __syncthreads();
    if (ty == 0 && c < cols) {
        for (int k = 1; k < DOWN; k++)
            b = fmaxf(b, best[k][tx]);
        out[c] = b;
    }
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *out,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 threads(ACROSS, DOWN);
    columnMax<<<(cols + ACROSS - 1) / ACROSS, threads, 0, stream>>>(m, out, rows, cols);
}
"""
)

# Dot product by warps: each adds its part to the result.
DOT = (
    HEADER
    + """\
template <int THREADS>
__global__ void warp_dot(const float* __restrict__ u, const float* __restrict__ v,
                         float* __restrict__ result, int n) {
  const int lane = threadIdx.x & 31;
  const int warp = (blockIdx.x * THREADS + threadIdx.x) >> 5;
  const int warps = gridDim.x * (THREADS >> 5);
  float acc = 0.0f;
  for (int at = 32 * warp + lane; at < n; at += 32 * warps) acc = fmaf(u[at], v[at], acc);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, d);
  if (lane == 0) atomicAdd(result, acc);
}

extern "C" void launch(const float* u,  // [n]
                       const float* v,  // [n]
                       float* result,   // [1]
                       int n, cudaStream_t stream = 0) {
  constexpr int threads = 128;
  int blocks = (n + threads - 1) / threads;
  blocks = blocks < 24 ? blocks : 24;
  cudaMemsetAsync(result, 0, sizeof(float), stream);
  warp_dot<threads><<<blocks, threads, 0, stream>>>(u, v, result, n);
}
"""
)

# Softmax of each row by a warp, which reads the row once for the maximum and the sum.
SOFTMAX = (
    HEADER
    + """\
#define FULL 0xffffffff
#define ROWS_PER_BLOCK 4

__global__ void softmaxWarp(const float *x, float *y, int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
    if (row >= rows)
        return;
    const float *in = x + row * cols;
    float *out = y + row * cols;

    float top = -FLT_MAX, sum = 0.0f;
    for (int j = lane; j < cols; j += 32) {
        float v = in[j];
        if (v > top) {
            sum = sum * expf(top - v) + 1.0f;
            top = v;
        } else {
            sum += expf(v - top);
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(FULL, top, d);
        float its_sum = __shfl_xor_sync(FULL, sum, d);
        float both = fmaxf(top, other);
        sum = sum * expf(top - both) + its_sum * expf(other - both);
        top = both;
    }
    float inverse = 1.0f / sum;
    for (int j = lane; j < cols; j += 32)
        out[j] = expf(in[j] - top) * inverse;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    softmaxWarp<<<blocks, dim3(32, ROWS_PER_BLOCK), 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm with weight and bias, a block a row; the mean first, then the variance.
NORM = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float v, float* cell) {
  const int t = threadIdx.x;
  cell[t] = v;
  __syncthreads();
  for (int s = T / 2; s >= 1; s /= 2) {
    if (t < s) cell[t] += cell[t + s];
    __syncthreads();
  }
  float total = cell[0];
  __syncthreads();
  return total;
}

__global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y,
                           float eps, int cols) {
  __shared__ float cell[T];
  const float* in = x + (int64_t)blockIdx.x * cols;
  float* out = y + (int64_t)blockIdx.x * cols;

  float sum = 0.0f;
  for (int j = threadIdx.x; j < cols; j += T) sum += in[j];
  float mean = block_sum(sum, cell) / cols;

  float squares = 0.0f;
  for (int j = threadIdx.x; j < cols; j += T) {
    float d = in[j] - mean;
    squares += d * d;
  }
  float variance = block_sum(squares, cell) / cols;

  float factor = rsqrtf(variance + eps);
  for (int j = threadIdx.x; j < cols; j += T)
    out[j] = (in[j] - mean) * factor * weight[j] + bias[j];
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const float* weight,  // [cols]
                       const float* bias,    // [cols]
                       float* y,             // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  layer_norm<<<rows, T, 0, stream>>>(x, weight, bias, y, eps, cols);
}
"""
)

# Transpose of halves in tiles of 64 times 64; blocks are counted along one axis.
TURN = (
    HEADER
    + """\
const int SIDE = 64;
const int PITCH = SIDE + 1;

__global__ void turn_tiles(const half* in, half* out, int rows, int cols, int tiles_across) {
    __shared__ half tile[SIDE * PITCH];
    const int left = (blockIdx.x % tiles_across) * SIDE;
    const int top = (blockIdx.x / tiles_across) * SIDE;

    for (int r = threadIdx.y; r < SIDE; r += 8) {
        for (int c = threadIdx.x; c < SIDE; c += 32) {
            const int row = top + r, col = left + c;
            if (row < rows && col < cols) tile[r * PITCH + c] = in[row * cols + col];
        }
    }
    __syncthreads();
    for (int r = threadIdx.y; r < SIDE; r += 8) {
        for (int c = threadIdx.x; c < SIDE; c += 32) {
            const int row = left + r, col = top + c;
            if (row < cols && col < rows) out[row * rows + col] = tile[c * PITCH + r];
        }
    }
}

extern "C" void launch(const half* in,  // [rows, cols]
                       half* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    const int across = (cols + SIDE - 1) / SIDE;
    const int down = (rows + SIDE - 1) / SIDE;
    turn_tiles<<<across * down, dim3(32, 8), 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# A times B in tiles of 32, by blocks of 32 times 8 threads with four results each.
MATMUL = (
    HEADER
    + """\
#define TILE 32
#define STEP 8
#define EACH (TILE / STEP)

__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * TILE;
    int col = blockIdx.x * TILE + tx;

    float acc[EACH] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k0 = 0; k0 < k; k0 += TILE) {
        for (int i = ty; i < TILE; i += STEP) {
            bool in_a = row0 + i < m && k0 + tx < k;
            bool in_b = k0 + i < k && col < n;
            as[i][tx] = in_a ? A[(row0 + i) * k + k0 + tx] : 0.0f;
            bs[i][tx] = in_b ? B[(k0 + i) * n + col] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < TILE; q++)
            for (int e = 0; e < EACH; e++)
                acc[e] += as[ty + STEP * e][q] * bs[q][tx];
        __syncthreads();
    }
    for (int e = 0; e < EACH; e++) {
        int row = row0 + ty + STEP * e;
        if (row < m && col < n)
            C[row * n + col] = acc[e];
    }
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 block(TILE, STEP);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul<<<grid, block, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# out[i][j] = a[i] + b[j], a block a row, in packs of four where rows and addresses allow it.
OUTER = (
    HEADER
    + """\
__global__ void outer_packs(const float* a, const float4* b, float* out, int cols) {
  const int i = blockIdx.x;
  const float left = a[i];
  float4* row = (float4*)(out + (int64_t)i * cols);
  for (int p = threadIdx.x; p < cols / 4; p += blockDim.x) {
    float4 v = b[p];
    v.x += left;
    v.y += left;
    v.z += left;
    v.w += left;
    row[p] = v;
  }
}

__global__ void outer_singles(const float* a, const float* b, float* out, int cols) {
  const int i = blockIdx.x;
  for (int j = threadIdx.x; j < cols; j += blockDim.x)
    out[(int64_t)i * cols + j] = a[i] + b[j];
}

extern "C" void launch(const float* a,  // [rows]
                       const float* b,  // [cols]
                       float* out,      // [rows, cols]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
  const bool round = ((uintptr_t)b | (uintptr_t)out) % sizeof(float4) == 0;
  if (round && cols % 4 == 0)
    outer_packs<<<rows, block_size, 0, stream>>>(a, (const float4*)b, out, cols);
  else
    outer_singles<<<rows, block_size, 0, stream>>>(a, b, out, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 193, 255, 256, 257, 383, 511, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2049, 4099, 5003, 12_289, 16_385, 20_011)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 2049), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (16, 16), (17, 15), (2, 300))
SIDES += ((1000, 3), (2049, 1), (15, 49), (49, 15), (129, 5), (64, 64), (6, 516), (31, 12))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Compute GELU in its tanh form."""
    return torch.nn.functional.gelu(x, approximate="tanh")


def hard_swish(x: torch.Tensor) -> torch.Tensor:
    """Compute x times x + 3 between 0 and 6, over 6."""
    return x * ((x + 3).clamp(0, 6) / 6)


def limits(launcher: Launcher) -> Iterator[Case]:
    """Limit integers: usual, of all sizes, one value left, 0 for a limit, large limits."""
    for n in LENGTHS:
        x = whole(-999, 1000, n, n)
        for label, v, lo, hi in (
            ("usual", x, -100, 200),
            ("of all sizes", whole(-(2**31), 2**31, n, n + 1), -(2**30) - 1, 2**30 + 1),
            ("from 0", x, 0, 255),
            ("up to 0", x, -255, 0),
            ("above 0", x, 17, 300),
            ("one value", x, 7, 7),
            ("all inside", x, -(2**31), 2**31 - 1),
        ):
            for block_size in (256, 96, 512):
                scalars = {"lo": lo, "hi": hi, "block_size": block_size}
                options = {"dtypes": WHOLE, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (v.int(),), (v.clamp(lo, hi),), scalars, **options)


def least(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, on one side of 0, at the ends, infinities, NaN anywhere."""
    for n in LENGTHS:
        x, j = whole(-9999, 10_000, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("huge", (x.abs() + 1) * 2.0**100),
            ("the first", torch.where(j == 0, -20_000.0, x)),
            ("the last", torch.where(j == n - 1, -20_000.0, x)),
            ("rising", j - 7.5),
            ("falling", 7.5 - j),
            ("infinities", x * 0 + INF),
            ("-infinity", torch.where(j == n // 2, -INF, x)),
            ("a NaN at the start", torch.where(j == 0, NAN, x)),
            ("a NaN", torch.where(j == n // 2, NAN, x)),
            ("a NaN at the end", torch.where(j == n - 1, NAN, x)),
            ("nothing but NaN", x * NAN),
        ):
            y = y.float()
            options = {"dtypes": FLOAT, "quick": n > 5000}
            right = (y.double().amin().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, **options)


def column_maxima(launcher: Launcher) -> Iterator[Case]:
    """Look for maxima: any, on one side of 0, in the first or last row, rising, infinities."""
    for rows, cols in SIDES:
        n = rows * cols
        x, r = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("far below 0", -(x.abs() + 1) * 2.0**100),
            ("in the first row", torch.where(r == 0, 2000.0, x)),
            ("in the last row", torch.where(r == rows - 1, 2000.0, x)),
            ("rising", torch.arange(n).reshape(rows, cols) + 0.5),
            ("-infinities", x * 0 - INF),
            ("infinity", torch.where(r == rows // 2, INF, x)),
        ):
            y = y.float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(0),), dtypes=FLOAT)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, negative, the last, NaN."""
    for n in LENGTHS:
        a, b = whole(-20, 21, n, n).double(), whole(-20, 21, n, n + 1).double()
        j = torch.arange(n)
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", a * 0, b),
            ("negative", -a.abs() - 1, b.abs() + 1),
            ("the first alone", torch.where(j == 0, 3.0, 0.0), b * 0 + 5),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0), b * 0 + 5),
            ("infinity", torch.where(j == n // 2, INF, a.abs()), b.abs() + 1),
            ("NaN", a, torch.where(j == n // 2, NAN, b)),
        ):
            right = (p * q).sum().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p.float(), q.float()), (right,), **options)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take softmax: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-80, 81, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            v = y.float()
            p = torch.softmax(v.double(), 1)
            slack = ((2.0**-17 * p).nan_to_num(0.0) + 2.0**-120,)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (p,), dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, far from 0, equal, one apart, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        weight = whole(-16, 17, cols, cols + 1).double() / 8
        bias = whole(-40, 41, cols, cols + 2).double() / 4
        for label, y, w, b, eps in (
            ("any", x, weight, bias, 1.0),
            ("plain", x, weight * 0 + 1, bias * 0, 2.0**-10),
            ("small", x / 64, weight, bias, 0.25),
            ("far from 0", x + 8000, weight, bias, 1.0),
            ("equal", x * 0 + 5, weight, bias, 0.5),
            ("one apart", torch.where(c == cols // 3, 700.0, x * 0 + 1), weight, bias, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), weight, bias, 1.0),
        ):
            v, w, b = y.float(), w.float(), b.float()
            d = v.double() - v.double().mean(1, keepdim=True)
            unit = d / ((d**2).mean(1, keepdim=True) + eps).sqrt()
            right = unit * w.double() + b.double()
            size = unit.abs() * w.double().abs() + b.double().abs()
            off = 2.0**-11 if label == "far from 0" else 2.0**-18
            slack = ((off * (size + w.double().abs())).nan_to_num(0.0) + 2.0**-24,)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, (v, w, b), (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose: long, thin, odd and square shapes, with strange values."""
    long = ((1, 40_003), (40_003, 1), (1, 70_001), (70_001, 1), (700, 130), (128, 192))
    for rows, cols in (*SIDES, *long):
        n = rows * cols
        x = whole(-2000, 2001, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("counted", (torch.arange(n) % 2039).reshape(rows, cols) + 1.0),
            ("strange", torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -INF, -0.0))),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            y = y.half()
            right = (y.double().T.contiguous(),)
            yield Case(words, (y,), right, dtypes=HALF, quick=n > 5000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the ends of k, a NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (32, 32, 32), (33, 31, 65))
    sides += ((31, 33, 64), (5, 40, 1), (40, 5, 2), (9, 70, 20), (1, 100, 33), (100, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (64, 64, 96), (300, 2, 17))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 100, 5))):
        a = whole(-20, 21, m * k, m + k).reshape(m, k).double()
        b = whole(-20, 21, k * n, n + 1).reshape(k, n).double()
        h, i = torch.arange(k), torch.arange(m)[:, None]
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("the first alone", torch.where(h == 0, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("rows that count", i + 1.0 + a * 0, b),
            ("NaN in a row", torch.where(i == m // 2, NAN, a), b),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p.float(), q.float()), (p @ q,), dtypes=FLOAT)


def outer_sums(launcher: Launcher) -> Iterator[Case]:
    """Add each to each: any, counted, strange; many rows; vectors that start anywhere."""
    for rows, cols in (*SIDES, (3, 4), (4, 3), (2, 8), (1500, 12), (1500, 7), (70_000, 1)):
        a = whole(-9999, 10_000, rows, rows).double()
        b = whole(-9999, 10_000, cols, cols + 1).double()
        i, j = torch.arange(rows), torch.arange(cols)
        for label, p, q in (
            ("any", a, b),
            ("counted", i * 1.0, j * 4096.0 if cols < 2000 else j / 4096.0),
            ("zeros", a, b * 0),
            ("strange", torch.where(i % 5 == 1, NAN, a), torch.where(j % 3 == 2, -INF, b)),
        ):
            p, q = p.float(), q.float()
            right = (p.double()[:, None] + q.double()[None, :],)
            words, few = f"rows = {rows:,}, cols = {cols:,}, {label}", rows * cols < 5000
            options = {"dtypes": FLOAT, "quick": not few}
            for block_size in (128, 64) if few else (128,):
                scalars = {"block_size": block_size}
                named = f"{words}, block_size = {block_size}"
                yield Case(named, (p, q), right, scalars, **options)
            if few and label == "any":
                for offset in (
                    (1, 4, 4),
                    (4, 1, 4),
                    (4, 4, 1),
                    (4, 2, 4),
                    (4, 4, 2),
                    (4, 4, 4),
                ):
                    named = f"{words}, slices from {offset}"
                    yield Case(named, (p, q), right, offset=offset, **options)


BASES = {
    "hundredtwenty_add": Base(ADD, {"reference": "add"}),
    "hundredtwenty_clamp": Base(CLAMP, {"cases": limits}),
    "hundredtwenty_cast": Base(CAST, {"reference": "cast"}),
    "hundredtwenty_gelu": Base(GELU, {"reference": gelu, "ulp": 2}),
    "hundredtwenty_hswish": Base(HSWISH, {"reference": hard_swish, "ulp": 2}),
    "hundredtwenty_sum": Base(SUM, cases="whole_array", function=torch.sum),
    "hundredtwenty_least": Base(LEAST, {"cases": least}),
    "hundredtwenty_colmax": Base(COLMAX, {"cases": column_maxima}),
    "hundredtwenty_dot": Base(DOT, {"cases": dots}),
    "hundredtwenty_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "hundredtwenty_norm": Base(NORM, {"cases": norms}),
    "hundredtwenty_turn": Base(TURN, {"cases": turns}),
    "hundredtwenty_matmul": Base(MATMUL, {"cases": products}),
    "hundredtwenty_outer": Base(OUTER, {"cases": outer_sums}),
}

WRONG = (
    # ---- add
    # The grid is that of the packs alone.
    Wrong(
        "hundredtwenty_add_no_block_for_rest",
        "hundredtwenty_add",
        "grid / tail / unwritten / refused | left out / alignment",
        ("int work = packs + rest;", "int work = packs;"),
    ),
    # Those that are left are looked for behind the packs, counted in packs.
    Wrong(
        "hundredtwenty_add_rest_behind_packs",
        "hundredtwenty_add",
        "tail / unwritten | left out / other element / alignment / race / twice",
        ("int k = 4 * packs + (i - packs);", "int k = i;"),
    ),
    # The count is looked at in place of the addresses.
    Wrong(
        "hundredtwenty_add_count_for_address",
        "hundredtwenty_add",
        "alignment",
        ("if (onSixteen(a) && onSixteen(b) && onSixteen(out))", "if (n % 4 == 0)"),
    ),
    # The last of four numbers is only copied.
    Wrong(
        "hundredtwenty_add_w_copied",
        "hundredtwenty_add",
        "left out / copy / function | numbers / alignment",
        ("x.w + y.w", "x.w"),
    ),
    # The compiler is promised blocks of 256 at most.
    Wrong(
        "hundredtwenty_add_bounds_of_256",
        "hundredtwenty_add",
        "refused / block size",
        ("__global__ void addKernel(", "__global__ void __launch_bounds__(256) addKernel("),
    ),
    # ---- clamp
    # Numbers are compared without their signs.
    Wrong(
        "hundredtwenty_clamp_unsigned",
        "hundredtwenty_clamp",
        "whole range | numbers / function / infinity",
        ("bounded(in[at], lo, hi)", "(int32_t)bounded<uint32_t>(in[at], lo, hi)"),
    ),
    # A limit of 0 counts as none.
    Wrong(
        "hundredtwenty_clamp_zero_is_no_limit",
        "hundredtwenty_clamp",
        "numbers / left out / function | infinity",
        ("if (v < lo) return lo;", "if (lo && v < lo) return lo;"),
        ("if (v > hi) return hi;", "if (hi && v > hi) return hi;"),
    ),
    # The upper limit is the first number that is too large.
    Wrong(
        "hundredtwenty_clamp_hi_exclusive",
        "hundredtwenty_clamp",
        "function / numbers | infinity",
        ("if (v > hi) return hi;", "if (v >= hi) return hi - 1;"),
    ),
    # The loop goes on as in blocks of 256.
    Wrong(
        "hundredtwenty_clamp_hop_of_256",
        "hundredtwenty_clamp",
        "block size / unwritten / left out | grid / tail",
        ("(int64_t)blockDim.x * gridDim.x;", "(int64_t)256 * gridDim.x;"),
    ),
    # The limits of the first call stay.
    Wrong(
        "hundredtwenty_clamp_first_limits",
        "hundredtwenty_clamp",
        "state | numbers / function / left out / infinity",
        (
            "  int64_t blocks = (n",
            "  static const int32_t low = lo, high = hi;\n  int64_t blocks = (n",
        ),
        ("(in, out, lo, hi, n);", "(in, out, low, high, n);"),
    ),
    # ---- cast
    # Half a unit is added, whatever the number.
    Wrong(
        "hundredtwenty_cast_ties_up",
        "hundredtwenty_cast",
        "rounding | numbers / precision",
        (
            "__global__ void cast_pairs(",
            "__device__ __nv_bfloat16 narrow(float v) {\n"
            "    if (isnan(v)) return __float2bfloat16(v);\n"
            "    return __ushort_as_bfloat16((__float_as_uint(v) + 0x8000u) >> 16);\n"
            "}\n\n"
            "__global__ void cast_pairs(",
        ),
        ("__floats2bfloat162_rn(v.x, v.y)", "__nv_bfloat162(narrow(v.x), narrow(v.y))"),
    ),
    # Rounded by its bits, a NaN may become infinite, or zero.
    Wrong(
        "hundredtwenty_cast_nan_rounded",
        "hundredtwenty_cast",
        "nan | infinity / sign of zero / numbers",
        (
            "__global__ void cast_pairs(",
            "__device__ __nv_bfloat16 narrow(float v) {\n"
            "    unsigned u = __float_as_uint(v);\n"
            "    u += 0x7fffu + ((u >> 16) & 1u);\n"
            "    return __ushort_as_bfloat16(u >> 16);\n"
            "}\n\n"
            "__global__ void cast_pairs(",
        ),
        ("__floats2bfloat162_rn(v.x, v.y)", "__nv_bfloat162(narrow(v.x), narrow(v.y))"),
    ),
    # The first number goes to both places.
    Wrong(
        "hundredtwenty_cast_first_for_both",
        "hundredtwenty_cast",
        "other element / neighbour / twice / left out | numbers / copy",
        ("__floats2bfloat162_rn(v.x, v.y)", "__float2bfloat162_rn(v.x)"),
    ),
    # The kernel for the last number has no stream.
    Wrong(
        "hundredtwenty_cast_last_no_stream",
        "hundredtwenty_cast",
        "stream | tail",
        ("cast_last<<<1, 1, 0, stream>>>", "cast_last<<<1, 1>>>"),
    ),
    # The quotient is that of integers before it is rounded up.
    Wrong(
        "hundredtwenty_cast_ceil_of_quotient",
        "hundredtwenty_cast",
        "grid / tail / unwritten | left out / rounding",
        ("(pairs + threads - 1) / threads;", "(int)ceilf(pairs / threads);"),
    ),
    # ---- gelu
    # tanh is rounded to a half.
    Wrong(
        "hundredtwenty_gelu_half_tanh",
        "hundredtwenty_gelu",
        "precision / rounding | numbers / subnormal",
        ("float t = tanhf(u);", "float t = __half2float(__float2half(tanhf(u)));"),
    ),
    # The other form, with erf.
    Wrong(
        "hundredtwenty_gelu_erf",
        "hundredtwenty_gelu",
        "function | numbers / precision",
        (
            "    float u = SQRT_2_OVER_PI * (v + 0.044715f * v * v * v);\n"
            "    float t = tanhf(u);\n",
            "    float t = erff(0.70710678f * v);\n",
        ),
    ),
    # A pack is taken where seven are left.
    Wrong(
        "hundredtwenty_gelu_pack_of_seven",
        "hundredtwenty_gelu",
        "bounds / tail",
        ("if (first + PACK <= n)", "if (first + PACK - 1 <= n)"),
    ),
    # The last pair of a pack stays as it is.
    Wrong(
        "hundredtwenty_gelu_three_pairs",
        "hundredtwenty_gelu",
        "left out / copy | numbers",
        ("k < PACK / 2; k++", "k < PACK / 2 - 1; k++"),
    ),
    # tanh as a quotient, of two infinities in the end.
    Wrong(
        "hundredtwenty_gelu_quotient",
        "hundredtwenty_gelu",
        "infinity / nan | numbers / function",
        (
            "float t = tanhf(u);",
            "float e = expf(2.0f * u);\n    float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # ---- hswish
    # The product comes before the quotient, and overflows.
    Wrong(
        "hundredtwenty_hswish_product_first",
        "hundredtwenty_hswish",
        "infinity | numbers",
        ("return v * (gate / 6.0f);", "return v * gate / 6.0f;"),
    ),
    # Fewer numbers than a block has threads get no block.
    Wrong(
        "hundredtwenty_hswish_no_block_for_few",
        "hundredtwenty_hswish",
        "grid / refused / unwritten | tail / left out / block size",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # The index is tested after its use.
    Wrong(
        "hundredtwenty_hswish_do_while",
        "hundredtwenty_hswish",
        "bounds | tail",
        ("  while (i < n) {\n", "  do {\n"),
        ("    i += stride;\n  }", "    i += stride;\n  } while (i < n);"),
    ),
    # Blocks begin as far apart as there are blocks.
    Wrong(
        "hundredtwenty_hswish_grid_for_block",
        "hundredtwenty_hswish",
        "block size / grid / unwritten / left out | twice / tail / race",
        (
            "(size_t)blockIdx.x * blockDim.x + threadIdx.x",
            "(size_t)blockIdx.x * gridDim.x + threadIdx.x",
        ),
    ),
    # A sixth has five digits.
    Wrong(
        "hundredtwenty_hswish_sixth_of_5_digits",
        "hundredtwenty_hswish",
        "precision / function | numbers / rounding",
        ("gate / 6.0f", "gate * 0.16667f"),
    ),
    # ---- sum
    # A thread of the kernel sets the result, whatever others have added.
    Wrong(
        "hundredtwenty_sum_set_in_kernel",
        "hundredtwenty_sum",
        "race / zero before | left out / numbers / state / grid",
        (
            "    float mine = 0.f;\n",
            "    if (blockIdx.x == 0 && t == 0)\n        *total = 0.f;\n"
            "    float mine = 0.f;\n",
        ),
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # All threads add the sum of their block.
    Wrong(
        "hundredtwenty_sum_all_threads_add",
        "hundredtwenty_sum",
        "twice / function | numbers",
        (
            "    if (t == 0)\n        atomicAdd(total, part[0]);",
            "    __syncthreads();\n    atomicAdd(total, part[0]);",
        ),
    ),
    # The tree ends with two sums.
    Wrong(
        "hundredtwenty_sum_tree_ends_early",
        "hundredtwenty_sum",
        "left out | numbers",
        ("half_of > 0; half_of >>= 1", "half_of > 1; half_of >>= 1"),
    ),
    # The launch gives so many bytes as there are numbers.
    Wrong(
        "hundredtwenty_sum_byte_a_number",
        "hundredtwenty_sum",
        "bounds",
        ("BLOCK, BLOCK * sizeof(float), stream>>>", "BLOCK, BLOCK, stream>>>"),
    ),
    # The result is set on the default stream.
    Wrong(
        "hundredtwenty_sum_memset_no_stream",
        "hundredtwenty_sum",
        "stream | race / zero before / state",
        (
            "cudaMemsetAsync(total, 0, sizeof(float), stream);",
            "cudaMemset(total, 0, sizeof(float));",
        ),
    ),
    # ---- least
    # The second kernel reads as many numbers as there may be blocks.
    Wrong(
        "hundredtwenty_least_of_all_places",
        "hundredtwenty_least",
        "state / start / unwritten | numbers / other element / grid / bounds / nan",
        ("threadIdx.x < blocks ?", "threadIdx.x < MOST ?"),
    ),
    # Only one of two numbers may be NaN.
    Wrong(
        "hundredtwenty_least_nan_of_one_side",
        "hundredtwenty_least",
        "nan | numbers / left out",
        ("a < b || isnan(a) ? a : b", "a < b ? a : b"),
    ),
    # The largest finite number comes first.
    Wrong(
        "hundredtwenty_least_from_flt_max",
        "hundredtwenty_least",
        "start / infinity | numbers",
        ("float v = INFINITY;\n    for", "float v = FLT_MAX;\n    for"),
    ),
    # All lanes read, also where no warp has written.
    Wrong(
        "hundredtwenty_least_of_32_warps",
        "hundredtwenty_least",
        "unwritten | start / nan / state / numbers / other element / bounds / race",
        ("lane < WARPS ? of_warp[lane] : INFINITY", "of_warp[lane]"),
    ),
    # There are more blocks than places for their numbers.
    Wrong(
        "hundredtwenty_least_blocks_unlimited",
        "hundredtwenty_least",
        "bounds / grid | left out",
        ("    if (blocks > MOST) blocks = MOST;\n", ""),
    ),
    # ---- colmax
    # All columns begin with the first number of the first.
    Wrong(
        "hundredtwenty_colmax_from_first_number",
        "hundredtwenty_colmax",
        "start / other element | numbers",
        ("float b = -INFINITY;", "float b = m[0];"),
    ),
    # A thread goes down as many rows as a block has columns.
    Wrong(
        "hundredtwenty_colmax_32_rows_down",
        "hundredtwenty_colmax",
        "left out | numbers",
        ("r < rows; r += DOWN", "r < rows; r += ACROSS"),
    ),
    # The matrix is read as if its columns followed each other.
    Wrong(
        "hundredtwenty_colmax_columns_in_turn",
        "hundredtwenty_colmax",
        "sides / other element / swapped | numbers",
        ("m[(size_t)r * cols + c]", "m[(size_t)c * rows + r]"),
    ),
    # All blocks write the first columns.
    Wrong(
        "hundredtwenty_colmax_column_of_thread",
        "hundredtwenty_colmax",
        "unwritten / other element / left out | race / twice / tail / numbers / sides",
        ("out[c] = b;", "out[tx] = b;"),
    ),
    # The sides of the shared array are swapped.
    Wrong(
        "hundredtwenty_colmax_shared_sides",
        "hundredtwenty_colmax",
        "race / bounds / other element / sides / swapped | numbers / left out",
        ("best[DOWN][ACROSS]", "best[ACROSS][DOWN]"),
    ),
    # ---- dot
    # The result is set in the first call only.
    Wrong(
        "hundredtwenty_dot_zeroed_once",
        "hundredtwenty_dot",
        "state / zero before | twice / numbers",
        (
            "  cudaMemsetAsync(result, 0, sizeof(float), stream);",
            "  static bool zeroed = false;\n"
            "  if (!zeroed) cudaMemsetAsync(result, 0, sizeof(float), stream);\n"
            "  zeroed = true;",
        ),
    ),
    # Lanes without a number leave before the shuffles that count on them.
    Wrong(
        "hundredtwenty_dot_lanes_leave",
        "hundredtwenty_dot",
        "race | left out / numbers / tail / unwritten",
        (
            "  float acc = 0.0f;\n",
            "  if (32 * warp + lane >= n) return;\n  float acc = 0.0f;\n",
        ),
    ),
    # A warp steps over warps, not over their numbers.
    Wrong(
        "hundredtwenty_dot_step_of_warps",
        "hundredtwenty_dot",
        "twice | other element / numbers / function",
        ("at += 32 * warps", "at += warps"),
    ),
    # The first shuffle is with a lane that there is not.
    Wrong(
        "hundredtwenty_dot_shuffle_from_32",
        "hundredtwenty_dot",
        "twice / function | numbers",
        ("int d = 16; d > 0", "int d = 32; d > 0"),
    ),
    # Only whole warps of numbers are multiplied.
    Wrong(
        "hundredtwenty_dot_whole_warps",
        "hundredtwenty_dot",
        "tail / left out | numbers",
        ("at < n; at +=", "at < n / 32 * 32; at +="),
    ),
    # ---- softmax
    # The sum so far is not scaled for a new maximum.
    Wrong(
        "hundredtwenty_softmax_sum_not_scaled",
        "hundredtwenty_softmax",
        "function / numbers / left out",
        ("sum = sum * expf(top - v) + 1.0f;", "sum += 1.0f;"),
    ),
    # Lanes without a number take infinity from infinity.
    Wrong(
        "hundredtwenty_softmax_from_infinity",
        "hundredtwenty_softmax",
        "nan / start / infinity | numbers",
        ("float top = -FLT_MAX,", "float top = -INFINITY,"),
    ),
    # The last block takes rows that there are not.
    Wrong(
        "hundredtwenty_softmax_row_not_tested",
        "hundredtwenty_softmax",
        "bounds | tail / grid / sides",
        ("    if (row >= rows)\n        return;\n", ""),
    ),
    # Powers of 2 in place of those of e.
    Wrong(
        "hundredtwenty_softmax_powers_of_two",
        "hundredtwenty_softmax",
        "function | numbers / precision",
        ("expf(top - v)", "exp2f(top - v)"),
        ("expf(v - top)", "exp2f(v - top)"),
        ("expf(top - both)", "exp2f(top - both)"),
        ("expf(other - both)", "exp2f(other - both)"),
        ("expf(in[j] - top)", "exp2f(in[j] - top)"),
    ),
    # The sides of a block are swapped.
    Wrong(
        "hundredtwenty_softmax_block_turned",
        "hundredtwenty_softmax",
        "unwritten / left out / swapped / other element / sides / race"
        " | numbers / bounds / grid / twice / function / nan / tail",
        ("dim3(32, ROWS_PER_BLOCK)", "dim3(ROWS_PER_BLOCK, 32)"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "hundredtwenty_norm_less_one",
        "hundredtwenty_norm",
        "function | numbers / nan / infinity / precision",
        ("block_sum(squares, cell) / cols;", "block_sum(squares, cell) / (cols - 1);"),
    ),
    # The mean is taken from the input itself.
    Wrong(
        "hundredtwenty_norm_in_place",
        "hundredtwenty_norm",
        "input | state / twice",
        ("const float* in = x + (int64_t)", "float* in = (float*)x + (int64_t)"),
        ("float d = in[j] - mean;", "float d = in[j] -= mean;"),
        ("(in[j] - mean) * factor", "in[j] * factor"),
    ),
    # The next sum is stored while others read the last.
    Wrong(
        "hundredtwenty_norm_no_last_barrier",
        "hundredtwenty_norm",
        "race | numbers / nan / infinity / other element / precision / left out / function",
        ("  float total = cell[0];\n  __syncthreads();\n", "  float total = cell[0];\n"),
    ),
    # The mean of the squares less the square of the mean.
    Wrong(
        "hundredtwenty_norm_squares_of_all",
        "hundredtwenty_norm",
        "precision | numbers / nan / rounding / function",
        ("float d = in[j] - mean;", "float d = in[j];"),
        ("block_sum(squares, cell) / cols;", "block_sum(squares, cell) / cols - mean * mean;"),
    ),
    # A thread adds the same bias to all of its columns.
    Wrong(
        "hundredtwenty_norm_bias_of_thread",
        "hundredtwenty_norm",
        "other element | numbers / left out / tail / sides",
        ("bias[j]", "bias[threadIdx.x]"),
    ),
    # ---- turn
    # Half of a tile is stored.
    Wrong(
        "hundredtwenty_turn_half_of_a_tile",
        "hundredtwenty_turn",
        "unwritten / left out | tail / sides",
        (
            "c < SIDE; c += 32) {\n            const int row = left + r",
            "c < 32; c += 32) {\n            const int row = left + r",
        ),
    ),
    # Tiles are counted by the other side.
    Wrong(
        "hundredtwenty_turn_tiles_of_other_side",
        "hundredtwenty_turn",
        "sides / unwritten / swapped | left out / other element / grid / twice / race / bounds",
        ("(in, out, rows, cols, across);", "(in, out, rows, cols, down);"),
    ),
    # The tile has no room for its wider rows.
    Wrong(
        "hundredtwenty_turn_tile_too_small",
        "hundredtwenty_turn",
        "bounds",
        ("tile[SIDE * PITCH];", "tile[SIDE * SIDE];"),
    ),
    # Places in the result have 16 bits.
    Wrong(
        "hundredtwenty_turn_places_of_16_bits",
        "hundredtwenty_turn",
        "narrow / whole range / unwritten"
        " | left out / race / twice / other element / tail / sides / grid",
        ("const int row = left + r, col", "const unsigned short row = left + r, col"),
    ),
    # What is stored has the limits of what is read.
    Wrong(
        "hundredtwenty_turn_limits_of_input",
        "hundredtwenty_turn",
        "bounds / sides / unwritten / swapped | left out / other element / race / tail / twice",
        ("if (row < cols && col < rows)", "if (row < rows && col < cols)"),
    ),
    # ---- matmul
    # Tiles are read while they are filled.
    Wrong(
        "hundredtwenty_matmul_no_first_barrier",
        "hundredtwenty_matmul",
        "race | numbers / nan / left out / unwritten / other element / state",
        ("        __syncthreads();\n        for (int q", "        for (int q"),
    ),
    # The sums begin anew with each tile.
    Wrong(
        "hundredtwenty_matmul_only_last_tile",
        "hundredtwenty_matmul",
        "left out | numbers / function / sides",
        (
            "k0 += TILE) {\n",
            "k0 += TILE) {\n"
            "        for (int e = 0; e < EACH; e++)\n            acc[e] = 0.0f;\n",
        ),
    ),
    # What lies outside of the matrices is not cleared.
    Wrong(
        "hundredtwenty_matmul_edge_not_cleared",
        "hundredtwenty_matmul",
        "unwritten / tail / twice / other element"
        " | left out / numbers / state / nan / sides / function",
        (
            "as[i][tx] = in_a ? A[(row0 + i) * k + k0 + tx] : 0.0f;",
            "if (in_a) as[i][tx] = A[(row0 + i) * k + k0 + tx];",
        ),
        (
            "bs[i][tx] = in_b ? B[(k0 + i) * n + col] : 0.0f;",
            "if (in_b) bs[i][tx] = B[(k0 + i) * n + col];",
        ),
    ),
    # A thread stores four rows that follow each other.
    Wrong(
        "hundredtwenty_matmul_four_rows_in_turn",
        "hundredtwenty_matmul",
        "other element / swapped | numbers / sides / function",
        ("int row = row0 + ty + STEP * e;", "int row = row0 + EACH * ty + e;"),
    ),
    # The product is added to what is there.
    Wrong(
        "hundredtwenty_matmul_adds_to_result",
        "hundredtwenty_matmul",
        "zero before | state / unwritten / nan / numbers / twice",
        ("C[row * n + col] = acc[e];", "C[row * n + col] += acc[e];"),
    ),
    # ---- outer
    # Rows are counted along the second side of the grid.
    Wrong(
        "hundredtwenty_outer_rows_along_y",
        "hundredtwenty_outer",
        "grid / refused | sides",
        ("int i = blockIdx.x;\n  const float left", "int i = blockIdx.y;\n  const float left"),
        ("int i = blockIdx.x;\n  for (int j", "int i = blockIdx.y;\n  for (int j"),
        ("outer_packs<<<rows,", "outer_packs<<<dim3(1, rows),"),
        ("outer_singles<<<rows,", "outer_singles<<<dim3(1, rows),"),
    ),
    # The length of rows is not looked at.
    Wrong(
        "hundredtwenty_outer_length_not_tested",
        "hundredtwenty_outer",
        "alignment / tail / unwritten | left out / sides",
        ("if (round && cols % 4 == 0)", "if (round)"),
    ),
    # Rows of the result have the length of its columns.
    Wrong(
        "hundredtwenty_outer_pitch_rows",
        "hundredtwenty_outer",
        "sides / bounds / unwritten / other element | race / twice / left out / numbers",
        ("out[(int64_t)i * cols + j]", "out[(int64_t)i * rows + j]"),
        (
            "const float* b, float* out, int cols) {",
            "const float* b, float* out, int rows, int cols) {",
        ),
        ("(a, b, out, cols);", "(a, b, out, rows, cols);"),
    ),
    # The vectors change places.
    Wrong(
        "hundredtwenty_outer_vectors_swapped",
        "hundredtwenty_outer",
        "swapped / bounds / other element / sides | numbers",
        ("a[i] + b[j]", "a[j] + b[i]"),
    ),
    # There are at most 1,024 blocks, each for one row.
    Wrong(
        "hundredtwenty_outer_1024_rows",
        "hundredtwenty_outer",
        "grid / unwritten / left out | tail / sides",
        (
            "  const bool round",
            "  const int blocks = rows < 1024 ? rows : 1024;\n  const bool round",
        ),
        ("outer_packs<<<rows,", "outer_packs<<<blocks,"),
        ("outer_singles<<<rows,", "outer_singles<<<blocks,"),
    ),
)

RIGHT = (
    # From the last number to the first.
    Right(
        "hundredtwenty_add_backwards",
        "hundredtwenty_add",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "int i = (gridDim.x - blockIdx.x) * blockDim.x - 1 - threadIdx.x;",
        ),
    ),
    # Two functions in place of the conditions.
    Right(
        "hundredtwenty_clamp_max_of_min",
        "hundredtwenty_clamp",
        ("bounded(in[at], lo, hi)", "max(lo, min(in[at], hi))"),
    ),
    # Rounded to even by its bits, unless it is NaN.
    Right(
        "hundredtwenty_cast_by_bits",
        "hundredtwenty_cast",
        (
            "__global__ void cast_pairs(",
            "__device__ unsigned narrow(float v) {\n"
            "    const unsigned u = __float_as_uint(v);\n"
            "    if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 0x40u;\n"
            "    return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;\n"
            "}\n\n"
            "__global__ void cast_pairs(",
        ),
        (
            "out[p] = __floats2bfloat162_rn(v.x, v.y);",
            "*(unsigned*)&out[p] = narrow(v.y) << 16 | narrow(v.x);",
        ),
    ),
    # One exponential in place of tanh.
    Right(
        "hundredtwenty_gelu_one_exponential",
        "hundredtwenty_gelu",
        (
            "    float t = tanhf(u);\n    return 0.5f * v * (1.0f + t);",
            "    return v / (1.0f + expf(-2.0f * u));",
        ),
    ),
    # Three pieces.
    Right(
        "hundredtwenty_hswish_three_pieces",
        "hundredtwenty_hswish",
        (
            "  float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);\n  return v * (gate / 6.0f);",
            "  if (v >= 3.0f) return v;\n"
            "  if (v <= -3.0f) return v * 0.0f;\n"
            "  return v * ((v + 3.0f) / 6.0f);",
        ),
    ),
    # Atomics in shared memory in place of the tree.
    Right(
        "hundredtwenty_sum_shared_atomics",
        "hundredtwenty_sum",
        (
            "    part[t] = mine;\n\n"
            "    for (unsigned half_of = BLOCK / 2; half_of > 0; half_of >>= 1) {\n"
            "        __syncthreads();\n"
            "        if (t < half_of)\n"
            "            part[t] += part[t + half_of];\n"
            "    }\n",
            "    if (t == 0)\n"
            "        part[0] = 0.f;\n"
            "    __syncthreads();\n"
            "    atomicAdd(&part[0], mine);\n"
            "    __syncthreads();\n",
        ),
        ("BLOCK, BLOCK * sizeof(float), stream>>>", "BLOCK, sizeof(float), stream>>>"),
    ),
    # NaN is asked for first, then fminf.
    Right(
        "hundredtwenty_least_fminf",
        "hundredtwenty_least",
        ("a < b || isnan(a) ? a : b", "isnan(a) || isnan(b) ? NAN : fminf(a, b)"),
    ),
    # From the last row to the first.
    Right(
        "hundredtwenty_colmax_upwards",
        "hundredtwenty_colmax",
        (
            "for (int r = ty; r < rows; r += DOWN)",
            "for (int r = rows - 1 - ty; r >= 0; r -= DOWN)",
        ),
    ),
    # Blocks of three warps, and shuffles down.
    Right(
        "hundredtwenty_dot_three_warps",
        "hundredtwenty_dot",
        ("constexpr int threads = 128;", "constexpr int threads = 96;"),
        ("__shfl_xor_sync(", "__shfl_down_sync("),
    ),
    # Powers of 2 of numbers that were scaled.
    Right(
        "hundredtwenty_softmax_scaled_powers",
        "hundredtwenty_softmax",
        (
            "__global__ void softmaxWarp(",
            "__device__ float power(float v)\n{\n    return exp2f(1.44269504f * v);\n}\n\n"
            "__global__ void softmaxWarp(",
        ),
        ("expf(top - v)", "power(top - v)"),
        ("expf(v - top)", "power(v - top)"),
        ("expf(top - both)", "power(top - both)"),
        ("expf(other - both)", "power(other - both)"),
        ("expf(in[j] - top)", "power(in[j] - top)"),
    ),
    # Blocks of one warp, and a root.
    Right(
        "hundredtwenty_norm_one_warp",
        "hundredtwenty_norm",
        ("#define T 128", "#define T 32"),
        ("rsqrtf(variance + eps)", "1.0f / sqrtf(variance + eps)"),
    ),
    # Columns of the tile change places in each row, so that it need not be wider.
    Right(
        "hundredtwenty_turn_columns_mixed",
        "hundredtwenty_turn",
        ("const int PITCH = SIDE + 1;", "const int PITCH = SIDE;"),
        ("tile[r * PITCH + c]", "tile[r * PITCH + (c ^ r)]"),
        ("tile[c * PITCH + r]", "tile[c * PITCH + (r ^ c)]"),
    ),
    # The second tile is stored transposed.
    Right(
        "hundredtwenty_matmul_second_turned",
        "hundredtwenty_matmul",
        ("__shared__ float bs[TILE][TILE];", "__shared__ float bs[TILE][TILE + 1];"),
        ("bs[i][tx] =", "bs[tx][i] ="),
        ("bs[q][tx]", "bs[tx][q]"),
    ),
    # At most 16 blocks, which take one row after another.
    Right(
        "hundredtwenty_outer_16_blocks",
        "hundredtwenty_outer",
        (
            "const float4* b, float* out, int cols) {",
            "const float4* b, float* out, int rows, int cols) {",
        ),
        (
            "  const int i = blockIdx.x;\n  const float left = a[i];",
            "  for (int i = blockIdx.x; i < rows; i += gridDim.x) {\n"
            "  const float left = a[i];",
        ),
        ("    row[p] = v;\n  }\n", "    row[p] = v;\n  }\n  }\n"),
        (
            "const float* b, float* out, int cols) {",
            "const float* b, float* out, int rows, int cols) {",
        ),
        (
            "  const int i = blockIdx.x;\n  for (int j",
            "  for (int i = blockIdx.x; i < rows; i += gridDim.x)\n  for (int j",
        ),
        (
            "  const bool round",
            "  const int blocks = rows < 16 ? rows : 16;\n  const bool round",
        ),
        ("outer_packs<<<rows,", "outer_packs<<<blocks,"),
        ("outer_singles<<<rows,", "outer_singles<<<blocks,"),
        ("(const float4*)b, out, cols);", "(const float4*)b, out, rows, cols);"),
        ("(a, b, out, cols);", "(a, b, out, rows, cols);"),
    ),
)
