"""Hold a seventy-first family: the plain operators of a course, and their plainest mistakes.

Its bases are two arrays of halves added eight at a time, a product of two arrays and a third
added, halves to floats and floats to the nearest integers by two launches, leaky ReLU by
float4, sigmoid in a loop over the grid, SiLU of bfloat16 by twos, the sum of an array by
shuffles and an atomic addition a block, the largest of an array by two launches, the mean of
each row by a block a row, a transpose by tiles whose blocks go on downwards, a product of
matrices with 2 x 2 results a thread, log-softmax by a warp a row, softmax of scaled rows in
shared memory, and RMS norm of halves with a gain. They have 20 to 50 lines and are in several
hands. Nine of them are tried on the cases that a learner would take: those of every elementwise
operator and those of `kernel_cases`. Their mistakes are spread over alignment, sizes, grids,
block sizes, indices of 16 bits, NaN, infinity, integers that are too large, rounding, formulas,
start values, inputs that are written, sums, transposes, products, order, streams and what is
left of an earlier call. The causes were written before a member was judged. There are 70 wrong
members and 14 right ones. Each was run on the emulator beside PyTorch and compared as a case
does: called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1, 7 and 77
in others), with tensors at either end of their pages, the bytes behind them and their inputs
looked at afterwards, on a stream that is not the default one, with threads in order, from the
last to the first and in a random order, and in the slices that the cases name. Bases and right
ones ran all cases; wrong ones until they were wrong often enough. Cases beyond 2^31 numbers
were run for a second each, and to their end only of one sum. Of those that lack a barrier not
each is wrong in every order of threads, and blocks that add without an atomic are right on the
emulator, where no two add at once. nvcc 13.0 compiles each for 8.0; none was run on a GPU.
Bases and right ones are right, and all others wrong or refused by a fault:

    seventyone_octave_two_of_three         from 8 numbers on, by the address of c alone
    seventyone_octave_rest_of_whole_packs  from 8 numbers on, where an address is not round
    seventyone_octave_steps_of_128         of smaller blocks, where the loop takes a second step
    seventyone_octave_last_pair_of_third   from 8 numbers on
    seventyone_octave_packs_rounded_up     unless 8 divides n
    seventyone_till_rounded_twice          of products that are not floats
    seventyone_till_factor_and_fee         of nearly all
    seventyone_till_no_stream              on another stream than the default one
    seventyone_till_a_thousand_blocks      from 1,025 blocks on: 70,001 numbers at 64
    seventyone_till_sum_in_c               of nearly all: c is overwritten
    seventyone_pour_cut_off                of most numbers that are not whole
    seventyone_pour_low_half_of_long       beyond 32 bits, and of infinities
    seventyone_pour_by_way_of_half         beyond 2,048, and of some between two
    seventyone_pour_second_no_stream       on another stream than the default one
    seventyone_pour_odd_forgotten          of odd n
    seventyone_drip_larger_of_two          of slopes above 1
    seventyone_drip_sum_of_parts           of NaN, and of -0.0
    seventyone_drip_y_anywhere             from 4 numbers on, by the address of y
    seventyone_drip_rest_without_slope     unless 4 divides n, of numbers below 0
    seventyone_drip_threads_for_packs      if a block ends among the rest, as of n = 1,023
    seventyone_eel_two_exponentials        from about 88.8 on
    seventyone_eel_by_tanh                 below 0, and 0 from about -18 down
    seventyone_eel_last_not_reached        of all n
    seventyone_eel_blocks_of_256           of other block sizes, from a second block on
    seventyone_eel_no_sign                 of all but 0
    seventyone_silk_all_in_bf16            by more than a unit, of many
    seventyone_silk_no_factor              of nearly all
    seventyone_silk_one_test_for_two       of odd n
    seventyone_silk_short_index            beyond 65,536 numbers
    seventyone_silk_blocks_of_first_call   if an earlier call had fewer numbers
    seventyone_basket_not_set_before       unless the sum is 0 before
    seventyone_basket_no_atomic            where two blocks add at once
    seventyone_basket_half_of_the_warps    from 129 numbers on, of warps whose sum is not 0
    seventyone_basket_blocks_rounded_down  of fewer than 256 numbers: there is no block
    seventyone_basket_added_by_each_warp   unless the sum is 0
    seventyone_summit_starts_at_0          if all numbers are below 0
    seventyone_summit_all_tops             of few blocks, below 0 or after a higher call
    seventyone_summit_nan_lost             of NaN
    seventyone_summit_second_no_stream     on another stream than the default one
    seventyone_summit_tree_of_two_left     if the largest is in an odd place of a block
    seventyone_rain_whole_reciprocal       from 2 columns on, unless the mean is 0
    seventyone_rain_no_barrier             where threads do not wait for another
    seventyone_rain_steps_of_a_warp        from 33 columns on
    seventyone_rain_one_each               from 129 columns on
    seventyone_rain_rows_one_apart         from 2 rows on, unless they have one column
    seventyone_page_grid_swapped           of more tiles across than down
    seventyone_page_tile_not_turned        of nearly all
    seventyone_page_pitch_of_the_way_in    unless the matrix is square
    seventyone_page_no_limit_downwards     from 65,536 tiles down on: the launch is refused
    seventyone_page_test_of_the_way_in     unless 16 divides both sides
    seventyone_patio_no_second_barrier     from k = 17 on, where threads do not wait
    seventyone_patio_whole_tiles           unless 16 divides k
    seventyone_patio_rows_go_on            unless 16 divides k: past the end of a, and of a NaN
    seventyone_patio_pitch_of_a            unless n and k are alike
    seventyone_patio_two_exchanged         from 17 rows or columns on
    seventyone_timber_log_of_share         from about 88 below the largest down
    seventyone_timber_starts_at_0          of rows that are far below 0
    seventyone_timber_rows_not_tested      unless 4 divides the rows
    seventyone_timber_base_2               from 2 columns on
    seventyone_timber_less_in_place        unless the largest is 0: x is overwritten
    seventyone_cushion_numbers_for_bytes   of nearly all: rows reach beyond it
    seventyone_cushion_no_barrier_between  where threads do not wait for another
    seventyone_cushion_half_a_tree         from 65 columns on
    seventyone_cushion_own_sum             from 2 columns on
    seventyone_cushion_largest_not_scaled  of rows far from 0, unless the scale is 1
    seventyone_tune_squares_of_halves      of large and small ones, and of many
    seventyone_tune_no_eps                 of zeros, small ones and a large eps
    seventyone_tune_mean_of_threads        of nearly all
    seventyone_tune_gain_of_row            of nearly all
    seventyone_tune_rounded_before_gain    of many, unless the gain is a power of two
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing import kernel_cases
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who counts in octaves: two arrays of halves added, eight at a time where all allow it.
OCTAVE = (
    HEADER
    + """\
__device__ unsigned add_pair(unsigned p, unsigned q) {
  half2 s = __hadd2(*(half2*)&p, *(half2*)&q);
  return *(unsigned*)&s;
}

__global__ void octave(const half* a, const half* b, half* c, int packs, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  for (int k = t; k < packs; k += step) {
    uint4 u = ((const uint4*)a)[k];
    uint4 v = ((const uint4*)b)[k];
    uint4 w;
    w.x = add_pair(u.x, v.x);
    w.y = add_pair(u.y, v.y);
    w.z = add_pair(u.z, v.z);
    w.w = add_pair(u.w, v.w);
    ((uint4*)c)[k] = w;
  }
  for (int i = 8 * packs + t; i < n; i += step) c[i] = __hadd(a[i], b[i]);
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* c,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  uintptr_t all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
  int packs = all % 16 == 0 ? n / 8 : 0;
  int blocks = n / (8 * block_size) + 1;
  if (blocks > 64) blocks = 64;
  octave<<<blocks, block_size, 0, stream>>>(a, b, c, packs, n);
}
"""
)

# One who keeps shop: price times pieces and a fee, one number a thread.
TILL = (
    HEADER
    + """\
__global__ void till(const float *__restrict__ a, const float *__restrict__ b,
                     const float *__restrict__ c, float *__restrict__ out, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        out[i] = fmaf(a[i], b[i], c[i]);
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       const float *c,  // [n]
                       float *out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    const int blocks = (n + block_size - 1) / block_size;
    till<<<blocks, block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# One who pours: halves to floats, in pairs, and floats to the nearest integers.
POUR = (
    HEADER
    + """\
#define THREADS 192

__global__ void widen(const half* h, float* wide, int n) {
  int p = threadIdx.x + blockIdx.x * THREADS;
  if (2 * p + 1 < n) {
    ((float2*)wide)[p] = __half22float2(((const half2*)h)[p]);
  } else if (2 * p < n) {
    wide[2 * p] = __half2float(h[2 * p]);
  }
}

__global__ void nearest(const float* x, int* q, int n) {
  int i = threadIdx.x + blockIdx.x * THREADS;
  if (i < n) q[i] = __float2int_rn(x[i]);
}

static int blocks_for(int threads) { return (threads + THREADS - 1) / THREADS; }

extern "C" void launch(const half* h,   // [n] 4-byte aligned
                       const float* x,  // [n]
                       float* wide,     // [n] 8-byte aligned
                       int* q,          // [n]
                       int n, cudaStream_t stream = 0) {
  widen<<<blocks_for((n + 1) / 2), THREADS, 0, stream>>>(h, wide, n);
  nearest<<<blocks_for(n), THREADS, 0, stream>>>(x, q, n);
}
"""
)

# One who mends pipes: leaky ReLU by float4, and the rest by the threads behind the packs.
DRIP = (
    HEADER
    + """\
__device__ __forceinline__ float bend(float v, float alpha)
{
    return v > 0.0f ? v : alpha * v;
}

__global__ void drip(const float *x, float *y, float alpha, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (t < packs) {
        float4 v = ((const float4 *)x)[t];
        v.x = bend(v.x, alpha);
        v.y = bend(v.y, alpha);
        v.z = bend(v.z, alpha);
        v.w = bend(v.w, alpha);
        ((float4 *)y)[t] = v;
        return;
    }
    int i = 3 * packs + t;
    if (i < n)
        y[i] = bend(x[i], alpha);
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       float *y,        // [n] 16-byte aligned
                       float alpha, int n, int block_size = 256, cudaStream_t stream = 0)
{
    int threads = n / 4 + n % 4;
    int blocks = (threads + block_size - 1) / block_size;
    if (blocks > 0)
        drip<<<blocks, block_size, 0, stream>>>(x, y, alpha, n);
}
"""
)

# One who fishes: sigmoid in a loop over the grid.
EEL = (
    HEADER
    + """\
__global__ void eel(const float* in, float* out, int n) {
  for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < n;
       idx += blockDim.x * gridDim.x) {
    float v = in[idx];
    out[idx] = 1.0f / (1.0f + expf(-v));
  }
}

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n < 1) return;
  int grid = (n + block_size - 1) / block_size;
  if (grid > 40) grid = 40;
  eel<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# One who weaves silk: SiLU of bfloat16, two neighbours a thread.
SILK = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__device__ bf16 silk_of(bf16 v)
{
    float f = __bfloat162float(v);
    return __float2bfloat16(f / (1.0f + expf(-f)));
}

__global__ void silk(const bf16 *x, bf16 *y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        y[i] = silk_of(x[i]);
    if (i + 1 < n)
        y[i + 1] = silk_of(x[i + 1]);
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n]
                       __nv_bfloat16 *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int blocks = n / 256 + 1;
    silk<<<blocks, 128, 0, stream>>>(x, y, n);
}
"""
)

# One who gathers apples: the sum by shuffles, and an atomic addition a block.
BASKET = (
    HEADER
    + """\
#define WARPS 8

__device__ float of_warp(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__global__ void basket(const float* apples, float* sum, int64_t n) {
  __shared__ float parts[WARPS];
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  float mine = 0.0f;
  for (int64_t i = blockIdx.x * 32 * WARPS + threadIdx.x; i < n; i += gridDim.x * 32 * WARPS)
    mine += apples[i];
  mine = of_warp(mine);
  if (lane == 0) parts[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = of_warp(lane < WARPS ? parts[lane] : 0.0f);
    if (lane == 0) atomicAdd(sum, mine);
  }
}

extern "C" void launch(const float* apples,  // [n]
                       float* sum,           // [1]
                       int64_t n, cudaStream_t stream = 0) {
  cudaMemsetAsync(sum, 0, sizeof(float), stream);
  int64_t blocks = (n + 32 * WARPS - 1) / (32 * WARPS);
  if (blocks > 60) blocks = 60;
  if (blocks > 0) basket<<<(int)blocks, 32 * WARPS, 0, stream>>>(apples, sum, n);
}
"""
)

# One who climbs: the largest of each block, and the largest of these by a second launch.
SUMMIT = (
    HEADER
    + """\
#define T 256
#define MOST 100

__device__ float tops[MOST];

__device__ float higher(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

__device__ float top_of_block(float v)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] = higher(s[t], s[t + half]);
        __syncthreads();
    }
    return s[0];
}

__global__ void climb(const float *x, int64_t n)
{
    float v = -INFINITY;
    for (int64_t i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        v = higher(v, x[i]);
    v = top_of_block(v);
    if (threadIdx.x == 0)
        tops[blockIdx.x] = v;
}

__global__ void compare(float *top, int count)
{
    float v = threadIdx.x < count ? tops[threadIdx.x] : -INFINITY;
    v = top_of_block(v);
    if (threadIdx.x == 0)
        *top = v;
}

extern "C" void launch(const float *x,  // [n]
                       float *top,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int blocks = n < MOST * T ? (int)((n + T - 1) / T) : MOST;
    climb<<<blocks, T, 0, stream>>>(x, n);
    compare<<<1, T, 0, stream>>>(top, blocks);
}
"""
)

# One who measures rain: the mean of each row, a block a row.
RAIN = (
    HEADER
    + """\
constexpr int kThreads = 128;

__global__ void rain(const float* x, float* mean, int cols) {
  __shared__ float sums[kThreads];
  const int tid = threadIdx.x;
  const float* days = x + static_cast<size_t>(blockIdx.x) * cols;
  float sum = 0.0f;
  for (int c = tid; c < cols; c += kThreads) sum += days[c];
  sums[tid] = sum;
  __syncthreads();
  for (int left = kThreads / 2; left >= 1; left /= 2) {
    if (tid < left) sums[tid] += sums[tid + left];
    __syncthreads();
  }
  if (tid == 0) mean[blockIdx.x] = sums[0] / cols;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* mean,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  rain<<<rows, kThreads, 0, stream>>>(x, mean, cols);
}
"""
)

# One who turns pages: a transpose by tiles of 16, whose blocks go on downwards.
PAGE = (
    HEADER
    + """\
#define S 16

__global__ void page(const float *in, float *out, int64_t rows, int64_t cols)
{
    __shared__ float tile[S][S + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t c0 = (int64_t)blockIdx.x * S;
    if (c0 >= cols)
        return;
    for (int64_t r0 = blockIdx.y * S; r0 < rows; r0 += gridDim.y * S) {
        if (r0 + ty < rows && c0 + tx < cols)
            tile[ty][tx] = in[(r0 + ty) * cols + c0 + tx];
        __syncthreads();
        if (c0 + ty < cols && r0 + tx < rows)
            out[(c0 + ty) * rows + r0 + tx] = tile[tx][ty];
        __syncthreads();
    }
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    unsigned across = (unsigned)((cols + S - 1) / S);
    int64_t down = (rows + S - 1) / S;
    if (down > 65535)
        down = 65535;
    dim3 grid(across, (unsigned)down);
    page<<<grid, dim3(S, S), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who lays tiles: a product of matrices, 2 x 2 results a thread, 16 of k at a time.
PATIO = (
    HEADER
    + """\
#define HALF 16

__global__ void patio(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[2 * HALF][HALF], bs[HALF][2 * HALF];
  int tx = threadIdx.x, ty = threadIdx.y;
  int across = (n + 2 * HALF - 1) / (2 * HALF);
  int row = 2 * HALF * (blockIdx.x / across) + ty;
  int col = 2 * HALF * (blockIdx.x % across) + tx;
  float sum[2][2] = {};
  for (int q = 0; q < k; q += HALF) {
    for (int h = 0; h < 2; h++) {
      int r = row + HALF * h, s = col + HALF * h;
      bool in_a = r < m && q + tx < k;
      bool in_b = s < n && q + ty < k;
      as[ty + HALF * h][tx] = in_a ? a[(size_t)r * k + q + tx] : 0.0f;
      bs[ty][tx + HALF * h] = in_b ? b[(size_t)(q + ty) * n + s] : 0.0f;
    }
    __syncthreads();
    for (int e = 0; e < HALF; e++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) sum[i][j] += as[ty + HALF * i][e] * bs[e][tx + HALF * j];
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      int r = row + HALF * i, s = col + HALF * j;
      if (r < m && s < n) c[(size_t)r * n + s] = sum[i][j];
    }
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  int across = (n + 2 * HALF - 1) / (2 * HALF);
  int down = (m + 2 * HALF - 1) / (2 * HALF);
  patio<<<across * down, dim3(HALF, HALF), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who splits logs: log-softmax, a warp a row and four rows a block.
TIMBER = (
    HEADER
    + """\
__global__ void timber(const float *x, float *y, int rows, int cols)
{
    int lane = threadIdx.x;
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float most = -INFINITY;
    for (int c = lane; c < cols; c += 32)
        most = fmaxf(most, x[c]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += expf(x[c] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    float less = logf(sum);
    for (int c = lane; c < cols; c += 32)
        y[c] = x[c] - most - less;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    timber<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, y, rows, cols);
}
"""
)

# One who stuffs cushions: softmax of a scaled row, which lies in shared memory meanwhile.
CUSHION = (
    HEADER
    + """\
#define THREADS 128

__global__ void cushion(const float* x, float* y, float scale, int cols) {
  extern __shared__ float kept[];
  __shared__ float buf[THREADS];
  int t = threadIdx.x;
  size_t row = (size_t)blockIdx.x * cols;
  float big = -INFINITY;
  for (int c = t; c < cols; c += THREADS) {
    kept[c] = scale * x[row + c];
    big = fmaxf(big, kept[c]);
  }
  buf[t] = big;
  __syncthreads();
  for (int h = THREADS / 2; h > 0; h /= 2) {
    if (t < h) buf[t] = fmaxf(buf[t], buf[t + h]);
    __syncthreads();
  }
  big = buf[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < cols; c += THREADS) {
    kept[c] = expf(kept[c] - big);
    sum += kept[c];
  }
  buf[t] = sum;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) buf[t] += buf[t + step];
    __syncthreads();
  }
  float all = buf[0];
  for (int c = t; c < cols; c += THREADS) y[row + c] = kept[c] / all;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float scale, int rows, int cols, cudaStream_t stream = 0) {
  cushion<<<rows, THREADS, cols * sizeof(float), stream>>>(x, y, scale, cols);
}
"""
)

# One who tunes strings: RMS norm of halves with a gain, a block a row.
TUNE = (
    HEADER
    + """\
constexpr int kWarps = 8;

__global__ void tune(const half *x, const half *gain, half *y, float eps, int cols)
{
    __shared__ float parts[kWarps];
    const half *row = x + (size_t)blockIdx.x * cols;
    half *out = y + (size_t)blockIdx.x * cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = __half2float(row[c]);
        squares += v * v;
    }
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = squares;
    __syncthreads();
    float all = 0.0f;
    for (int w = 0; w < kWarps; w++)
        all += parts[w];
    float f = rsqrtf(all / cols + eps);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = __half2float(row[c]) * f;
        out[c] = __float2half(v * __half2float(gain[c]));
    }
}

extern "C" void launch(const half *x,     // [rows, cols]
                       const half *gain,  // [cols]
                       half *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    tune<<<rows, 32 * kWarps, 0, stream>>>(x, gain, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 20_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 127), (65, 65), (6, 6), (7, 10), (2, 257))
SIDES += ((3, 2001), (513, 3))
FLOAT = (torch.float32,)
SLOPE = float(torch.tensor(0.01))


def octaves(launcher: Launcher) -> Iterator[Case]:
    """Add as all operators are tried, each small n, and from starts of which some are round."""
    make = ElementwiseMaker.of(launcher, lambda a, b: a + b)
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 21)
    for n in (8, 9, 31, 64, 257, 4099):
        for offset in ((8, 16, 1), (16, 4, 8), (3, 8, 8), (8, 8, 4), (8, 16, 24)):
            yield make.shifted(n, 22, offset)


def pours(launcher: Launcher) -> Iterator[Case]:
    """Cast: any, small halves, between two, beyond 32 bits, infinities, NaN; slices."""
    for n in LENGTHS:
        x, j = whole(-(2**20), 2**20, n, n).double(), torch.arange(n)
        h = whole(-2047, 2048, n, n + 1).double()
        turns = torch.where(j % 4 < 2, 1.0, -1.0)
        for label, p, q in (
            ("any", h / 64, x / 1024),
            ("between two", h, x % 2000 - 999.5),
            ("large", h * 16, x * 1024),
            ("small halves", h / 2**24, x / 2**21),
            ("beyond 32 bits", h, turns * 2.0**31 * (1 + j % 3)),
            ("infinities", torch.where(j % 3 == 1, INF * turns, h), INF * turns),
            ("NaN", torch.where(j % 3 == 1, NAN, h), torch.where(j % 2 == 1, NAN, x / 8)),
        ):
            p, q = p.half(), q.float()
            near = q.double().round().nan_to_num(0.0, INF, -INF).clamp(-(2**31), 2**31 - 1)
            options = {"dtypes": (torch.float32, torch.int32), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q), (p.double(), near), **options)
            if n < 300 and label == "any":
                words = f"n = {n:,}, slices from (2, 1, 2, 3)"
                more = {**options, "offset": (2, 1, 2, 3)}
                yield Case(words, (p, q), (p.double(), near), **more)


def drips(launcher: Launcher) -> Iterator[Case]:
    """Bend as all operators are tried, with several slopes, one of them above 1."""
    for alpha in (SLOPE, 0.25, 1.5):

        def bent(x: torch.Tensor, alpha: float = alpha) -> torch.Tensor:
            return torch.where(x > 0, x, alpha * x)

        make = ElementwiseMaker.of(launcher, bent, 0, {"alpha": alpha})
        yield from elementwise_cases(launcher, make)
        for n in range(1, 71):
            yield make.random(n, 21)


def summits(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest of arrays as all such kernels do, and of some with a NaN."""
    yield from kernel_cases.whole_array(torch.max)(launcher)
    for n in (1, 2, 31, 33, 70, 257, 1000, 4099, 30_001):
        x, j = whole(-99, 100, n, n).float(), torch.arange(n)
        for label, place in (("the first", 0), ("the middle", n // 2), ("the last", n - 1)):
            for words, y in ((label, x), (f"{label}, all below 0", -x.abs() - 1)):
                y = torch.where(j == place, NAN, y)
                right = (torch.full((1,), NAN),)
                options = {"dtypes": FLOAT, "function": torch.max, "quick": n > 5000}
                yield Case(f"n = {n:,}, a NaN, {words}", (y,), right, **options)


def rains(launcher: Launcher) -> Iterator[Case]:
    """Average whole numbers: any, zeros, negative ones, large, the last alone, a NaN."""
    for rows, cols in SIDES:
        x = whole(-99, 100, rows * cols, rows + cols).reshape(rows, cols).double()
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("all below 0", -x.abs() - 1),
            ("large", x * 1024),
            ("the last alone", torch.where(c == cols - 1, 5.0, x * 0)),
            ("a NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
            ("an infinity", torch.where(c == cols // 3, INF, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.mean(1),), dtypes=FLOAT, ulp=1)


def timbers(launcher: Launcher) -> Iterator[Case]:
    """Split: any, equal, far above and below 0, far apart, a mask, a NaN."""
    for rows, cols in SIDES:
        x = whole(-40, 41, rows * cols, rows + cols).reshape(rows, cols) / 8.0
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("far apart", x * 64),
            ("rising", x * 0 + c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("a NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            y = y.float()
            right = y.double().log_softmax(1)
            apart = (y.double() - y.double().amax(1, True)).abs()
            slack = (2.0**-20 * (apart + right.abs() + 1)).nan_to_num(0.0, 0.0)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=(slack,))


def cushions(launcher: Launcher) -> Iterator[Case]:
    """Take shares: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in SIDES:
        x = whole(-40, 41, rows * cols, rows + cols).reshape(rows, cols) / 8.0
        c = torch.arange(cols)
        for label, y, scale in (
            ("any", x, 1.0),
            ("scaled down", x, 0.125),
            ("scaled up", x, 4.0),
            ("equal", x * 0 + 3, 0.5),
            ("far above 0", x + 1000, 0.5),
            ("far below 0", x - 1000, 2.0),
            ("rising", x * 0 + c / 8.0, 1.0),
            ("falling", x * 0 - c / 8.0, 1.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x), 1.0),
            ("a NaN", torch.where((c == cols // 2) & (x > 0), NAN, x), 1.0),
        ):
            y = y.float()
            right = (scale * y.double()).softmax(1)
            slack = ((2.0**-18 * right + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, scale = {scale}, {label}"
            scalars = {"scale": scale}
            yield Case(words, (y,), (right,), scalars, dtypes=FLOAT, within=slack)


def tunes(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, without gain, small, large, zeros, one alone, a NaN; right to half a unit."""
    for rows, cols in SIDES:
        x = whole(-999, 1000, rows * cols, rows + cols).reshape(rows, cols) / 64.0
        gain, c = whole(-99, 100, cols, cols).double() / 32, torch.arange(cols)
        for label, y, g, eps in (
            ("any", x, gain, 2.0**-16),
            ("without gain", x, gain * 0 + 1, 2.0**-16),
            ("small", x / 1024, gain, 2.0**-20),
            ("large", x * 2048, gain, 2.0**-16),
            ("a large eps", x, gain, 4.0),
            ("zeros", x * 0, gain, 2.0**-16),
            ("one alone", torch.where(c == cols - 1, 3.0, x * 0), gain, 2.0**-12),
            ("a NaN", torch.where((c == cols // 2) & (x > 0), NAN, x), gain, 2.0**-16),
        ):
            y, g = y.half(), g.half()
            v = y.double()
            right = v / ((v * v).mean(1, keepdim=True) + eps).sqrt() * g.double()
            size = right.abs().nan_to_num(0.0).clamp(min=2.0**-14)
            unit = 2.0 ** (size.log2().floor() - 10)
            slack = (unit * (0.5 + 2.0**-6) + 2.0**-18 * size,)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            options = {"dtypes": (torch.float16,), "within": slack}
            yield Case(words, (y, g), (right,), {"eps": eps}, **options)


def _sigmoid(x: torch.Tensor) -> torch.Tensor:
    return 1 / (1 + torch.exp(-x))


def _silu(x: torch.Tensor) -> torch.Tensor:
    return x / (1 + torch.exp(-x))


BASES = {
    "seventyone_octave": Base(OCTAVE, {"cases": octaves}),
    "seventyone_till": Base(TILL, {"reference": "multiply_add"}),
    "seventyone_pour": Base(POUR, {"cases": pours}),
    "seventyone_drip": Base(DRIP, {"cases": drips}),
    "seventyone_eel": Base(EEL, {"reference": _sigmoid, "ulp": 3}),
    "seventyone_silk": Base(SILK, {"reference": _silu, "ulp": 1}),
    "seventyone_basket": Base(BASKET, cases="sums"),
    "seventyone_summit": Base(SUMMIT, {"cases": summits}),
    "seventyone_rain": Base(RAIN, {"cases": rains}),
    "seventyone_page": Base(PAGE, cases="transpose"),
    "seventyone_patio": Base(PATIO, cases="matmul"),
    "seventyone_timber": Base(TIMBER, {"cases": timbers}),
    "seventyone_cushion": Base(CUSHION, {"cases": cushions}),
    "seventyone_tune": Base(TUNE, {"cases": tunes}),
}

WRONG = (
    # ---- octave
    # Two of three addresses are asked.
    Wrong(
        "seventyone_octave_two_of_three",
        "seventyone_octave",
        "alignment",
        ("(uintptr_t)a | (uintptr_t)b | (uintptr_t)c;", "(uintptr_t)a | (uintptr_t)b;"),
    ),
    # The rest begins behind packs that nobody took.
    Wrong(
        "seventyone_octave_rest_of_whole_packs",
        "seventyone_octave",
        "alignment / unwritten / left out | nan / tail / numbers",
        ("int i = 8 * packs + t;", "int i = n / 8 * 8 + t;"),
    ),
    # The step counts on blocks of 128.
    Wrong(
        "seventyone_octave_steps_of_128",
        "seventyone_octave",
        "block size | unwritten / left out / nan / tail / twice",
        ("int step = gridDim.x * blockDim.x;", "int step = gridDim.x * 128;"),
    ),
    # The last pair of a pack takes the third of the other.
    Wrong(
        "seventyone_octave_last_pair_of_third",
        "seventyone_octave",
        "other element / neighbour | numbers / nan / infinity",
        ("add_pair(u.w, v.w)", "add_pair(u.w, v.z)"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "seventyone_octave_packs_rounded_up",
        "seventyone_octave",
        "bounds / tail",
        ("? n / 8 : 0;", "? (n + 7) / 8 : 0;"),
    ),
    # ---- till
    # The product is rounded, and the sum again.
    Wrong(
        "seventyone_till_rounded_twice",
        "seventyone_till",
        "rounding | precision / numbers / infinity",
        ("fmaf(a[i], b[i], c[i])", "__fadd_rn(__fmul_rn(a[i], b[i]), c[i])"),
    ),
    # The second factor and the summand change places.
    Wrong(
        "seventyone_till_factor_and_fee",
        "seventyone_till",
        "swapped / function | numbers / nan / infinity",
        ("fmaf(a[i], b[i], c[i])", "fmaf(a[i], c[i], b[i])"),
    ),
    # The launch forgets the stream.
    Wrong(
        "seventyone_till_no_stream",
        "seventyone_till",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # No more than 1,024 blocks are launched.
    Wrong(
        "seventyone_till_a_thousand_blocks",
        "seventyone_till",
        "grid / unwritten | nan / tail / left out",
        (
            "    const int blocks = (n + block_size - 1) / block_size;\n",
            (
                "    int blocks = (n + block_size - 1) / block_size;\n"
                "    if (blocks > 1024)\n"
                "        blocks = 1024;\n"
            ),
        ),
    ),
    # The sum is kept in c, too.
    Wrong(
        "seventyone_till_sum_in_c",
        "seventyone_till",
        "input | state / numbers",
        ("const float *__restrict__ c, float", "float *__restrict__ c, float"),
        ("out[i] = fmaf(a[i], b[i], c[i]);", "out[i] = c[i] = fmaf(a[i], b[i], c[i]);"),
        ("(a, b, c, out, n);", "(a, b, (float *)c, out, n);"),
    ),
    # ---- pour
    # What follows the point is cut off.
    Wrong(
        "seventyone_pour_cut_off",
        "seventyone_pour",
        "rounding | numbers",
        ("__float2int_rn(x[i])", "(int)x[i]"),
    ),
    # Of a number of 64 bits the low ones are taken.
    Wrong(
        "seventyone_pour_low_half_of_long",
        "seventyone_pour",
        "whole range / infinity | numbers",
        ("__float2int_rn(x[i])", "(int)__float2ll_rn(x[i])"),
    ),
    # The number is a half on the way.
    Wrong(
        "seventyone_pour_by_way_of_half",
        "seventyone_pour",
        "precision / rounding | whole range / infinity / numbers",
        ("__float2int_rn(x[i])", "__half2int_rn(__float2half(x[i]))"),
    ),
    # The second launch forgets the stream.
    Wrong(
        "seventyone_pour_second_no_stream",
        "seventyone_pour",
        "stream",
        (
            "nearest<<<blocks_for(n), THREADS, 0, stream>>>",
            "nearest<<<blocks_for(n), THREADS>>>",
        ),
    ),
    # A half without a neighbour is not cast.
    Wrong(
        "seventyone_pour_odd_forgotten",
        "seventyone_pour",
        "tail / unwritten / left out | nan / numbers",
        ((" else if (2 * p < n) {\n    wide[2 * p] = __half2float(h[2 * p]);\n  }"), ""),
    ),
    # ---- drip
    # The larger of both is taken.
    Wrong(
        "seventyone_drip_larger_of_two",
        "seventyone_drip",
        "function | numbers / infinity",
        ("return v > 0.0f ? v : alpha * v;", "return fmaxf(v, alpha * v);"),
    ),
    # What is above 0 and what is below it are added.
    Wrong(
        "seventyone_drip_sum_of_parts",
        "seventyone_drip",
        "nan | sign of zero",
        ("return v > 0.0f ? v : alpha * v;", "return fmaxf(v, 0.0f) + alpha * fminf(v, 0.0f);"),
    ),
    # The result may lie anywhere.
    Wrong(
        "seventyone_drip_y_anywhere",
        "seventyone_drip",
        "alignment",
        ("float *y,        // [n] 16-byte aligned", "float *y,        // [n]"),
    ),
    # The rest has no slope.
    Wrong(
        "seventyone_drip_rest_without_slope",
        "seventyone_drip",
        "tail / function | numbers / sign of zero / nan / infinity",
        ("y[i] = bend(x[i], alpha);", "y[i] = bend(x[i], 0.0f);"),
    ),
    # There are threads for packs, one of them for a rest.
    Wrong(
        "seventyone_drip_threads_for_packs",
        "seventyone_drip",
        "tail / unwritten / grid / left out | nan",
        ("int threads = n / 4 + n % 4;", "int threads = (n + 3) / 4;"),
    ),
    # ---- eel
    # An exponential is divided by itself and 1.
    Wrong(
        "seventyone_eel_two_exponentials",
        "seventyone_eel",
        "infinity / nan | numbers / function",
        ("1.0f / (1.0f + expf(-v))", "expf(v) / (1.0f + expf(v))"),
    ),
    # It is made of a tanh.
    Wrong(
        "seventyone_eel_by_tanh",
        "seventyone_eel",
        "precision | numbers / subnormal",
        ("1.0f / (1.0f + expf(-v))", "0.5f * tanhf(0.5f * v) + 0.5f"),
    ),
    # The loop ends one too early.
    Wrong(
        "seventyone_eel_last_not_reached",
        "seventyone_eel",
        "tail / unwritten / left out | nan",
        ("idx < n;", "idx < n - 1;"),
    ),
    # Blocks begin 256 apart.
    Wrong(
        "seventyone_eel_blocks_of_256",
        "seventyone_eel",
        "block size | unwritten / left out / nan / tail / twice",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # The exponential has no sign.
    Wrong(
        "seventyone_eel_no_sign",
        "seventyone_eel",
        "function | numbers / infinity",
        ("expf(-v)", "expf(v)"),
    ),
    # ---- silk
    # Each step is one of bfloat16.
    Wrong(
        "seventyone_silk_all_in_bf16",
        "seventyone_silk",
        "rounding / precision | numbers / infinity / subnormal",
        (
            (
                "    float f = __bfloat162float(v);\n"
                "    return __float2bfloat16(f / (1.0f + expf(-f)));"
            ),
            (
                "    bf16 one = __float2bfloat16(1.0f);\n"
                "    return __hdiv(v, __hadd(one, hexp(__hneg(v))));"
            ),
        ),
    ),
    # The factor is left out.
    Wrong(
        "seventyone_silk_no_factor",
        "seventyone_silk",
        "function | numbers / sign of zero / infinity / nan",
        ("(f / (1.0f", "(1.0f / (1.0f"),
    ),
    # The second of a thread is not tested.
    Wrong(
        "seventyone_silk_one_test_for_two",
        "seventyone_silk",
        "bounds / tail",
        ("if (i + 1 < n)", "if (i < n)"),
    ),
    # The index has 16 bits.
    Wrong(
        "seventyone_silk_short_index",
        "seventyone_silk",
        "narrow / whole range / unwritten | nan / twice / tail / left out / grid",
        ("    int i = 2 *", "    unsigned short i = 2 *"),
    ),
    # There are as many blocks as in the first call.
    Wrong(
        "seventyone_silk_blocks_of_first_call",
        "seventyone_silk",
        "state / grid / unwritten | nan / tail / left out",
        ("    int blocks = n / 256 + 1;", "    static int blocks = n / 256 + 1;"),
    ),
    # ---- basket
    # Nobody sets the sum to 0.
    Wrong(
        "seventyone_basket_not_set_before",
        "seventyone_basket",
        "zero before / state | numbers / start / nan",
        ("  cudaMemsetAsync(sum, 0, sizeof(float), stream);\n", ""),
    ),
    # Blocks add without an atomic.
    Wrong(
        "seventyone_basket_no_atomic",
        "seventyone_basket",
        "race | left out / numbers / state",
        ("atomicAdd(sum, mine);", "*sum += mine;"),
    ),
    # Half of the warps are left out.
    Wrong(
        "seventyone_basket_half_of_the_warps",
        "seventyone_basket",
        "left out | numbers",
        ("lane < WARPS ? parts", "lane < WARPS / 2 ? parts"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventyone_basket_blocks_rounded_down",
        "seventyone_basket",
        "grid / left out / tail | numbers",
        ("(n + 32 * WARPS - 1) / (32 * WARPS)", "n / (32 * WARPS)"),
    ),
    # Each warp adds the sum of the block.
    Wrong(
        "seventyone_basket_added_by_each_warp",
        "seventyone_basket",
        "twice | function / numbers",
        ("  if (warp == 0) {\n", "  {\n"),
    ),
    # ---- summit
    # The largest begins with 0.
    Wrong(
        "seventyone_summit_starts_at_0",
        "seventyone_summit",
        "start | numbers",
        ("    float v = -INFINITY;\n", "    float v = 0.0f;\n"),
    ),
    # All tops are compared, also those of no block.
    Wrong(
        "seventyone_summit_all_tops",
        "seventyone_summit",
        "state / start / other element | numbers / unwritten",
        ("(top, blocks);", "(top, MOST);"),
    ),
    # NaN is passed over.
    Wrong(
        "seventyone_summit_nan_lost",
        "seventyone_summit",
        "nan",
        ("return a > b || isnan(a) ? a : b;", "return fmaxf(a, b);"),
    ),
    # The second launch forgets the stream.
    Wrong(
        "seventyone_summit_second_no_stream",
        "seventyone_summit",
        "stream",
        ("compare<<<1, T, 0, stream>>>", "compare<<<1, T>>>"),
    ),
    # The tree ends with two.
    Wrong(
        "seventyone_summit_tree_of_two_left",
        "seventyone_summit",
        "left out | numbers / other element",
        ("half > 0;", "half > 1;"),
    ),
    # ---- rain
    # The reciprocal is a whole number.
    Wrong(
        "seventyone_rain_whole_reciprocal",
        "seventyone_rain",
        "function / rounding | numbers / copy / precision / nan",
        ("sums[0] / cols", "sums[0] * (1 / cols)"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "seventyone_rain_no_barrier",
        "seventyone_rain",
        "race | numbers / left out / unwritten / other element / nan / state",
        ("  sums[tid] = sum;\n  __syncthreads();\n", "  sums[tid] = sum;\n"),
    ),
    # Steps are those of a warp.
    Wrong(
        "seventyone_rain_steps_of_a_warp",
        "seventyone_rain",
        "twice | numbers / function",
        ("c += kThreads", "c += 32"),
    ),
    # Each thread takes one column.
    Wrong(
        "seventyone_rain_one_each",
        "seventyone_rain",
        "left out / tail | numbers",
        (
            "  for (int c = tid; c < cols; c += kThreads) sum += days[c];\n",
            "  if (tid < cols) sum = days[tid];\n",
        ),
    ),
    # Rows begin one number apart.
    Wrong(
        "seventyone_rain_rows_one_apart",
        "seventyone_rain",
        "other element / sides | numbers / twice / nan / infinity / left out",
        ("x + static_cast<size_t>(blockIdx.x) * cols", "x + blockIdx.x"),
    ),
    # ---- page
    # Rows are counted in x of the grid.
    Wrong(
        "seventyone_page_grid_swapped",
        "seventyone_page",
        "grid / sides / swapped / unwritten | nan / tail / left out / numbers / refused",
        ("dim3 grid(across, (unsigned)down);", "dim3 grid((unsigned)down, across);"),
    ),
    # The tile is not turned.
    Wrong(
        "seventyone_page_tile_not_turned",
        "seventyone_page",
        "other element / swapped | numbers / sides / unwritten",
        ("= tile[tx][ty];", "= tile[ty][tx];"),
    ),
    # Rows of the result have the pitch of the input.
    Wrong(
        "seventyone_page_pitch_of_the_way_in",
        "seventyone_page",
        "sides / other element / bounds / unwritten | numbers / nan / left out / twice",
        ("(c0 + ty) * rows + r0", "(c0 + ty) * cols + r0"),
    ),
    # The grid is as high as the matrix.
    Wrong(
        "seventyone_page_no_limit_downwards",
        "seventyone_page",
        "grid / refused | unwritten",
        ("    if (down > 65535)\n        down = 65535;\n", ""),
    ),
    # On the way out the test is that of the way in.
    Wrong(
        "seventyone_page_test_of_the_way_in",
        "seventyone_page",
        "bounds / sides / unwritten / swapped | nan / numbers / tail / left "
        "out / other element",
        ("if (c0 + ty < cols && r0 + tx < rows)", "if (c0 + tx < cols && r0 + ty < rows)"),
    ),
    # ---- patio
    # Tiles are filled while they are read.
    Wrong(
        "seventyone_patio_no_second_barrier",
        "seventyone_patio",
        "race | numbers / other element / left out",
        ("    __syncthreads();\n  }\n  for", "  }\n  for"),
    ),
    # Only whole tiles of k are taken.
    Wrong(
        "seventyone_patio_whole_tiles",
        "seventyone_patio",
        "tail / left out | numbers",
        ("q < k; q += HALF", "q + HALF <= k; q += HALF"),
    ),
    # Beyond the end of a row of a the next one is read.
    Wrong(
        "seventyone_patio_rows_go_on",
        "seventyone_patio",
        "bounds / tail / other element | nan / numbers / sides / infinity",
        ("bool in_a = r < m && q + tx < k;", "bool in_a = r < m;"),
    ),
    # Rows of b have the pitch of a.
    Wrong(
        "seventyone_patio_pitch_of_a",
        "seventyone_patio",
        "sides / other element / bounds | numbers / nan",
        ("(size_t)(q + ty) * n + s", "(size_t)(q + ty) * k + s"),
    ),
    # Two of the four results change places.
    Wrong(
        "seventyone_patio_two_exchanged",
        "seventyone_patio",
        "swapped / other element | numbers / nan / sides",
        ("= sum[i][j];", "= sum[j][i];"),
    ),
    # ---- timber
    # The logarithm is that of the share.
    Wrong(
        "seventyone_timber_log_of_share",
        "seventyone_timber",
        "infinity / precision / subnormal | numbers / function",
        ("y[c] = x[c] - most - less;", "y[c] = logf(expf(x[c] - most) / sum);"),
    ),
    # The largest begins with 0.
    Wrong(
        "seventyone_timber_starts_at_0",
        "seventyone_timber",
        "start | infinity / nan / precision / numbers / subnormal",
        ("float most = -INFINITY;", "float most = 0.0f;"),
    ),
    # A row past the end is taken, too.
    Wrong(
        "seventyone_timber_rows_not_tested",
        "seventyone_timber",
        "bounds / tail",
        ("    if (r >= rows)\n        return;\n", ""),
    ),
    # The logarithm has the base 2.
    Wrong(
        "seventyone_timber_base_2",
        "seventyone_timber",
        "function | numbers",
        ("logf(sum)", "log2f(sum)"),
    ),
    # The largest is taken away where the numbers lie.
    Wrong(
        "seventyone_timber_less_in_place",
        "seventyone_timber",
        "input | state / numbers",
        ("void timber(const float *x,", "void timber(float *x,"),
        (
            "        sum += expf(x[c] - most);\n",
            ("    {\n        x[c] -= most;\n        sum += expf(x[c]);\n    }\n"),
        ),
        ("x[c] - most - less", "x[c] - less"),
        ("stream>>>(x, y,", "stream>>>((float *)x, y,"),
    ),
    # ---- cushion
    # Shared memory is counted in numbers.
    Wrong(
        "seventyone_cushion_numbers_for_bytes",
        "seventyone_cushion",
        "bounds | race / other element / numbers / nan / refused",
        ("cols * sizeof(float), stream", "cols, stream"),
    ),
    # Sums are stored while others read the largest.
    Wrong(
        "seventyone_cushion_no_barrier_between",
        "seventyone_cushion",
        "race | numbers / other element / nan / infinity / state",
        ("  big = buf[0];\n  __syncthreads();\n", "  big = buf[0];\n"),
    ),
    # The tree of sums begins a step too late.
    Wrong(
        "seventyone_cushion_half_a_tree",
        "seventyone_cushion",
        "left out | numbers / function / infinity",
        ("int step = THREADS / 2;", "int step = THREADS / 4;"),
    ),
    # Each thread divides by its own sum.
    Wrong(
        "seventyone_cushion_own_sum",
        "seventyone_cushion",
        "left out / other element | numbers / function / nan / infinity",
        ("float all = buf[0];", "float all = sum;"),
    ),
    # The largest is that before the scale.
    Wrong(
        "seventyone_cushion_largest_not_scaled",
        "seventyone_cushion",
        "infinity / nan / function | numbers / start / precision / subnormal",
        ("kept[c] = scale * x[row + c];", "kept[c] = x[row + c];"),
        ("expf(kept[c] - big)", "expf(scale * kept[c] - big)"),
    ),
    # ---- tune
    # Squares are halves.
    Wrong(
        "seventyone_tune_squares_of_halves",
        "seventyone_tune",
        "precision / rounding / infinity | numbers / subnormal",
        ("squares += v * v;", "squares += __half2float(row[c] * row[c]);"),
    ),
    # The small number is left out.
    Wrong(
        "seventyone_tune_no_eps",
        "seventyone_tune",
        "function / nan / infinity / left out | numbers",
        ("rsqrtf(all / cols + eps)", "rsqrtf(all / cols)"),
    ),
    # The mean is that of 256 numbers.
    Wrong(
        "seventyone_tune_mean_of_threads",
        "seventyone_tune",
        "function / block size | numbers / sides / infinity",
        ("all / cols + eps", "all / blockDim.x + eps"),
    ),
    # The gain is that of the row.
    Wrong(
        "seventyone_tune_gain_of_row",
        "seventyone_tune",
        "other element / bounds / sides | numbers / nan / sign of zero",
        ("__half2float(gain[c])", "__half2float(gain[blockIdx.x])"),
    ),
    # What is normed is rounded before the gain.
    Wrong(
        "seventyone_tune_rounded_before_gain",
        "seventyone_tune",
        "rounding | precision / numbers",
        (
            "float v = __half2float(row[c]) * f;",
            "float v = __half2float(__float2half(__half2float(row[c]) * f));",
        ),
    ),
)

RIGHT = (
    # Halves are added as floats.
    Right(
        "seventyone_octave_sums_are_floats",
        "seventyone_octave",
        (
            "  half2 s = __hadd2(*(half2*)&p, *(half2*)&q);\n",
            (
                "  float2 u = __half22float2(*(half2*)&p);\n"
                "  float2 v = __half22float2(*(half2*)&q);\n"
                "  half2 s = __floats2half2_rn(u.x + v.x, u.y + v.y);\n"
            ),
        ),
    ),
    # There are blocks with nothing to do.
    Right(
        "seventyone_till_idle_blocks",
        "seventyone_till",
        ("(n + block_size - 1) / block_size;", "n / block_size + 3;"),
    ),
    # It is rounded as a float first.
    Right(
        "seventyone_pour_rounded_before_cast",
        "seventyone_pour",
        ("q[i] = __float2int_rn(x[i]);", "q[i] = __float2int_rz(rintf(x[i]));"),
    ),
    # The factor is chosen, not the result.
    Right(
        "seventyone_drip_slope_is_chosen",
        "seventyone_drip",
        ("return v > 0.0f ? v : alpha * v;", "return v * (v > 0.0f ? 1.0f : alpha);"),
    ),
    # The exponential is that of what is below 0.
    Right(
        "seventyone_eel_of_the_magnitude",
        "seventyone_eel",
        (
            "    out[idx] = 1.0f / (1.0f + expf(-v));\n",
            (
                "    float e = expf(-fabsf(v));\n"
                "    out[idx] = (v < 0.0f ? e : 1.0f) / (1.0f + e);\n"
            ),
        ),
    ),
    # The index is unsigned, and blocks have 64 threads.
    Right(
        "seventyone_silk_unsigned_small_blocks",
        "seventyone_silk",
        ("    int i = 2 *", "    uint32_t i = 2 *"),
        ("n / 256 + 1", "n / 128 + 1"),
        ("<<<blocks, 128,", "<<<blocks, 64,"),
    ),
    # A kernel sets the sum to 0.
    Right(
        "seventyone_basket_set_by_a_kernel",
        "seventyone_basket",
        (
            "__global__ void basket(",
            (
                "__global__ void empty_it(float* sum) { *sum = 0.0f; }\n"
                "\n"
                "__global__ void basket("
            ),
        ),
        (
            "  cudaMemsetAsync(sum, 0, sizeof(float), stream);\n",
            "  empty_it<<<1, 1, 0, stream>>>(sum);\n",
        ),
    ),
    # One thread compares the tops.
    Right(
        "seventyone_summit_one_compares",
        "seventyone_summit",
        (
            (
                "    float v = threadIdx.x < count ? tops[threadIdx.x] : "
                "-INFINITY;\n"
                "    v = top_of_block(v);\n"
                "    if (threadIdx.x == 0)\n"
                "        *top = v;\n"
            ),
            (
                "    float v = tops[0];\n"
                "    for (int k = 1; k < count; k++)\n"
                "        v = higher(v, tops[k]);\n"
                "    *top = v;\n"
            ),
        ),
        ("compare<<<1, T,", "compare<<<1, 1,"),
    ),
    # The number of columns comes first, in 64 bits.
    Right(
        "seventyone_rain_columns_first",
        "seventyone_rain",
        ("int rows, int cols, cudaStream_t", "int64_t cols, int64_t rows, cudaStream_t"),
        ("float* mean, int cols)", "float* mean, int64_t cols)"),
    ),
    # The tile has no pad, and the grid is lower.
    Right(
        "seventyone_page_lower_grid",
        "seventyone_page",
        ("tile[S][S + 1]", "tile[S][S]"),
        (
            "    if (down > 65535)\n        down = 65535;\n",
            "    if (down > 2000)\n        down = 2000;\n",
        ),
    ),
    # Sums are doubles.
    Right(
        "seventyone_patio_sums_are_doubles",
        "seventyone_patio",
        ("float sum[2][2] = {};", "double sum[2][2] = {};"),
    ),
    # A block has one row.
    Right(
        "seventyone_timber_a_block_a_row",
        "seventyone_timber",
        ("(rows + 3) / 4, dim3(32, 4)", "rows, dim3(32, 1)"),
    ),
    # Exponentials are computed again.
    Right(
        "seventyone_cushion_exponentials_again",
        "seventyone_cushion",
        (
            "    kept[c] = expf(kept[c] - big);\n    sum += kept[c];\n",
            "    sum += expf(kept[c] - big);\n",
        ),
        ("= kept[c] / all;", "= expf(kept[c] - big) / all;"),
    ),
    # The root is taken, and 1 divided by it.
    Right(
        "seventyone_tune_root_and_quotient",
        "seventyone_tune",
        ("rsqrtf(all / cols + eps)", "1.0f / sqrtf(all / cols + eps)"),
    ),
)
