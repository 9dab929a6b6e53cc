"""Hold an eightieth family: the plain operators of a first half year, and their mistakes.

Its bases are a sum of float32 arrays in packs with singles after them, a short sum of bfloat16
arrays, float32 to float16 in pairs, float32 to 256 levels, GELU with erfc, hard swish of halves
in pairs, the sum of all by trees and atomics, sums of rows of halves by warps, the largest of
all in two kernels, a transpose by tiles of 32, a matrix product by tiles of 16, all pairs of
rows of halves with a scale, softmax of rows with two trees, and layer norm of rows by warps.
They have 12 to 45 lines, in different hands. Their mistakes are spread over alignment, sizes,
grids, rounding, limits, NaN, wrong constants, sums, start values, state, pitches, tiles,
barriers, atomics, streams and inputs that are written. The causes were written before a member
was judged. 70 are wrong and 14 are right in another form. On the emulator each ran beside
PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3 in
floating outputs (-1 and 77 in others), with tensors at either end of their pages, the bytes
behind them and their inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. What lacks an atomic was right on the
emulator, in which no two blocks add at once; what lacks a barrier is not wrong in every order
of threads. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones
are right, and all others wrong or refused by a fault:

    eighty_plus_result_not_asked       from 4 numbers on, by the address of c alone
    eighty_plus_singles_no_stream      on another stream, unless all goes in packs
    eighty_plus_all_done               unless 4 divides n, where packs are taken
    eighty_plus_one_pack_a_thread      beyond 64 blocks: from 8,196 numbers on at 32
    eighty_plus_third_takes_fourth     from 4 numbers on, where packs are taken
    eighty_brief_one_too_many          unless the block size divides n
    eighty_brief_blocks_of_256         of other block sizes, from a second block on
    eighty_brief_cut_off               of sums that are no bfloat16
    eighty_brief_blocks_rounded_down   from a second block on, unless the size divides n
    eighty_brief_half_on_the_way       beyond 65,504, of small sums, and close to some ties
    eighty_shrink_pairs_cut_off        of numbers that are no halves
    eighty_shrink_last_pair_single     of an even n
    eighty_shrink_in_anywhere          from 2 numbers on, by the address of the input
    eighty_shrink_saturates            beyond 65,504, and of NaN
    eighty_shrink_pair_turned          from 2 numbers on
    eighty_levels_cut_off              of fractions of a half or more
    eighty_levels_no_upper_limit       from 255.5 on
    eighty_levels_ties_up              of every other tie
    eighty_levels_rest_from_packs      unless 4 divides n, where threads are few
    eighty_levels_stride_of_numbers    beyond 16 blocks: from 2,052 numbers on at 32
    eighty_bend_other_constant         of nearly all
    eighty_bend_by_tanh                of nearly all
    eighty_bend_grid_of_256            of smaller blocks, from a second block on
    eighty_bend_n_passes               unless the block size divides n
    eighty_bend_short_cut              of NaN
    eighty_slope_gate_to_3             of numbers above 0
    eighty_slope_three_cases           of NaN
    eighty_slope_pairs_rounded_up      of an odd n
    eighty_slope_first_for_both        from 2 numbers on
    eighty_slope_result_anywhere       from 2 numbers on, by the address of y
    eighty_count_not_set               unless the total was 0 before
    eighty_count_tree_from_quarter     from 129 numbers on
    eighty_count_steps_of_a_block      from 257 numbers on
    eighty_count_no_atomic             where two blocks add at once
    eighty_count_integer_sum           of fractions, infinity and NaN
    eighty_rows_sums_of_halves         beyond 65,504, and of sums that are no halves
    eighty_rows_shuffles_from_8        from 17 columns on
    eighty_rows_steps_of_block         from 33 columns on
    eighty_rows_pitch_of_rows          from 2 rows on, unless the matrix is square
    eighty_rows_no_last_column         unless the last column is 0
    eighty_summit_starts_at_0          if all numbers are below 0
    eighty_summit_nan_lost             of NaN
    eighty_summit_last_block_left_out  if the largest is in the last block
    eighty_summit_second_no_stream     on another stream than the default one
    eighty_summit_keeps_tops           if all are below 0 or an earlier call had larger ones
    eighty_pages_no_barrier            where threads do not wait for another
    eighty_pages_pitch_of_input        unless the matrix is square
    eighty_pages_same_place            unless one tile holds all
    eighty_pages_page_not_turned       of nearly all
    eighty_pages_four_rows_of_threads  from 5 rows or columns on
    eighty_tiles_last_step_missing     unless 16 divides k
    eighty_tiles_pitch_of_a            unless n and k are alike
    eighty_tiles_down_for_across       unless the tiles are as many each way
    eighty_tiles_no_last_barrier       from k = 17 on, where threads do not wait
    eighty_tiles_no_zeros              unless 16 divides m and k
    eighty_pairs_dot_of_halves         beyond 65,504, and of sums that are no halves
    eighty_pairs_b_not_transposed      of nearly all
    eighty_pairs_beyond_both           unless 16 divides both sides
    eighty_pairs_from_1                unless the first products are 0
    eighty_pairs_scale_ignored         unless the scale is 1 or all is 0
    eighty_shares_largest_stays        of numbers far from 0
    eighty_shares_starts_at_0          of rows that are far below 0
    eighty_shares_powers_in_input      always: x is overwritten
    eighty_shares_no_barrier_between   where threads do not wait for another
    eighty_shares_one_column_added     from 129 columns on
    eighty_order_one_less              of all but long rows
    eighty_order_squares_less_square   of rows with a mean far from 0
    eighty_order_no_epsilon            of rows of small or equal numbers
    eighty_order_shuffles_down         from 2 columns on
    eighty_order_short_rows            from 65,537 rows on
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.references import REFERENCES
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who writes the packs apart from the rest: the sum of two arrays of float32.
PLUS = (
    HEADER
    + """\
__global__ void add_packs(const float4* a, const float4* b, float4* c, int64_t packs) {
  int64_t step = gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < packs; i += step) {
    float4 u = a[i];
    float4 v = b[i];
    c[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
  }
}

__global__ void add_singles(const float* a, const float* b, float* c, int64_t from,
                            int64_t n) {
  int64_t i = from + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static bool fits(const void* p) { return (uintptr_t)p % 16 == 0; }

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t done = 0;
  if (fits(a) && fits(b) && fits(c)) {
    int64_t packs = n / 4;
    int64_t blocks = (packs + block_size - 1) / block_size;
    if (blocks > 64) blocks = 64;
    if (blocks > 0)
      add_packs<<<blocks, block_size, 0, stream>>>((const float4*)a, (const float4*)b,
                                                   (float4*)c, packs);
    done = packs * 4;
  }
  int64_t left = n - done;
  if (left > 0)
    add_singles<<<(left + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, c, done,
                                                                                 n);
}
"""
)

# One who keeps it short: the sum of two arrays of bfloat16, a number a thread.
BRIEF = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__global__ void brief_add(const bf16 *left, const bf16 *right, bf16 *result, int64_t count)
{
    const int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < count) {
        const float l = __bfloat162float(left[idx]);
        const float r = __bfloat162float(right[idx]);
        result[idx] = __float2bfloat16(l + r);
    }
}

extern "C" void launch(const bf16 *left,   // [count]
                       const bf16 *right,  // [count]
                       bf16 *result,       // [count]
                       int64_t count, int block_size = 128, cudaStream_t stream = 0)
{
    if (count == 0)
        return;
    const int64_t blocks = (count + block_size - 1) / block_size;
    brief_add<<<blocks, block_size, 0, stream>>>(left, right, result, count);
}
"""
)

# One who takes two at a time: float32 to float16, the odd one by the last thread.
SHRINK = (
    HEADER
    + """\
__global__ void to_half(const float* in, half* out, int64_t n) {
  int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t i = 2 * p;
  if (i + 1 < n) {
    float2 v = ((const float2*)in)[p];
    ((half2*)out)[p] = __floats2half2_rn(v.x, v.y);
  } else if (i < n) {
    out[i] = __float2half(in[i]);
  }
}

extern "C" void launch(const float* in,  // [n] 8-byte aligned
                       half* out,        // [n] 4-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
  if (n == 0) return;
  int64_t threads = (n + 1) / 2;
  to_half<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(in, out, n);
}
"""
)

# One who stores pictures: float32 to the nearest of 256 levels, four in a walk over the grid.
LEVELS = (
    HEADER
    + """\
__device__ unsigned char level(float v)
{
    if (!(v > 0.0f))
        return 0;
    return (unsigned char)fminf(rintf(v), 255.0f);
}

__global__ void levels(const float *image, uint8_t *bytes, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int p = first; p < n / 4; p += stride) {
        float4 v = ((const float4 *)image)[p];
        ((uchar4 *)bytes)[p] = make_uchar4(level(v.x), level(v.y), level(v.z), level(v.w));
    }
    int i = n / 4 * 4 + first;
    if (i < n)
        bytes[i] = level(image[i]);
}

extern "C" void launch(const float *image,  // [n] 16-byte aligned
                       uint8_t *bytes,      // [n] 4-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = n / (4 * block_size) + 1;
    if (blocks > 16)
        blocks = 16;
    levels<<<blocks, block_size, 0, stream>>>(image, bytes, n);
}
"""
)

# One who likes formulas: GELU of float32, with the complement of the error function.
BEND = (
    HEADER
    + """\
__device__ float gelu(float x) { return 0.5f * x * erfcf(-0.70710678f * x); }

__global__ void gelu_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = gelu(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  if (blocks == 0) return;
  gelu_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who thinks in pairs: hard swish of float16, a half2 a thread and one more for the rest.
SLOPE = (
    HEADER
    + """\
__device__ float hard_swish(float x)
{
    float gate = fminf(fmaxf(x + 3.0f, 0.0f), 6.0f);
    return x * gate / 6.0f;
}

__global__ void slope(const half *x, half *y, int64_t n)
{
    int64_t pairs = n / 2;
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs) {
        float2 v = __half22float2(((const half2 *)x)[p]);
        ((half2 *)y)[p] = __floats2half2_rn(hard_swish(v.x), hard_swish(v.y));
    } else if (p == pairs && n % 2 == 1) {
        y[n - 1] = __float2half(hard_swish(__half2float(x[n - 1])));
    }
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       int64_t n, int block_size = 192, cudaStream_t stream = 0)
{
    int64_t threads = n / 2 + 1;
    int64_t blocks = (threads + block_size - 1) / block_size;
    slope<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who counts up: the sum of all numbers, a tree a block and an atomic for each block.
COUNT = (
    HEADER
    + """\
#define BLOCK 256

__global__ void add_up(const float* x, float* total, int64_t n) {
  __shared__ float part[BLOCK];
  int t = threadIdx.x;
  float mine = 0.0f;
  for (int64_t i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK) mine += x[i];
  part[t] = mine;
  __syncthreads();
  for (int half_of = BLOCK / 2; half_of > 0; half_of /= 2) {
    if (t < half_of) part[t] += part[t + half_of];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, part[0]);
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
  cudaMemsetAsync(total, 0, sizeof(float), stream);
  int64_t blocks = n / BLOCK + (n % BLOCK != 0);
  if (blocks > 64) blocks = 64;
  add_up<<<blocks, BLOCK, 0, stream>>>(x, total, n);
}
"""
)

# One who works by rows: the sums of rows of float16, a warp a row.
ROWS = (
    HEADER
    + """\
#define THREADS 256
#define PER_BLOCK (THREADS / 32)

__global__ void row_sums(const half *x, float *sums, int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * PER_BLOCK + threadIdx.x / 32;
    if (row >= rows)
        return;
    const half *from = x + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32)
        s += __half2float(from[c]);
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0)
        sums[row] = s;
}

extern "C" void launch(const half *x,  // [rows, cols]
                       float *sums,    // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + PER_BLOCK - 1) / PER_BLOCK;
    row_sums<<<blocks, THREADS, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# One who looks for the top: the largest of all numbers, in two kernels, with NaN on top.
SUMMIT = (
    HEADER
    + """\
#include <cmath>

constexpr int GROUP = 256;
constexpr int MOST = 128;
__device__ float block_top[MOST];

__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__device__ float top_of_block(float v) {
  __shared__ float s[GROUP];
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int w = GROUP / 2; w >= 1; w /= 2) {
    if (t < w) s[t] = larger(s[t], s[t + w]);
    __syncthreads();
  }
  return s[0];
}

__global__ void climb(const float* x, int64_t n) {
  float v = -INFINITY;
  for (int64_t i = blockIdx.x * GROUP + threadIdx.x; i < n; i += gridDim.x * GROUP)
    v = larger(v, x[i]);
  v = top_of_block(v);
  if (threadIdx.x == 0) block_top[blockIdx.x] = v;
}

__global__ void compare(float* out, int blocks) {
  float best = threadIdx.x < blocks ? block_top[threadIdx.x] : -INFINITY;
  best = top_of_block(best);
  if (threadIdx.x == 0) out[0] = best;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = n / GROUP + 1;
  if (blocks > MOST) blocks = MOST;
  climb<<<blocks, GROUP, 0, stream>>>(x, n);
  compare<<<1, GROUP, 0, stream>>>(out, blocks);
}
"""
)

# One who turns pages: a transpose by tiles of 32 that a block of 256 threads moves.
PAGES = (
    HEADER
    + """\
#define TILE 32
#define HIGH 8

__global__ void turn_page(const float *in, float *out, int rows, int cols, int across)
{
    __shared__ float page[TILE][TILE + 1];
    int bx = blockIdx.x % across, by = blockIdx.x / across;
    int x = bx * TILE + threadIdx.x;
    int y = by * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += HIGH)
        if (x < cols && y + j < rows)
            page[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
    __syncthreads();
    x = by * TILE + threadIdx.x;
    y = bx * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += HIGH)
        if (x < rows && y + j < cols)
            out[(size_t)(y + j) * rows + x] = page[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int across = (cols + TILE - 1) / TILE;
    int down = (rows + TILE - 1) / TILE;
    turn_page<<<across * down, dim3(TILE, HIGH), 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# One who multiplies matrices of float32, by tiles of 16 with zeros beyond the edges.
TILES = (
    HEADER
    + """\
#define T 16

__global__ void multiply(const float* A, const float* B, float* C, int m, int n, int k,
                         int across) {
  __shared__ float At[T][T];
  __shared__ float Bt[T][T];
  int ty = threadIdx.y, tx = threadIdx.x;
  int row = blockIdx.x / across * T + ty;
  int col = blockIdx.x % across * T + tx;
  float acc = 0.0f;
  int steps = (k + T - 1) / T;
  for (int s = 0; s < steps; ++s) {
    int ka = s * T + tx;
    int kb = s * T + ty;
    At[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;
    Bt[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
    __syncthreads();
    for (int q = 0; q < T; ++q) acc += At[ty][q] * Bt[q][tx];
    __syncthreads();
  }
  if (row < m && col < n) C[(size_t)row * n + col] = acc;
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  int down = (m + T - 1) / T;
  int across = (n + T - 1) / T;
  multiply<<<down * across, dim3(T, T), 0, stream>>>(A, B, C, m, n, k, across);
}
"""
)

# One who compares all with all: float16, a times b transposed, a result a thread, scaled.
PAIRS = (
    HEADER
    + """\
__global__ void all_pairs(const half *a, const half *b, half *c, float scale, int m, int n,
                          int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float dot = 0.0f;
    for (int j = 0; j < k; j++)
        dot += __half2float(a[(size_t)row * k + j]) * __half2float(b[(size_t)col * k + j]);
    c[(size_t)row * n + col] = __float2half(scale * dot);
}

extern "C" void launch(const half *a,  // [m, k]
                       const half *b,  // [n, k]
                       half *c,        // [m, n]
                       float scale, int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 threads(16, 16);
    dim3 grid((n + threads.x - 1) / threads.x, (m + threads.y - 1) / threads.y);
    all_pairs<<<grid, threads, 0, stream>>>(a, b, c, scale, m, n, k);
}
"""
)

# One who makes shares of 1: softmax of rows of float32, a block a row, with two trees.
SHARES = (
    HEADER
    + """\
#include <cmath>

#define BLOCK 128

__global__ void softmax_rows(const float* x, float* out, int n) {
  __shared__ float s[BLOCK];
  int t = threadIdx.x;
  const float* in = x + (size_t)blockIdx.x * n;
  float* to = out + (size_t)blockIdx.x * n;

  float most = -INFINITY;
  for (int c = t; c < n; c += BLOCK) most = fmaxf(most, in[c]);
  s[t] = most;
  __syncthreads();
  for (int h = BLOCK / 2; h > 0; h /= 2) {
    if (t < h) s[t] = fmaxf(s[t], s[t + h]);
    __syncthreads();
  }
  float top = s[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = t; c < n; c += BLOCK) sum += expf(in[c] - top);
  s[t] = sum;
  __syncthreads();
  for (int h = BLOCK / 2; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  float all = s[0];
  for (int c = t; c < n; c += BLOCK) to[c] = expf(in[c] - top) / all;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int m, int n, cudaStream_t stream = 0) {
  softmax_rows<<<m, BLOCK, 0, stream>>>(x, out, n);
}
"""
)

# One who puts rows in order: layer norm of float32, a warp a row, in two passes.
ORDER = (
    HEADER
    + """\
#define WARPS 4

__device__ float warp_total(float v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

__global__ void norm_rows(const float *x, float *out, int m, int n)
{
    int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= m)
        return;
    const float *in = x + (size_t)row * n;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < n; c += 32)
        sum += in[c];
    float mean = warp_total(sum) / n;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < n; c += 32)
        squares += (in[c] - mean) * (in[c] - mean);
    float var = warp_total(squares) / n;
    float f = rsqrtf(var + 1e-5f);
    for (int c = threadIdx.x; c < n; c += 32)
        out[(size_t)row * n + c] = (in[c] - mean) * f;
}

extern "C" void launch(const float *x,  // [m, n]
                       float *out,      // [m, n]
                       int m, int n, cudaStream_t stream = 0)
{
    norm_rows<<<(m + WARPS - 1) / WARPS, dim3(32, WARPS), 0, stream>>>(x, out, m, n);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 385, 511, 512, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2048, 2049, 2051, 4095, 4096, 4099)
SIDES = ((1, 1), (1, 2), (2, 1), (3, 2), (2, 3), (7, 31), (8, 32), (9, 33), (5, 16), (4, 17))
SIDES += ((6, 63), (7, 64), (8, 65), (1, 255), (2, 256), (3, 257), (4, 1000), (1, 4099))
SIDES += ((300, 1), (257, 5), (64, 64), (1000, 3), (33, 100), (65, 15), (16, 70), (31, 8))


def two_arrays(launcher: Launcher) -> Iterator[Case]:
    """Add what elementwise cases add, and where one address is odd, and more than a round."""
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    yield from elementwise_cases(launcher, make)
    for n in (1, 4, 7, 64, 259, 1000):
        for offset in ((4, 4, 1), (4, 2, 8), (3, 8, 4), (1, 1, 4), (4, 8, 12)):
            yield make.shifted(n, 8, offset)
    for n in (8_192, 40_003, 70_000):
        for block_size in (32, 64, 256):
            aligned = make.shifted(n, 9, (4, 8, 4))
            scalars = {"block_size": block_size}
            label = f"{aligned.label}, block_size = {block_size}"
            yield replace(aligned, label=label, arguments=scalars, quick=True)


def tops(launcher: Launcher) -> Iterator[Case]:
    """Look for the top: any, few values, below 0, one alone, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 32_768, 40_003, 100_000):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("below 0", -x.abs() - 1),
            ("the first alone", torch.where(j == 0, 5.0, -7.0)),
            ("the last alone", torch.where(j == n - 1, 5.0, -7.0)),
            ("one infinity", torch.where(j == n // 3, INF, x)),
            ("nothing but -infinity", torch.full((n,), -INF)),
            ("NaN at the beginning", torch.where(j == 0, NAN, x)),
            ("NaN in the middle", torch.where(j == n // 2, NAN, x)),
            ("NaN at the end", torch.where(j == n - 1, NAN, x)),
        ):
            right = y.double().amax().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), function=torch.max, **options)


def pictures(launcher: Launcher) -> Iterator[Case]:
    """Round to levels: any, between two, too large, below 0, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 40_003):
        x, j = whole(-99, 1200, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x / 4),
            ("between two levels", x.abs() % 255 + 0.5),
            ("too large", x.abs() + 255),
            ("at the ends", x % 4 + 253.5),
            ("below 0", -x.abs() / 8),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 4)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 4)),
        ):
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(0, 255)
            for block_size in (64, 32, 256):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.uint8,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)
            if n < 300 and label == "any":
                words = f"n = {n:,}, slices from (4, 8)"
                yield Case(words, (y,), (right,), {}, offset=(4, 8), **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, large, zeros, below 0, the last, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("large", x.abs() * 32 + 2048),
            ("fractions", x / 16),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("the last alone", torch.where(c == cols - 1, 3.0, 0.0) + 0 * x),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().sum(1),), dtypes=(torch.float32,))


def all_pairs(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, where only the last step rounds: any, ones, large, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 64), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 300, 3), (300, 2, 3), (32, 32, 8))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 71, 4))):
        a = whole(-20, 21, m * k, m + k).reshape(m, k).double()
        b = whole(-20, 21, n * k, n + 1).reshape(n, k).double()
        h = torch.arange(k)
        for label, s, t, scale in (
            ("any", a, b, 1.0),
            ("halved", a, b, 0.5),
            ("ones", a * 0 + 1, b * 0 + 1, 2.0),
            ("large", a * 64, b * 64, 2.0**-10),
            ("zeros", torch.zeros(m, k), b.abs(), 1.0),
            ("below 0", -a.abs() - 1, b.abs() + 1, 0.25),
            ("NaN", torch.where(h == k // 2, NAN, a), b, 0.5),
        ):
            right = scale * (s.double() @ t.T)
            words = f"m = {m}, n = {n}, k = {k}, scale = {scale}, {label}"
            inputs = s.half(), t.half()
            yield Case(words, inputs, (right,), {"scale": scale}, dtypes=(torch.float16,))


BASES = {
    "eighty_plus": Base(PLUS, {"cases": two_arrays}),
    "eighty_brief": Base(BRIEF, {"reference": "add"}),
    "eighty_shrink": Base(SHRINK, {"reference": "cast"}),
    "eighty_levels": Base(LEVELS, {"cases": pictures}),
    "eighty_bend": Base(
        BEND,
        {"reference": lambda x: 0.5 * x * torch.special.erfc(-x * math.sqrt(0.5)), "ulp": 8},
    ),
    "eighty_slope": Base(SLOPE, {"reference": lambda x: x * (x + 3).clamp(0, 6) / 6, "ulp": 1}),
    "eighty_count": Base(COUNT, cases="sums"),
    "eighty_rows": Base(ROWS, {"cases": row_sums}),
    "eighty_summit": Base(SUMMIT, {"cases": tops}),
    "eighty_pages": Base(PAGES, cases="transpose"),
    "eighty_tiles": Base(TILES, cases="matmul"),
    "eighty_pairs": Base(PAIRS, {"cases": all_pairs}),
    "eighty_shares": Base(SHARES, cases="softmax"),
    "eighty_order": Base(ORDER, cases="layer_norm"),
}

WRONG = (
    # ---- plus
    # The address of the result is not asked.
    Wrong(
        "eighty_plus_result_not_asked",
        "eighty_plus",
        "alignment",
        ("fits(a) && fits(b) && fits(c)", "fits(a) && fits(b)"),
    ),
    # What the packs leave is added on the default stream.
    Wrong(
        "eighty_plus_singles_no_stream",
        "eighty_plus",
        "stream",
        (
            "add_singles<<<(left + block_size - 1) / block_size, block_size, 0, stream>>>(",
            "add_singles<<<(left + block_size - 1) / block_size, block_size>>>(",
        ),
    ),
    # After the packs all is taken for done.
    Wrong(
        "eighty_plus_all_done",
        "eighty_plus",
        "tail / unwritten / left out | nan / numbers",
        ("done = packs * 4;", "done = n;"),
    ),
    # A thread adds one pack, though there are at most 64 blocks.
    Wrong(
        "eighty_plus_one_pack_a_thread",
        "eighty_plus",
        "grid / unwritten / left out | nan / numbers / tail",
        (
            "  int64_t step = gridDim.x * blockDim.x;\n  for (int64_t i = ",
            "  int64_t i = ",
        ),
        ("; i < packs; i += step) {", ";\n  if (i < packs) {"),
    ),
    # The third of a pack takes the fourth of b.
    Wrong(
        "eighty_plus_third_takes_fourth",
        "eighty_plus",
        "other element / neighbour | numbers / nan / infinity",
        ("u.z + v.z", "u.z + v.w"),
    ),
    # ---- brief
    # One more index passes.
    Wrong(
        "eighty_brief_one_too_many",
        "eighty_brief",
        "bounds",
        ("if (idx < count)", "if (idx <= count)"),
    ),
    # The index knows blocks of 256 only.
    Wrong(
        "eighty_brief_blocks_of_256",
        "eighty_brief",
        "block size | unwritten / left out / nan / numbers / bounds",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # The sum is cut off.
    Wrong(
        "eighty_brief_cut_off",
        "eighty_brief",
        "rounding | precision",
        ("__float2bfloat16(l + r)", "__float2bfloat16_rz(l + r)"),
    ),
    # The blocks are rounded down.
    Wrong(
        "eighty_brief_blocks_rounded_down",
        "eighty_brief",
        "tail / grid / unwritten / left out | nan / numbers",
        (
            "const int64_t blocks = (count + block_size - 1) / block_size;",
            "const int64_t blocks = count < block_size ? 1 : count / block_size;",
        ),
    ),
    # The sum is a half on the way.
    Wrong(
        "eighty_brief_half_on_the_way",
        "eighty_brief",
        "infinity / whole range / rounding / precision / subnormal | numbers / nan",
        (
            "__float2bfloat16(l + r)",
            "__float2bfloat16(__half2float(__float2half(l + r)))",
        ),
    ),
    # ---- shrink
    # Pairs are cut off.
    Wrong(
        "eighty_shrink_pairs_cut_off",
        "eighty_shrink",
        "rounding | precision / infinity",
        (
            "__floats2half2_rn(v.x, v.y)",
            "__halves2half2(__float2half_rz(v.x), __float2half_rz(v.y))",
        ),
    ),
    # The last pair is taken for a single number.
    Wrong(
        "eighty_shrink_last_pair_single",
        "eighty_shrink",
        "tail / unwritten / left out | nan / numbers",
        ("if (i + 1 < n)", "if (i + 2 < n)"),
    ),
    # The input may lie anywhere.
    Wrong(
        "eighty_shrink_in_anywhere",
        "eighty_shrink",
        "alignment",
        ("const float* in,  // [n] 8-byte aligned", "const float* in,  // [n]"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "eighty_shrink_saturates",
        "eighty_shrink",
        "infinity / nan / whole range | numbers",
        (
            "    float2 v = ((const float2*)in)[p];\n",
            "    float2 v = ((const float2*)in)[p];\n"
            "    v.x = fminf(fmaxf(v.x, -65504.0f), 65504.0f);\n"
            "    v.y = fminf(fmaxf(v.y, -65504.0f), 65504.0f);\n",
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "eighty_shrink_pair_turned",
        "eighty_shrink",
        "swapped / other element / neighbour | numbers",
        ("__floats2half2_rn(v.x, v.y)", "__floats2half2_rn(v.y, v.x)"),
    ),
    # ---- levels
    # The fraction is cut off.
    Wrong(
        "eighty_levels_cut_off",
        "eighty_levels",
        "rounding | function",
        ("fminf(rintf(v), 255.0f)", "fminf(v, 255.0f)"),
    ),
    # Nothing stops at 255.
    Wrong(
        "eighty_levels_no_upper_limit",
        "eighty_levels",
        "whole range | infinity / numbers",
        ("(unsigned char)fminf(rintf(v), 255.0f)", "(unsigned char)(int)rintf(v)"),
    ),
    # Half is added and cut off, so that all ties go up.
    Wrong(
        "eighty_levels_ties_up",
        "eighty_levels",
        "rounding",
        ("rintf(v)", "floorf(v + 0.5f)"),
    ),
    # The rest begins at the number of packs.
    Wrong(
        "eighty_levels_rest_from_packs",
        "eighty_levels",
        "tail / unwritten / left out | numbers / twice / other element",
        ("int i = n / 4 * 4 + first;", "int i = n / 4 + first;"),
    ),
    # The stride counts numbers instead of packs.
    Wrong(
        "eighty_levels_stride_of_numbers",
        "eighty_levels",
        "unwritten / left out / grid | numbers / other element",
        ("int stride = gridDim.x * blockDim.x;", "int stride = gridDim.x * blockDim.x * 4;"),
    ),
    # ---- bend
    # The constant is that of the other formula.
    Wrong(
        "eighty_bend_other_constant",
        "eighty_bend",
        "function | numbers",
        ("-0.70710678f", "-0.79788456f"),
    ),
    # The common approximation by tanh.
    Wrong(
        "eighty_bend_by_tanh",
        "eighty_bend",
        "precision / function | numbers",
        (
            "return 0.5f * x * erfcf(-0.70710678f * x);",
            "return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));",
        ),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "eighty_bend_grid_of_256",
        "eighty_bend",
        "block size / grid / unwritten / left out | tail / nan / numbers",
        ("blocks = (n + block_size - 1) / block_size;", "blocks = (n + 255) / 256;"),
    ),
    # An index of n passes.
    Wrong(
        "eighty_bend_n_passes",
        "eighty_bend",
        "bounds",
        ("if (i >= n) return;", "if (i > n) return;"),
    ),
    # A short cut far below 0 catches NaN, too.
    Wrong(
        "eighty_bend_short_cut",
        "eighty_bend",
        "nan | infinity / subnormal / sign of zero / numbers",
        (
            "{ return 0.5f * x * erfcf(-0.70710678f * x); }",
            "{\n  if (!(x > -14.0f)) return 0.0f;\n"
            "  return 0.5f * x * erfcf(-0.70710678f * x);\n}",
        ),
    ),
    # ---- slope
    # The gate closes at 3.
    Wrong(
        "eighty_slope_gate_to_3",
        "eighty_slope",
        "function | numbers / infinity",
        (", 6.0f);", ", 3.0f);"),
    ),
    # Three cases, of which NaN takes the last.
    Wrong(
        "eighty_slope_three_cases",
        "eighty_slope",
        "nan | infinity / sign of zero / numbers",
        (
            "    float gate = fminf(fmaxf(x + 3.0f, 0.0f), 6.0f);\n"
            "    return x * gate / 6.0f;\n",
            "    if (x >= 3.0f)\n        return x;\n"
            "    if (x > -3.0f)\n        return x * (x + 3.0f) / 6.0f;\n"
            "    return 0.0f;\n",
        ),
    ),
    # Pairs are rounded up.
    Wrong(
        "eighty_slope_pairs_rounded_up",
        "eighty_slope",
        "bounds / tail | alignment",
        ("pairs = n / 2;", "pairs = (n + 1) / 2;"),
    ),
    # The first of a pair is stored for both.
    Wrong(
        "eighty_slope_first_for_both",
        "eighty_slope",
        "other element / neighbour / left out / twice | numbers",
        ("hard_swish(v.x), hard_swish(v.y)", "hard_swish(v.x), hard_swish(v.x)"),
    ),
    # The result may lie anywhere.
    Wrong(
        "eighty_slope_result_anywhere",
        "eighty_slope",
        "alignment",
        ("half *y,        // [n] 4-byte aligned", "half *y,        // [n]"),
    ),
    # ---- count
    # Nobody sets the total to 0.
    Wrong(
        "eighty_count_not_set",
        "eighty_count",
        "zero before | state / start / nan / numbers",
        ("  cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The tree begins with a quarter of the block.
    Wrong(
        "eighty_count_tree_from_quarter",
        "eighty_count",
        "left out | numbers / nan / infinity",
        ("half_of = BLOCK / 2;", "half_of = BLOCK / 4;"),
    ),
    # Threads go on by a block instead of by the grid.
    Wrong(
        "eighty_count_steps_of_a_block",
        "eighty_count",
        "twice | numbers / other element",
        ("i += gridDim.x * BLOCK)", "i += BLOCK)"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eighty_count_no_atomic",
        "eighty_count",
        "race | left out / numbers",
        ("atomicAdd(total, part[0]);", "*total += part[0];"),
    ),
    # A thread's sum is an integer.
    Wrong(
        "eighty_count_integer_sum",
        "eighty_count",
        "rounding / precision / whole range | nan / infinity / numbers / narrow",
        ("float mine = 0.0f;", "int mine = 0;"),
    ),
    # ---- rows
    # Sums are halves.
    Wrong(
        "eighty_rows_sums_of_halves",
        "eighty_rows",
        "precision / infinity / rounding | numbers / nan / whole range",
        ("    float s = 0.0f;", "    half s = __float2half(0.0f);"),
        ("s += __half2float(from[c]);", "s = __hadd(s, from[c]);"),
        (
            "s += __shfl_down_sync(0xffffffffu, s, d);",
            "s = __hadd(s, __shfl_down_sync(0xffffffffu, s, d));",
        ),
        ("sums[row] = s;", "sums[row] = __half2float(s);"),
    ),
    # The shuffles begin with 8, so that half of the lanes do not count.
    Wrong(
        "eighty_rows_shuffles_from_8",
        "eighty_rows",
        "left out | numbers / nan / infinity",
        ("int d = 16;", "int d = 8;"),
    ),
    # Lanes go on by the threads of the block.
    Wrong(
        "eighty_rows_steps_of_block",
        "eighty_rows",
        "left out | numbers / other element / tail / nan / infinity",
        ("c += 32)", "c += THREADS)"),
    ),
    # Rows lie as far apart as there are rows.
    Wrong(
        "eighty_rows_pitch_of_rows",
        "eighty_rows",
        "sides / other element / bounds | numbers / swapped / nan / infinity / left out",
        ("(size_t)row * cols", "(size_t)row * rows"),
    ),
    # The last column is not added.
    Wrong(
        "eighty_rows_no_last_column",
        "eighty_rows",
        "left out / tail | numbers / nan / infinity",
        ("c < cols;", "c < cols - 1;"),
    ),
    # ---- summit
    # Each thread starts with 0.
    Wrong(
        "eighty_summit_starts_at_0",
        "eighty_summit",
        "start | numbers",
        ("float v = -INFINITY;", "float v = 0.0f;"),
    ),
    # The larger of two is never NaN.
    Wrong(
        "eighty_summit_nan_lost",
        "eighty_summit",
        "nan",
        ("return a > b || a != a ? a : b;", "return fmaxf(a, b);"),
    ),
    # The last block is not compared.
    Wrong(
        "eighty_summit_last_block_left_out",
        "eighty_summit",
        "left out / tail | numbers / infinity / start / nan",
        ("threadIdx.x < blocks ?", "threadIdx.x < blocks - 1 ?"),
    ),
    # The second kernel is on the default stream.
    Wrong(
        "eighty_summit_second_no_stream",
        "eighty_summit",
        "stream | race / state",
        ("compare<<<1, GROUP, 0, stream>>>", "compare<<<1, GROUP>>>"),
    ),
    # The top of a block is compared with that of an earlier call, or with 0.
    Wrong(
        "eighty_summit_keeps_tops",
        "eighty_summit",
        "state / start | numbers / nan",
        (
            "block_top[blockIdx.x] = v;",
            "block_top[blockIdx.x] = larger(v, block_top[blockIdx.x]);",
        ),
    ),
    # ---- pages
    # The page is read before it is full.
    Wrong(
        "eighty_pages_no_barrier",
        "eighty_pages",
        "race | unwritten / other element / numbers / nan / state",
        ("    __syncthreads();\n", ""),
    ),
    # The result has the pitch of the input.
    Wrong(
        "eighty_pages_pitch_of_input",
        "eighty_pages",
        "sides / other element / bounds / unwritten | numbers / nan / left out / race",
        ("out[(size_t)(y + j) * rows + x]", "out[(size_t)(y + j) * cols + x]"),
    ),
    # Pages are turned where they lie.
    Wrong(
        "eighty_pages_same_place",
        "eighty_pages",
        "other element / swapped / sides / unwritten / left out | numbers / nan",
        (
            "    x = by * TILE + threadIdx.x;\n    y = bx * TILE + threadIdx.y;\n",
            "    x = bx * TILE + threadIdx.x;\n    y = by * TILE + threadIdx.y;\n",
        ),
    ),
    # Each page keeps its rows.
    Wrong(
        "eighty_pages_page_not_turned",
        "eighty_pages",
        "other element / swapped | unwritten / numbers / nan / sides / function / state",
        ("page[threadIdx.x][threadIdx.y + j]", "page[threadIdx.y + j][threadIdx.x]"),
    ),
    # A block has four rows of threads, and the kernel counts on eight.
    Wrong(
        "eighty_pages_four_rows_of_threads",
        "eighty_pages",
        "unwritten / block size / left out | nan / numbers / other element",
        ("dim3(TILE, HIGH)", "dim3(TILE, 4)"),
    ),
    # ---- tiles
    # The steps over k are rounded down.
    Wrong(
        "eighty_tiles_last_step_missing",
        "eighty_tiles",
        "left out / tail | numbers / nan",
        ("int steps = (k + T - 1) / T;", "int steps = k / T;"),
    ),
    # B has the pitch of A.
    Wrong(
        "eighty_tiles_pitch_of_a",
        "eighty_tiles",
        "sides / other element / bounds | numbers / swapped / nan",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # The number of tiles down is taken for that across.
    Wrong(
        "eighty_tiles_down_for_across",
        "eighty_tiles",
        "sides / swapped / grid / unwritten / left out | numbers / tail / nan",
        ("(A, B, C, m, n, k, across);", "(A, B, C, m, n, k, down);"),
    ),
    # The next tiles are loaded while others still read.
    Wrong(
        "eighty_tiles_no_last_barrier",
        "eighty_tiles",
        "race | numbers / other element / left out / nan",
        ("Bt[q][tx];\n    __syncthreads();\n", "Bt[q][tx];\n"),
    ),
    # Beyond the edge of A nothing is stored.
    Wrong(
        "eighty_tiles_no_zeros",
        "eighty_tiles",
        "tail / unwritten / other element / twice / bounds | numbers / nan / state / left out",
        (
            "At[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;",
            "if (row < m && ka < k) At[ty][tx] = A[(size_t)row * k + ka];",
        ),
    ),
    # ---- pairs
    # The dot product is a half.
    Wrong(
        "eighty_pairs_dot_of_halves",
        "eighty_pairs",
        "precision / infinity / rounding | numbers / nan / whole range",
        ("float dot = 0.0f;", "half dot = __float2half(0.0f);"),
        (
            "dot += __half2float(a[(size_t)row * k + j]) * "
            "__half2float(b[(size_t)col * k + j]);",
            "dot = __hfma(a[(size_t)row * k + j], b[(size_t)col * k + j], dot);",
        ),
        ("scale * dot", "scale * __half2float(dot)"),
    ),
    # b is read as if it were not transposed.
    Wrong(
        "eighty_pairs_b_not_transposed",
        "eighty_pairs",
        "other element / sides / swapped | numbers / nan / function",
        ("b[(size_t)col * k + j]", "b[(size_t)j * n + col]"),
    ),
    # Only those beyond both sides stop.
    Wrong(
        "eighty_pairs_beyond_both",
        "eighty_pairs",
        "bounds / sides / race / other element | numbers / nan",
        ("row >= m || col >= n", "row >= m && col >= n"),
    ),
    # The first of k does not count.
    Wrong(
        "eighty_pairs_from_1",
        "eighty_pairs",
        "left out | numbers / nan / start",
        ("int j = 0;", "int j = 1;"),
    ),
    # The scale has no effect.
    Wrong(
        "eighty_pairs_scale_ignored",
        "eighty_pairs",
        "left out / function | numbers / infinity",
        ("__float2half(scale * dot)", "__float2half(dot)"),
    ),
    # ---- shares
    # The largest is not taken away.
    Wrong(
        "eighty_shares_largest_stays",
        "eighty_shares",
        "infinity / nan | numbers / function / precision / subnormal",
        ("sum += expf(in[c] - top);", "sum += expf(in[c]);"),
        ("to[c] = expf(in[c] - top) / all;", "to[c] = expf(in[c]) / all;"),
    ),
    # The largest starts at 0.
    Wrong(
        "eighty_shares_starts_at_0",
        "eighty_shares",
        "start | nan / infinity / numbers / subnormal / precision",
        ("float most = -INFINITY;", "float most = 0.0f;"),
    ),
    # Powers are kept in the input.
    Wrong(
        "eighty_shares_powers_in_input",
        "eighty_shares",
        "input | state / numbers",
        ("softmax_rows(const float* x,", "softmax_rows(float* x,"),
        ("  const float* in = x", "  float* in = x"),
        (
            "sum += expf(in[c] - top);",
            "{\n    in[c] = expf(in[c] - top);\n    sum += in[c];\n  }",
        ),
        ("to[c] = expf(in[c] - top) / all;", "to[c] = in[c] / all;"),
        ("stream>>>(x, out, n);", "stream>>>((float*)x, out, n);"),
    ),
    # Sums are stored while others read the largest.
    Wrong(
        "eighty_shares_no_barrier_between",
        "eighty_shares",
        "race | numbers / other element / nan / infinity / state",
        ("float top = s[0];\n  __syncthreads();\n", "float top = s[0];\n"),
    ),
    # A thread adds one column to the sum.
    Wrong(
        "eighty_shares_one_column_added",
        "eighty_shares",
        "left out | numbers / infinity / function",
        (
            "for (int c = t; c < n; c += BLOCK) sum += expf(in[c] - top);",
            "if (t < n) sum += expf(in[t] - top);",
        ),
    ),
    # ---- order
    # The variance is divided by one less.
    Wrong(
        "eighty_order_one_less",
        "eighty_order",
        "function | numbers / nan / infinity",
        ("warp_total(squares) / n;", "warp_total(squares) / (n - 1);"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "eighty_order_squares_less_square",
        "eighty_order",
        "precision | numbers / nan / infinity / function",
        ("squares += (in[c] - mean) * (in[c] - mean);", "squares += in[c] * in[c];"),
        ("warp_total(squares) / n;", "warp_total(squares) / n - mean * mean;"),
    ),
    # Nothing is added to the variance.
    Wrong(
        "eighty_order_no_epsilon",
        "eighty_order",
        "function / nan / infinity / left out | numbers",
        ("rsqrtf(var + 1e-5f)", "rsqrtf(var)"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "eighty_order_shuffles_down",
        "eighty_order",
        "left out / other element / race / twice | numbers / function / infinity / nan",
        ("__shfl_xor_sync(0xffffffff, v, mask)", "__shfl_down_sync(0xffffffff, v, mask)"),
    ),
    # A row's number has 16 bits.
    Wrong(
        "eighty_order_short_rows",
        "eighty_order",
        "narrow / unwritten | left out / nan / numbers / tail / twice / grid / whole range",
        ("    int row = blockIdx.x", "    unsigned short row = blockIdx.x"),
    ),
)

RIGHT = (
    # Seven blocks do it all, in more rounds, and some may be idle.
    Right(
        "eighty_plus_seven_blocks",
        "eighty_plus",
        ("if (blocks > 64) blocks = 64;", "if (blocks > 0) blocks = 7;"),
    ),
    # Three more blocks have nothing to do.
    Right(
        "eighty_brief_idle_blocks",
        "eighty_brief",
        ("(count + block_size - 1) / block_size;", "count / block_size + 3;"),
    ),
    # Indices have no sign.
    Right(
        "eighty_shrink_unsigned",
        "eighty_shrink",
        ("int64_t p = (int64_t)blockIdx.x", "uint64_t p = (uint64_t)blockIdx.x"),
        ("int64_t i = 2 * p;", "uint64_t i = 2 * p;"),
        ("half* out, int64_t n) {", "half* out, uint64_t n) {"),
    ),
    # The conversion rounds, after the limit.
    Right(
        "eighty_levels_conversion_rounds",
        "eighty_levels",
        ("(unsigned char)fminf(rintf(v), 255.0f)", "__float2int_rn(fminf(v, 255.0f))"),
    ),
    # The result comes first.
    Right(
        "eighty_bend_result_first",
        "eighty_bend",
        (
            "const float* x,  // [n]\n                       float* y,        // [n]\n",
            "float* y,        // [n]\n                       const float* x,  // [n]\n",
        ),
    ),
    # There is always one block more, and blocks are smaller.
    Right(
        "eighty_slope_one_block_more",
        "eighty_slope",
        ("(threads + block_size - 1) / block_size;", "threads / block_size + 1;"),
        ("int block_size = 192", "int block_size = 64"),
    ),
    # A kernel sets the total to 0.
    Right(
        "eighty_count_set_by_kernel",
        "eighty_count",
        (
            "__global__ void add_up(",
            "__global__ void clear(float* total) { *total = 0.0f; }\n\n__global__ void add_up(",
        ),
        (
            "cudaMemsetAsync(total, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(total);",
        ),
    ),
    # A block has three warps, and all lanes get the sum.
    Right(
        "eighty_rows_three_warps",
        "eighty_rows",
        ("#define THREADS 256", "#define THREADS 96"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
    ),
    # Blocks have half as many threads.
    Right(
        "eighty_summit_smaller_blocks",
        "eighty_summit",
        ("constexpr int GROUP = 256;", "constexpr int GROUP = 128;"),
    ),
    # A block has sixteen rows of threads.
    Right(
        "eighty_pages_sixteen_rows_of_threads",
        "eighty_pages",
        ("#define HIGH 8", "#define HIGH 16"),
    ),
    # Tiles have a side of 8.
    Right(
        "eighty_tiles_smaller",
        "eighty_tiles",
        ("#define T 16", "#define T 8"),
    ),
    # The launcher sets the result to 0, and blocks are wide.
    Right(
        "eighty_pairs_set_first",
        "eighty_pairs",
        (
            "    dim3 threads(16, 16);\n",
            "    cudaMemsetAsync(c, 0, sizeof(half) * m * n, stream);\n"
            "    dim3 threads(32, 4);\n",
        ),
    ),
    # A block has two warps, and the sum of a thread is a double.
    Right(
        "eighty_shares_two_warps",
        "eighty_shares",
        ("#define BLOCK 128", "#define BLOCK 64"),
        ("float sum = 0.0f;", "double sum = 0.0;"),
    ),
    # The root is taken first, and a block has eight rows.
    Right(
        "eighty_order_root_first",
        "eighty_order",
        ("#define WARPS 4", "#define WARPS 8"),
        ("rsqrtf(var + 1e-5f)", "1.0f / sqrtf(var + 1e-5f)"),
    ),
)
