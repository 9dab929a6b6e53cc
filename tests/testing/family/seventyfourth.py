"""Hold a seventy-fourth family: the plain operators of a course, and everyday mistakes in them.

Its bases are a bias added to each row, ReLU of a sum in float4, double to half, numbers kept
between two limits of their own, halves divided by a count, the dot product, the smallest and
the largest of ints, the mean of columns, a transpose by tiles with 32 x 8 threads, the outer
product of int16, A^T B by tiles, log-sum-exp of rows, softmax of columns, and layer norm that
also stores the mean and 1 / deviation. They have 12 to 45 lines, in the hands of people in
their first half year: some count threads in a loop over the grid, some launch blocks for all,
some ask for addresses, some use shuffles, some trees. Their mistakes are spread over alignment,
sizes, grids, block sizes, values, rounding, NaN, infinity and integers of 16 bits, an input
that is written, sums, pitches, tiles, order, streams and what is left of an earlier call. The
causes were written before a member was judged. Two bases are tried with the cases of any
elementwise operator, one with such cases and slices, one with such cases for several counts,
one with those of `kernel_cases.transpose`, and nine with cases of this file. On the emulator
each ran beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and
with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of their pages,
the bytes behind them and their inputs looked at afterwards, on a stream that is not the default
one, with threads in order, from the last to the first and in a random order, and in the slices
that the cases name. Bases and right ones ran all cases; wrong ones until they were wrong often
enough. Of transposes of more than 2^31 numbers only what was written in a second was compared.
Of those that lack a barrier not each is wrong in every order of threads, and dot_no_atomic only
by reasoning. nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are
right, and all others wrong or refused by a fault:

    seventyfour_bias_no_barrier             where threads do not wait for another
    seventyfour_bias_first_part             from 33 columns on
    seventyfour_bias_grid_swapped           unless the blocks are as many each way
    seventyfour_bias_pitch_of_rows          from 2 rows on, unless they are square
    seventyfour_bias_one_row_more           unless 8 divides the rows
    seventyfour_relusum_even_to_8           of addresses even to 8 and not to 16, from 4 on
    seventyfour_relusum_fmaxf               of NaN
    seventyfour_relusum_packs_rounded_down  where the last pack has a block alone, or n < 4
    seventyfour_relusum_always_256          of other block sizes, from a second block on
    seventyfour_relusum_third_again         where packs are taken
    seventyfour_narrow_by_float             of some that lie close to a tie
    seventyfour_narrow_limited              beyond 65,504
    seventyfour_narrow_no_loop              from 32,769 numbers on at 128
    seventyfour_narrow_no_stream            on another stream than the default one
    seventyfour_narrow_flushed              below 2^-14, unless it is rounded to 0 anyway
    seventyfour_limits_fminf_fmaxf          of NaN
    seventyfour_limits_swapped              unless the limits are alike
    seventyfour_limits_first_for_all        from 2 numbers on, where the lower limit matters
    seventyfour_limits_one_too_many         as there is always a thread for it
    seventyfour_limits_in_an_int            of fractions, NaN, infinity and beyond 2^31
    seventyfour_share_whole_inverse         of nearly all
    seventyfour_share_inverse_in_half       unless 1 / count is a half
    seventyfour_share_first_count           if an earlier call had another count
    seventyfour_share_x_not_tested          from 2 numbers on, by the address of x alone
    seventyfour_share_second_forgotten      from 2 numbers on, where no pairs are taken
    seventyfour_dot_not_set                 unless the output was 0
    seventyfour_dot_no_atomic               from 257 numbers on
    seventyfour_dot_b_of_thread             from 257 numbers on
    seventyfour_dot_last_warp               from 225 numbers on
    seventyfour_dot_int_sum                 of fractions, NaN and infinity
    seventyfour_ends_large_from_0           if all are below 0
    seventyfour_ends_changed_places         unless all are alike
    seventyfour_ends_quarter                from 129 numbers on
    seventyfour_ends_no_barrier_in_tree     where threads do not wait for another
    seventyfour_ends_small_from_short       if all are above 32,767
    seventyfour_colmean_by_columns          unless they are square
    seventyfour_colmean_seven_sums          from 8 rows on
    seventyfour_colmean_steps_of_32         from 9 rows on
    seventyfour_colmean_truncated           of sums with a fraction, NaN and infinity
    seventyfour_colmean_blocks_rounded_down unless 32 divides the columns
    seventyfour_turn_no_barrier             where threads do not wait for another
    seventyfour_turn_tile_as_it_was         of nearly all
    seventyfour_turn_pitch_of_x             from 2 columns on, unless they are square
    seventyfour_turn_three_steps            from 25 columns on
    seventyfour_turn_one_band               from 65,535 x 32 + 1 rows on
    seventyfour_outer_short_product         of products beyond 16 bits
    seventyfour_outer_indices_swapped       of nearly all
    seventyfour_outer_by_m                  from 2 numbers on, unless they are square
    seventyfour_outer_blocks_of_128         of smaller block sizes
    seventyfour_outer_first_total           if the first call had another size
    seventyfour_grad_pitch_of_k             from k = 2 on, unless m and k are alike
    seventyfour_grad_whole_tiles            unless 16 divides k
    seventyfour_grad_no_second_barrier      from k = 17 on, where threads do not wait
    seventyfour_grad_tile_of_a_plain        of nearly all
    seventyfour_grad_sum_of_last_tile       from k = 17 on
    seventyfour_lse_no_maximum              far above and far below 0
    seventyfour_lse_log10                   of nearly all
    seventyfour_lse_infinite_top            of rows with infinity, and of rows all masked
    seventyfour_lse_top_from_0              of rows far below 0
    seventyfour_lse_top_of_lane_0           from 2 columns on
    seventyfour_colsoft_sum_from_1          of all
    seventyfour_colsoft_pitch_of_rows       from 2 rows on, unless they are square
    seventyfour_colsoft_last_row_left_out   of all
    seventyfour_colsoft_first_for_largest   where a later one is larger by 89
    seventyfour_colsoft_sum_in_half         of sums that are not halves
    seventyfour_norm_less_one               of nearly all
    seventyfour_norm_no_last_barrier        where threads do not wait for another
    seventyfour_norm_stores_deviation       unless it is 1
    seventyfour_norm_squares_less_square    of rows with a mean far from 0
    seventyfour_norm_centred_in_x           unless the mean is 0: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A row vector is added to each row; a row of threads fetches its part of it for the block.
BIAS = (
    HEADER
    + """\
__global__ void add_bias(const float* x, const float* b, float* y, int rows, int cols) {
  __shared__ float part[32];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 8 + threadIdx.y;
  if (threadIdx.y == 0 && c < cols) part[threadIdx.x] = b[c];
  __syncthreads();
  if (r < rows && c < cols) {
    float v = x[(size_t)r * cols + c] + part[threadIdx.x];
    y[(size_t)r * cols + c] = v;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       const float* b,  // [cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, 8);
  dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  add_bias<<<grid, block, 0, stream>>>(x, b, y, rows, cols);
}
"""
)

# ReLU of a sum, float4 where all three addresses allow it.
RELUSUM = (
    HEADER
    + """\
__device__ float positive(float v)
{
    return v < 0.0f ? 0.0f : v;
}

__global__ void relu_of_sum(const float *a, const float *b, float *y, bool wide, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (wide && i + 3 < n)
    {
        float4 u = *(const float4 *)(a + i);
        float4 v = *(const float4 *)(b + i);
        float4 w;
        w.x = positive(u.x + v.x);
        w.y = positive(u.y + v.y);
        w.z = positive(u.z + v.z);
        w.w = positive(u.w + v.w);
        *(float4 *)(y + i) = w;
    }
    else
    {
        for (int k = i; k < i + 4 && k < n; k++)
            y[k] = positive(a[k] + b[k]);
    }
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    uintptr_t all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)y;
    int quads = (n + 3) / 4;
    int blocks = (quads + block_size - 1) / block_size;
    relu_of_sum<<<blocks, block_size, 0, stream>>>(a, b, y, all % 16 == 0, n);
}
"""
)

# Doubles become halves, rounded once, by at most 256 blocks in a loop over the grid.
NARROW = (
    HEADER
    + """\
__global__ void d2h(const double* in, half* out, long long n) {
  long long step = (long long)gridDim.x * blockDim.x;
  long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  for (long long i = first; i < n; i += step) {
    double v = in[i];
    out[i] = __double2half(v);
  }
}

extern "C" void launch(const double* in,  // [n]
                       half* out,         // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  if (blocks > 256) blocks = 256;
  d2h<<<(int)blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Each number is kept between a lower and an upper limit of its own; the result comes first.
LIMITS = (
    HEADER
    + """\
__global__ void limit_kernel(float *y, const float *x, const float *lower,
                             const float *upper, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    float lo = lower[i];
    float hi = upper[i];
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    y[i] = v;
}

extern "C" void launch(float *y,            // [n]
                       const float *x,      // [n]
                       const float *lower,  // [n]
                       const float *upper,  // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    limit_kernel<<<n / block_size + 1, block_size, 0, stream>>>(y, x, lower, upper, n);
}
"""
)

# Halves are divided by a count, in pairs where both addresses are even to 4.
SHARE = (
    HEADER
    + """\
__device__ float share_of(float v, int count) { return v / count; }

__global__ void share(const half* x, half* y, int count, bool pairs, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (pairs && i + 1 < n) {
    float2 v = __half22float2(*(const half2*)(x + i));
    *(half2*)(y + i) = __floats2half2_rn(share_of(v.x, count), share_of(v.y, count));
    return;
  }
  if (i < n) y[i] = __float2half(share_of(__half2float(x[i]), count));
  if (i + 1 < n) y[i + 1] = __float2half(share_of(__half2float(x[i + 1]), count));
}

static bool even(const void* p) { return (uintptr_t)p % 4 == 0; }

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int count, int n, int block_size = 64, cudaStream_t stream = 0) {
  bool pairs = even(x) && even(y);
  int blocks = (n + 2 * block_size - 1) / (2 * block_size);
  share<<<blocks, block_size, 0, stream>>>(x, y, count, pairs, n);
}
"""
)

# The dot product of two arrays: shuffles, one sum a warp, and an atomic a block.
DOT = (
    HEADER
    + """\
#define THREADS 256

__inline__ __device__ float warpSum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void dotKernel(const float *a, const float *b, float *result, int n)
{
    __shared__ float perWarp[THREADS / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        sum += a[i] * b[i];
    sum = warpSum(sum);
    if (lane == 0)
        perWarp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < THREADS / 32 ? perWarp[lane] : 0.0f;
        sum = warpSum(sum);
        if (lane == 0)
            atomicAdd(result, sum);
    }
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *result,   // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 32)
        blocks = 32;
    cudaMemsetAsync(result, 0, sizeof(float), stream);
    dotKernel<<<blocks, THREADS, 0, stream>>>(a, b, result, n);
}
"""
)

# The smallest and the largest of an array of ints, in one block.
ENDS = (
    HEADER
    + """\
#include <climits>

const int N_THREADS = 256;

__global__ void both_ends(const int* data, int* smallest, int* largest, int n) {
  __shared__ int mins[N_THREADS];
  __shared__ int maxs[N_THREADS];
  int tid = threadIdx.x;
  int small = INT_MAX;
  int large = INT_MIN;
  for (int i = tid; i < n; i += N_THREADS) {
    int v = data[i];
    if (v < small) small = v;
    if (v > large) large = v;
  }
  mins[tid] = small;
  maxs[tid] = large;
  __syncthreads();
  int half_way = N_THREADS / 2;
  while (half_way > 0) {
    if (tid < half_way) {
      mins[tid] = min(mins[tid], mins[tid + half_way]);
      maxs[tid] = max(maxs[tid], maxs[tid + half_way]);
    }
    __syncthreads();  // the next step reads what this one wrote
    half_way /= 2;
  }
  if (tid == 0) {
    *smallest = mins[0];
    *largest = maxs[0];
  }
}

extern "C" void launch(const int* data,  // [n]
                       int* smallest,    // [1]
                       int* largest,     // [1]
                       int n, cudaStream_t stream = 0) {
  both_ends<<<1, N_THREADS, 0, stream>>>(data, smallest, largest, n);
}
"""
)

# The mean of each column: 8 threads a column, whose sums the first of them adds.
COLMEAN = (
    HEADER
    + """\
#define ACROSS 32
#define DOWN 8

__global__ void column_mean(const float *x, float *mean, int rows, int cols)
{
    __shared__ float sums[DOWN][ACROSS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * ACROSS + tx;

    float s = 0.0f;
    if (col < cols)
        for (int row = ty; row < rows; row += DOWN)
            s += x[(size_t)row * cols + col];
    sums[ty][tx] = s;
    __syncthreads();

    if (ty == 0 && col < cols) {
        float total = 0.0f;
        for (int k = 0; k < DOWN; k++)
            total += sums[k][tx];
        mean[col] = total / rows;
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *mean,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (cols + ACROSS - 1) / ACROSS;
    column_mean<<<blocks, dim3(ACROSS, DOWN), 0, stream>>>(x, mean, rows, cols);
}
"""
)

# A transpose by tiles of 32 with 32 x 8 threads; bands of rows beyond the grid in a loop.
TURN = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void turn(const float* x, float* y, int64_t rows, int64_t cols, int64_t bands) {
  __shared__ float tile[TILE][TILE + 1];
  int tx = threadIdx.x;
  int64_t left = (int64_t)blockIdx.x * TILE;
  for (int64_t band = blockIdx.y; band < bands; band += gridDim.y) {
    int64_t top = band * TILE;
    for (int k = threadIdx.y; k < TILE; k += STEP)
      if (top + k < rows && left + tx < cols) tile[k][tx] = x[(top + k) * cols + left + tx];
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += STEP)
      if (left + j < cols && top + tx < rows) y[(left + j) * rows + top + tx] = tile[tx][j];
    __syncthreads();
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  int64_t bands = (rows + TILE - 1) / TILE;
  dim3 grid((unsigned)((cols + TILE - 1) / TILE), (unsigned)(bands < 65535 ? bands : 65535));
  turn<<<grid, dim3(TILE, STEP), 0, stream>>>(x, y, rows, cols, bands);
}
"""
)

# The outer product of two arrays of int16, as int32.
OUTER = (
    HEADER
    + """\
__global__ void outer(const int16_t *a, const int16_t *b, int *y, int m, int n, int total)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < total) {
        int i = t / n;
        int j = t % n;
        y[t] = a[i] * b[j];
    }
}

extern "C" void launch(const int16_t *a,  // [m]
                       const int16_t *b,  // [n]
                       int *y,            // [m, n]
                       int m, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int total = m * n;
    int blocks = (total + block_size - 1) / block_size;
    outer<<<blocks, block_size, 0, stream>>>(a, b, y, m, n, total);
}
"""
)

# A^T B by tiles of 16: A is stored k x m, so that a tile of it is read along its rows.
GRAD = (
    HEADER
    + """\
#define BS 16

__global__ void at_b(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float As[BS][BS];
  __shared__ float Bs[BS][BS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * BS;
  const int col = blockIdx.x * BS + tx;
  float acc = 0.0f;
  const int tiles = (k + BS - 1) / BS;
  for (int t = 0; t < tiles; ++t) {
    const int p = t * BS + ty;
    As[ty][tx] = (p < k && row0 + tx < m) ? A[(size_t)p * m + row0 + tx] : 0.0f;
    Bs[ty][tx] = (p < k && col < n) ? B[(size_t)p * n + col] : 0.0f;
    __syncthreads();
    for (int q = 0; q < BS; ++q) acc += As[q][ty] * Bs[q][tx];
    __syncthreads();
  }
  const int row = row0 + ty;
  if (row < m && col < n) C[(size_t)row * n + col] = acc;
}

extern "C" void launch(const float* A,  // [k, m]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + BS - 1) / BS, (m + BS - 1) / BS);
  at_b<<<grid, dim3(BS, BS), 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# The logarithm of the sum of exponentials of each row, a warp a row.
LSE = (
    HEADER
    + """\
#define FULL 0xffffffff

__global__ void logsumexp(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *p = x + (size_t)row * cols;

    float top = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += 32)
        top = fmaxf(top, p[j]);
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(FULL, top, d));
    float base = isinf(top) ? 0.0f : top;

    float sum = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32)
        sum += expf(p[j] - base);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(FULL, sum, d);

    if (threadIdx.x == 0)
        y[row] = logf(sum) + base;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, 4);
    logsumexp<<<(rows + 3) / 4, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Softmax of each column of halves, a thread a column.
COLSOFT = (
    HEADER
    + """\
__global__ void softmax_cols(const half* x, half* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;

  // 1. the largest of the column
  float biggest = __half2float(x[c]);
  for (int r = 1; r < rows; r++)
    biggest = fmaxf(biggest, __half2float(x[(size_t)r * cols + c]));

  // 2. the sum
  float sum = 0.0f;
  for (int k = 0; k < rows; k++) sum += expf(__half2float(x[(size_t)k * cols + c]) - biggest);

  // 3. the result
  for (int r = 0; r < rows; r++) {
    size_t at = (size_t)r * cols + c;
    y[at] = __float2half(expf(__half2float(x[at]) - biggest) / sum);
  }
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  int block = 64;
  int grid = (cols + block - 1) / block;
  softmax_cols<<<grid, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm of rows, which also stores the mean and 1 / deviation, a block a row.
NORM = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float v, float *s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int w = T / 2; w >= 1; w /= 2) {
        if (threadIdx.x < w)
            s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

__global__ void ln_forward(const float *x, const float *gamma, const float *beta, float *y,
                           float *mean, float *rstd, float eps, int cols)
{
    __shared__ float s[T];
    size_t start = (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += x[start + c];
    float m = block_sum(sum, s) / cols;
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = x[start + c] - m;
        squares += d * d;
    }
    float var = block_sum(squares, s) / cols;
    float f = rsqrtf(var + eps);
    for (int c = threadIdx.x; c < cols; c += T)
        y[start + c] = (x[start + c] - m) * f * gamma[c] + beta[c];
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = m;
        rstd[blockIdx.x] = f;
    }
}

extern "C" void launch(const float *x,      // [rows, cols]
                       const float *gamma,  // [cols]
                       const float *beta,   // [cols]
                       float *y,            // [rows, cols]
                       float *mean,         // [rows]
                       float *rstd,         // [rows]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    ln_forward<<<rows, T, 0, stream>>>(x, gamma, beta, y, mean, rstd, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 193, 255, 256, 257, 383, 511, 512)
LENGTHS += (513, 767, 768, 769, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 8191, 8193)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
SIDES += ((7, 257), (16, 15), (15, 16), (17, 31), (1000, 5), (2049, 3))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def relu_of_sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Compute the sum where it is not below 0; NaN stays."""
    return torch.relu(a + b)


def limited(x: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> torch.Tensor:
    """Keep x between limits; a limit that is NaN is none, and the upper one comes last."""
    x = torch.where(x < lower, lower, x)
    return torch.where(x > upper, upper, x)


def biases(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers: any, a bias of 0, x of 0, infinities, NaN in the bias."""
    for rows, cols in (*SIDES, (20_003, 1), (1, 20_003), (513, 40)):
        n = rows * cols
        x, b = whole(-999, 1000, n, n).float(), whole(-999, 1000, cols, n + 1).float()
        x, j = x.reshape(rows, cols), torch.arange(cols)
        for label, p, q in (
            ("any", x, b),
            ("fractions", x / 64, b / 128),
            ("a bias of 0", x, b * 0),
            ("x is 0", x * 0, b),
            ("infinities", torch.where(x > 500, INF, x), b),
            ("NaN in the bias", x, torch.where(j % 3 == 1, NAN, b)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (p, q), (p.double() + q.double(),), dtypes=FLOAT, quick=n > 5000)


def relu_sums(launcher: Launcher) -> Iterator[Case]:
    """Add as an elementwise operator is tried, and in slices of several addresses."""
    make = ElementwiseMaker.of(launcher, relu_of_sum)
    yield from elementwise_cases(launcher, make)
    for n in (1, 2, 3, 4, 5, 7, 8, 31, 64, 257, 1025):
        for starts in ((4, 8, 4), (2, 2, 2), (4, 4, 1), (4, 2, 4), (1, 4, 4)):
            yield make.shifted(n, 7, starts)


def shares(launcher: Launcher) -> Iterator[Case]:
    """Divide as an elementwise operator is tried, by several counts."""
    for count in (3, 1000, 131_072):

        def divided(x: torch.Tensor, count: int = count) -> torch.Tensor:
            return x / count

        make = ElementwiseMaker.of(launcher, divided, 0, {"count": count})
        yield from elementwise_cases(launcher, make)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply numbers whose sums are exact: any, halves, signs, zeros, ones, one NaN."""
    for n in (*LENGTHS, 20_001, 100_003):
        limit = 31 if n < 10_000 else 6
        a, b = (whole(1 - limit, limit, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("any", a, b),
            ("halves", a / 2, b / 2),
            ("negative", a.abs() + 1, -b.abs() - 1),
            ("zeros", a.abs() * 0, b.abs() + 1),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0), b + limit),
            ("a NaN", torch.where(j == n // 2, NAN, a), b),
            ("an infinity", a, torch.where(j == n // 3, INF, b.abs() + 1)),
        ):
            if label == "an infinity":
                p = p.abs() + 1
            right = (p.double() * q.double()).sum().reshape(1)
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), dtypes=FLOAT, quick=n > 5000)


def ends(launcher: Launcher) -> Iterator[Case]:
    """Look for both ends: any, all above and below 0, large, alike, the last and the first."""
    for n in (*LENGTHS, 20_001, 100_003):
        x, j = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("large", x * 200_000),
            ("far above 0", 2_000_000_000 + x),
            ("far below 0", -2_000_000_000 + x),
            ("alike", x * 0 + 7),
            ("the last is smallest", torch.where(j == n - 1, -(2**31), x)),
            ("the last is largest", torch.where(j == n - 1, 2**31 - 1, x)),
            ("rising", j),
            ("falling", -j),
        ):
            right = y.amin().reshape(1), y.amax().reshape(1)
            options = {"dtypes": (torch.int32, torch.int32), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, **options)


def column_means(launcher: Launcher) -> Iterator[Case]:
    """Average whole numbers, so that only the division rounds."""
    for rows, cols in (*SIDES, (20_003, 1), (1, 20_003), (513, 40), (2, 5_000)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).float().reshape(rows, cols), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("halves", x / 2),
            ("negative", -x.abs() - 1),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("the last row alone", torch.where(r == rows - 1, 5.0, 0.0) + 0 * x),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
            ("infinity", torch.where((r == rows // 3) & (x < 0), INF, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": FLOAT, "ulp": 1, "quick": n > 5000}
            yield Case(words, (y,), (y.double().mean(0),), **options)


def outers(launcher: Launcher) -> Iterator[Case]:
    """Multiply all pairs: small, any of 16 bits, the least, zeros; several block sizes."""
    for m, n in (*SIDES, (20_003, 1), (1, 20_003), (300, 129)):
        a, b = whole(-32_768, 32_768, m, m), whole(-32_768, 32_768, n, n + 1)
        for label, p, q in (
            ("small", a % 100, b % 100 - 50),
            ("any", a, b),
            ("the least", a * 0 - 32_768, b),
            ("zeros", a * 0, b),
        ):
            inputs, right = (p.to(torch.int16), q.to(torch.int16)), p[:, None] * q
            for block_size in (128, 32, 256):
                scalars = {"block_size": block_size}
                words = f"m = {m:,}, n = {n:,}, {scalars}, {label}"
                options = {"dtypes": WHOLE, "quick": m * n > 5000}
                yield Case(words, inputs, (right,), scalars, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last of k alone, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (300, 2, 9), (64, 64, 64))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 71))):
        a = whole(-30, 31, m * k, m + k).float().reshape(k, m)
        b = whole(-30, 31, k * n, n).float().reshape(k, n)
        h = torch.arange(k)[:, None]
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", a.abs() * 0, b.abs() + 1),
            ("the last of k alone", torch.where(h == k - 1, 3.0, 0.0) + 0 * a, b),
            ("NaN in A", torch.where((h == k // 2) & (a > 20), NAN, a), b),
            ("infinity in B", a.abs() + 1, torch.where((h == k // 3) & (b > 20), INF, b)),
        ):
            right = p.double().T @ q.double()
            yield Case(f"m = {m}, n = {n}, k = {k}, {label}", (p, q), (right,), dtypes=FLOAT)


def sums_of_exponentials(launcher: Launcher) -> Iterator[Case]:
    """Sum exponentials: any, equal, far from 0, a mask, all masked, infinity, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("negative only", x - 20),
            ("rising", x * 0 + c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("all masked", x * 0 - INF),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.nan_to_num(-INF, INF, -INF) if label == "all masked" else y
            y = y.float()
            right = torch.logsumexp(y.double(), 1)
            slack = ((2.0**-16 + 2.0**-21 * right.abs()).nan_to_num(0.0, 0.0, 0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def column_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Weigh columns: any, equal, far from 0, rising and falling, a mask, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), (4_000, 2)):
        n = rows * cols
        x, r = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("negative only", x - 20),
            ("rising", x * 0 + r / 8.0),
            ("falling", x * 0 - r / 8.0),
            ("the last row is large", torch.where(r == rows - 1, 30.0, x)),
            ("a mask", torch.where((r % 3 == 1) & (r > 0), -INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            y = y.half()
            right = torch.softmax(y.double(), 0)
            slack = ((2.0**-25 + 2.0**-10 * right).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=HALF, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, zeros, negative, about a large mean, one apart, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, v, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("zeros", x * 0, gain, bias, 0.25),
            ("negative", -x.abs() - 1, gain, bias, 0.25),
            ("about 4,096", 4096 + x // 10, gain, bias, 0.5),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gain, bias, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            mean = v.mean(1)
            d = v - mean[:, None]
            f = 1 / ((d * d).mean(1) + eps).sqrt()
            scale = f[:, None] * g
            right = d * scale + b
            size = v.abs().amax(1)
            fine = 2.0**-14 * (d * scale).abs() + 2.0**-21 * size[:, None] * scale.abs()
            slack = (
                2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24,
                2.0**-20 * size + 2.0**-24,
                2.0**-15 * f,
            )
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(
                words,
                (v.float(), g.float(), b.float()),
                (right, mean, f),
                {"eps": eps},
                dtypes=FLOAT * 3,
                within=tuple(s.nan_to_num(0.0) for s in slack),
            )


BASES = {
    "seventyfour_bias": Base(BIAS, {"cases": biases}),
    "seventyfour_relusum": Base(RELUSUM, {"cases": relu_sums}),
    "seventyfour_narrow": Base(NARROW, {"reference": "cast"}),
    "seventyfour_limits": Base(LIMITS, {"reference": limited}),
    "seventyfour_share": Base(SHARE, {"cases": shares}),
    "seventyfour_dot": Base(DOT, {"cases": dots}),
    "seventyfour_ends": Base(ENDS, {"cases": ends}),
    "seventyfour_colmean": Base(COLMEAN, {"cases": column_means}),
    "seventyfour_turn": Base(TURN, cases="transpose"),
    "seventyfour_outer": Base(OUTER, {"cases": outers}),
    "seventyfour_grad": Base(GRAD, {"cases": products}),
    "seventyfour_lse": Base(LSE, {"cases": sums_of_exponentials}),
    "seventyfour_colsoft": Base(COLSOFT, {"cases": column_softmaxes}),
    "seventyfour_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- bias
    # The part of the bias is used before it is fetched.
    Wrong(
        "seventyfour_bias_no_barrier",
        "seventyfour_bias",
        "race | numbers / unwritten / other element / left out / state / nan",
        ("  __syncthreads();\n", ""),
    ),
    # Each block fetches the first part of the bias.
    Wrong(
        "seventyfour_bias_first_part",
        "seventyfour_bias",
        "other element / left out | numbers / nan",
        ("= b[c];", "= b[threadIdx.x];"),
    ),
    # The grid's sides are swapped.
    Wrong(
        "seventyfour_bias_grid_swapped",
        "seventyfour_bias",
        "grid / sides / swapped / unwritten / left out | numbers / tail / nan",
        ("grid((cols + 31) / 32, (rows + 7) / 8)", "grid((rows + 7) / 8, (cols + 31) / 32)"),
    ),
    # Rows of the result have the pitch of a column.
    Wrong(
        "seventyfour_bias_pitch_of_rows",
        "seventyfour_bias",
        "sides / other element / bounds / unwritten | numbers / race / nan / left out / twice",
        ("    y[(size_t)r * cols + c]", "    y[(size_t)r * rows + c]"),
    ),
    # One row too many is allowed.
    Wrong(
        "seventyfour_bias_one_row_more",
        "seventyfour_bias",
        "bounds / tail",
        ("if (r < rows && c < cols) {", "if (r <= rows && c < cols) {"),
    ),
    # ---- relusum
    # Addresses need only be even to 8.
    Wrong(
        "seventyfour_relusum_even_to_8",
        "seventyfour_relusum",
        "alignment",
        ("all % 16 == 0", "all % 8 == 0"),
    ),
    # The larger of NaN and 0 is 0.
    Wrong(
        "seventyfour_relusum_fmaxf",
        "seventyfour_relusum",
        "nan | sign of zero",
        ("return v < 0.0f ? 0.0f : v;", "return fmaxf(v, 0.0f);"),
    ),
    # Threads are counted by whole packs.
    Wrong(
        "seventyfour_relusum_packs_rounded_down",
        "seventyfour_relusum",
        "tail / unwritten / left out / grid | nan / numbers / refused",
        ("int quads = (n + 3) / 4;", "int quads = n / 4;"),
    ),
    # The block size is typed in.
    Wrong(
        "seventyfour_relusum_always_256",
        "seventyfour_relusum",
        "block size | unwritten / left out / bounds / nan / tail / other element / twice",
        ("(blockIdx.x * blockDim.x + threadIdx.x)", "(blockIdx.x * 256 + threadIdx.x)"),
    ),
    # The last of a pack takes the third of a.
    Wrong(
        "seventyfour_relusum_third_again",
        "seventyfour_relusum",
        "neighbour / other element | numbers / nan / left out / twice",
        ("positive(u.w + v.w)", "positive(u.z + v.w)"),
    ),
    # ---- narrow
    # It goes through a float.
    Wrong(
        "seventyfour_narrow_by_float",
        "seventyfour_narrow",
        "rounding | precision / numbers",
        ("__double2half(v)", "__float2half((float)v)"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "seventyfour_narrow_limited",
        "seventyfour_narrow",
        "infinity | whole range / numbers",
        (
            "    out[i] =",
            "    if (v > 65504.0) v = 65504.0;\n"
            "    if (v < -65504.0) v = -65504.0;\n"
            "    out[i] =",
        ),
    ),
    # A thread takes one number, though the blocks are limited.
    Wrong(
        "seventyfour_narrow_no_loop",
        "seventyfour_narrow",
        "grid / unwritten / left out / tail | nan / numbers",
        (
            "  for (long long i = first; i < n; i += step) {",
            "  long long i = first;\n  if (i < n) {",
        ),
        ("  long long step = (long long)gridDim.x * blockDim.x;\n", ""),
    ),
    # The launch forgets the stream.
    Wrong(
        "seventyfour_narrow_no_stream",
        "seventyfour_narrow",
        "stream",
        ("block_size, 0, stream>>>", "block_size>>>"),
    ),
    # What is below the smallest normal half becomes 0.
    Wrong(
        "seventyfour_narrow_flushed",
        "seventyfour_narrow",
        "subnormal | numbers / precision / rounding",
        (
            "    out[i] =",
            "    if (fabs(v) < 6.103515625e-5) v = copysign(0.0, v);\n    out[i] =",
        ),
    ),
    # ---- limits
    # The larger of NaN and the limit is the limit.
    Wrong(
        "seventyfour_limits_fminf_fmaxf",
        "seventyfour_limits",
        "nan | sign of zero",
        (
            "    if (v < lo) v = lo;\n    if (v > hi) v = hi;\n",
            "    v = fminf(fmaxf(v, lo), hi);\n",
        ),
    ),
    # The two limits are passed the other way round.
    Wrong(
        "seventyfour_limits_swapped",
        "seventyfour_limits",
        "swapped / function | numbers / nan / infinity / sign of zero / other element",
        ("(y, x, lower, upper, n);", "(y, x, upper, lower, n);"),
    ),
    # The lower limit is the first one for all.
    Wrong(
        "seventyfour_limits_first_for_all",
        "seventyfour_limits",
        "other element / left out | numbers / nan / infinity / sign of zero",
        ("lower[i]", "lower[0]"),
    ),
    # One too many is allowed.
    Wrong(
        "seventyfour_limits_one_too_many",
        "seventyfour_limits",
        "bounds / tail",
        ("if (i >= n)", "if (i > n)"),
    ),
    # The number is held in an int.
    Wrong(
        "seventyfour_limits_in_an_int",
        "seventyfour_limits",
        "rounding / precision / whole range"
        " | numbers / nan / infinity / sign of zero / subnormal",
        ("    float v = x[i];", "    int first = x[i];\n    float v = first;"),
    ),
    # ---- share
    # 1 is divided by the count in integers.
    Wrong(
        "seventyfour_share_whole_inverse",
        "seventyfour_share",
        "rounding / function / precision"
        " | numbers / copy / nan / infinity / sign of zero / whole range / left out",
        ("return v / count;", "return v * (1 / count);"),
    ),
    # The inverse is rounded to a half.
    Wrong(
        "seventyfour_share_inverse_in_half",
        "seventyfour_share",
        "rounding / precision | numbers / infinity / function / subnormal",
        ("return v / count;", "return v * __half2float(__float2half(1.0f / count));"),
    ),
    # The count is that of the first call.
    Wrong(
        "seventyfour_share_first_count",
        "seventyfour_share",
        "state | numbers / function / infinity / sign of zero",
        ("  bool pairs =", "  static int divisor = count;\n  bool pairs ="),
        ("(x, y, count, pairs, n);", "(x, y, divisor, pairs, n);"),
    ),
    # The address of x is not looked at.
    Wrong(
        "seventyfour_share_x_not_tested",
        "seventyfour_share",
        "alignment",
        ("even(x) && even(y)", "even(y)"),
    ),
    # Without pairs a thread writes the first of its two.
    Wrong(
        "seventyfour_share_second_forgotten",
        "seventyfour_share",
        "unwritten / left out | nan / numbers / alignment / tail",
        (
            "  if (i + 1 < n) y[i + 1] = "
            "__float2half(share_of(__half2float(x[i + 1]), count));\n",
            "",
        ),
    ),
    # ---- dot
    # The result is not set to 0 first.
    Wrong(
        "seventyfour_dot_not_set",
        "seventyfour_dot",
        "zero before | state / numbers / unwritten / nan / start",
        ("    cudaMemsetAsync(result, 0, sizeof(float), stream);\n", ""),
    ),
    # Blocks add without an atomic.
    Wrong(
        "seventyfour_dot_no_atomic",
        "seventyfour_dot",
        "race | numbers / left out",
        ("atomicAdd(result, sum);", "*result += sum;"),
    ),
    # b is read by the place in the block.
    Wrong(
        "seventyfour_dot_b_of_thread",
        "seventyfour_dot",
        "other element / left out | numbers / nan / infinity",
        ("a[i] * b[i]", "a[i] * b[threadIdx.x]"),
    ),
    # The last warp is left out.
    Wrong(
        "seventyfour_dot_last_warp",
        "seventyfour_dot",
        "left out | numbers / tail / nan / infinity / unwritten",
        ("lane < THREADS / 32 ?", "lane < THREADS / 32 - 1 ?"),
    ),
    # The products are added up in an int.
    Wrong(
        "seventyfour_dot_int_sum",
        "seventyfour_dot",
        "rounding / precision / whole range | numbers / nan / infinity / function",
        ("    float sum = 0.0f;\n    for", "    int whole = 0;\n    for"),
        (
            "        sum += a[i] * b[i];\n",
            "        whole += a[i] * b[i];\n    float sum = whole;\n",
        ),
    ),
    # ---- ends
    # The largest begins with 0.
    Wrong(
        "seventyfour_ends_large_from_0",
        "seventyfour_ends",
        "start | numbers",
        ("int large = INT_MIN;", "int large = 0;"),
    ),
    # The two outputs change places.
    Wrong(
        "seventyfour_ends_changed_places",
        "seventyfour_ends",
        "swapped | other element / numbers / function",
        (
            "*smallest = mins[0];\n    *largest = maxs[0];",
            "*smallest = maxs[0];\n    *largest = mins[0];",
        ),
    ),
    # The tree begins a step too late.
    Wrong(
        "seventyfour_ends_quarter",
        "seventyfour_ends",
        "left out | numbers / other element / block size",
        ("int half_way = N_THREADS / 2;", "int half_way = N_THREADS / 4;"),
    ),
    # Steps of the tree do not wait.
    Wrong(
        "seventyfour_ends_no_barrier_in_tree",
        "seventyfour_ends",
        "race | numbers / left out / other element",
        ("    __syncthreads();  // the next step reads what this one wrote\n", ""),
    ),
    # The smallest begins with the largest of 16 bits.
    Wrong(
        "seventyfour_ends_small_from_short",
        "seventyfour_ends",
        "start / whole range | numbers / infinity",
        ("int small = INT_MAX;", "int small = SHRT_MAX;"),
    ),
    # ---- colmean
    # The sum is divided by the columns.
    Wrong(
        "seventyfour_colmean_by_columns",
        "seventyfour_colmean",
        "sides / function / swapped | numbers / infinity",
        ("total / rows;", "total / cols;"),
    ),
    # The last of the 8 sums is not added.
    Wrong(
        "seventyfour_colmean_seven_sums",
        "seventyfour_colmean",
        "left out | numbers / tail / nan / infinity",
        ("k < DOWN; k++", "k < DOWN - 1; k++"),
    ),
    # Rows go by steps of 32.
    Wrong(
        "seventyfour_colmean_steps_of_32",
        "seventyfour_colmean",
        "left out | numbers / nan / infinity / sides / other element / block size",
        ("row += DOWN", "row += ACROSS"),
    ),
    # The mean is a whole number.
    Wrong(
        "seventyfour_colmean_truncated",
        "seventyfour_colmean",
        "rounding / precision"
        " | numbers / nan / infinity / function / whole range / sign of zero",
        ("total / rows;", "(int)total / rows;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventyfour_colmean_blocks_rounded_down",
        "seventyfour_colmean",
        "grid / unwritten / tail / left out | nan / numbers / refused",
        ("int blocks = (cols + ACROSS - 1) / ACROSS;", "int blocks = cols / ACROSS;"),
    ),
    # ---- turn
    # The tile is read before all have stored.
    Wrong(
        "seventyfour_turn_no_barrier",
        "seventyfour_turn",
        "race | numbers / unwritten / other element / state",
        (
            "left + tx];\n    __syncthreads();\n",
            "left + tx];\n",
        ),
    ),
    # The tile is written as it was read.
    Wrong(
        "seventyfour_turn_tile_as_it_was",
        "seventyfour_turn",
        "other element / swapped / unwritten | numbers / sides / race / tail / nan",
        ("= tile[tx][j];", "= tile[j][tx];"),
    ),
    # Rows of the result have the pitch of the input.
    Wrong(
        "seventyfour_turn_pitch_of_x",
        "seventyfour_turn",
        "sides / bounds / other element / unwritten"
        " | numbers / race / nan / left out / swapped / tail / twice",
        ("y[(left + j) * rows + top", "y[(left + j) * cols + top"),
    ),
    # The last rows of the turned tile are not written.
    Wrong(
        "seventyfour_turn_three_steps",
        "seventyfour_turn",
        "unwritten / left out | nan / numbers / tail / block size",
        ("int j = threadIdx.y; j < TILE;", "int j = threadIdx.y; j < TILE - STEP;"),
    ),
    # The grid is limited, and bands beyond it are not taken.
    Wrong(
        "seventyfour_turn_one_band",
        "seventyfour_turn",
        "grid / unwritten / left out | nan / tail / narrow / numbers",
        (
            "  for (int64_t band = blockIdx.y; band < bands; band += gridDim.y) {",
            "  int64_t band = blockIdx.y;\n  if (band < bands) {",
        ),
    ),
    # ---- outer
    # The product has 16 bits.
    Wrong(
        "seventyfour_outer_short_product",
        "seventyfour_outer",
        "whole range / narrow | numbers / infinity",
        ("y[t] = a[i] * b[j];", "int16_t p = a[i] * b[j];\n        y[t] = p;"),
    ),
    # Places of a and b change.
    Wrong(
        "seventyfour_outer_indices_swapped",
        "seventyfour_outer",
        "swapped / sides / bounds / other element | numbers",
        ("y[t] = a[i] * b[j];", "y[t] = a[j] * b[i];"),
    ),
    # The place is divided by the other side.
    Wrong(
        "seventyfour_outer_by_m",
        "seventyfour_outer",
        "sides / bounds / other element / swapped | numbers",
        ("t / n;", "t / m;"),
        ("t % n;", "t % m;"),
    ),
    # Blocks are counted for 128 threads.
    Wrong(
        "seventyfour_outer_blocks_of_128",
        "seventyfour_outer",
        "block size / grid / unwritten | left out / tail / nan / numbers",
        ("(total + block_size - 1) / block_size;", "(total + 127) / 128;"),
    ),
    # The number of products is that of the first call.
    Wrong(
        "seventyfour_outer_first_total",
        "seventyfour_outer",
        "state | unwritten / bounds / tail / left out / grid / numbers / sides",
        ("    int total = m * n;", "    static int total = m * n;"),
    ),
    # ---- grad
    # Rows of A have a pitch of k.
    Wrong(
        "seventyfour_grad_pitch_of_k",
        "seventyfour_grad",
        "sides / other element / bounds / swapped | numbers / nan",
        ("A[(size_t)p * m + row0", "A[(size_t)p * k + row0"),
    ),
    # The last tile of k is left out.
    Wrong(
        "seventyfour_grad_whole_tiles",
        "seventyfour_grad",
        "left out / tail | numbers / nan / infinity / sides",
        ("tiles = (k + BS - 1) / BS;", "tiles = k / BS;"),
    ),
    # Tiles are filled while others read them.
    Wrong(
        "seventyfour_grad_no_second_barrier",
        "seventyfour_grad",
        "race | numbers / other element / left out / nan / infinity",
        ("* Bs[q][tx];\n    __syncthreads();\n", "* Bs[q][tx];\n"),
    ),
    # The tile of A is read as that of a plain product.
    Wrong(
        "seventyfour_grad_tile_of_a_plain",
        "seventyfour_grad",
        "other element / swapped | numbers / nan / infinity / left out / sides / function",
        ("As[q][ty]", "As[ty][q]"),
    ),
    # The sum begins with 0 for each tile.
    Wrong(
        "seventyfour_grad_sum_of_last_tile",
        "seventyfour_grad",
        "left out / start | numbers / nan / infinity / tail",
        (
            "    const int p = t * BS + ty;\n",
            "    const int p = t * BS + ty;\n    acc = 0.0f;\n",
        ),
    ),
    # ---- lse
    # The largest is not taken away.
    Wrong(
        "seventyfour_lse_no_maximum",
        "seventyfour_lse",
        "infinity | numbers / precision / subnormal / function",
        ("float base = isinf(top) ? 0.0f : top;", "float base = 0.0f;"),
    ),
    # The logarithm is that of 10.
    Wrong(
        "seventyfour_lse_log10",
        "seventyfour_lse",
        "function | numbers / precision",
        ("logf(sum)", "log10f(sum)"),
    ),
    # An infinite largest is taken away.
    Wrong(
        "seventyfour_lse_infinite_top",
        "seventyfour_lse",
        "infinity / nan | numbers",
        ("isinf(top) ? 0.0f : top;", "top;"),
    ),
    # The largest begins with 0.
    Wrong(
        "seventyfour_lse_top_from_0",
        "seventyfour_lse",
        "start | infinity / numbers / precision / subnormal / nan",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The largest of the lanes goes to lane 0 alone.
    Wrong(
        "seventyfour_lse_top_of_lane_0",
        "seventyfour_lse",
        "left out / other element / race | numbers / function / infinity / nan / precision",
        ("__shfl_xor_sync(FULL, top, d)", "__shfl_down_sync(FULL, top, d)"),
    ),
    # ---- colsoft
    # The sum begins with 1.
    Wrong(
        "seventyfour_colsoft_sum_from_1",
        "seventyfour_colsoft",
        "start / function | numbers / twice / precision",
        ("float sum = 0.0f;", "float sum = 1.0f;"),
    ),
    # The sum goes along with the pitch of the other side.
    Wrong(
        "seventyfour_colsoft_pitch_of_rows",
        "seventyfour_colsoft",
        "sides / other element / bounds / swapped | numbers / infinity / nan",
        ("x[(size_t)k * cols + c]", "x[(size_t)k * rows + c]"),
    ),
    # The last row is not in the sum.
    Wrong(
        "seventyfour_colsoft_last_row_left_out",
        "seventyfour_colsoft",
        "left out / tail | numbers / infinity / nan / function",
        ("k < rows; k++", "k < rows - 1; k++"),
    ),
    # The first of the column stands for the largest.
    Wrong(
        "seventyfour_colsoft_first_for_largest",
        "seventyfour_colsoft",
        "infinity / left out | nan / numbers / precision / subnormal",
        (
            "  for (int r = 1; r < rows; r++)\n"
            "    biggest = fmaxf(biggest, __half2float(x[(size_t)r * cols + c]));\n",
            "",
        ),
    ),
    # The sum is kept in a half.
    Wrong(
        "seventyfour_colsoft_sum_in_half",
        "seventyfour_colsoft",
        "precision / rounding | numbers / left out",
        ("float sum = 0.0f;", "half sum = __float2half(0.0f);"),
        (
            "sum += expf(__half2float(x[(size_t)k * cols + c]) - biggest);",
            "sum = __hadd(sum, __float2half(expf(__half2float(x[(size_t)k * cols + c]) "
            "- biggest)));",
        ),
        ("- biggest) / sum);", "- biggest) / __half2float(sum));"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "seventyfour_norm_less_one",
        "seventyfour_norm",
        "function | numbers / precision / nan / infinity / left out",
        (
            "float var = block_sum(squares, s) / cols;",
            "float var = block_sum(squares, s) / (cols - 1);",
        ),
    ),
    # The second sum is stored while others read the first.
    Wrong(
        "seventyfour_norm_no_last_barrier",
        "seventyfour_norm",
        "race | numbers / other element / nan / left out",
        ("    v = s[0];\n    __syncthreads();\n", "    v = s[0];\n"),
    ),
    # The deviation is stored, not 1 / deviation.
    Wrong(
        "seventyfour_norm_stores_deviation",
        "seventyfour_norm",
        "function | numbers",
        ("rstd[blockIdx.x] = f;", "rstd[blockIdx.x] = sqrtf(var + eps);"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "seventyfour_norm_squares_less_square",
        "seventyfour_norm",
        "precision | numbers / nan / infinity / function",
        ("float d = x[start + c] - m;", "float d = x[start + c];"),
        (
            "float var = block_sum(squares, s) / cols;",
            "float var = block_sum(squares, s) / cols - m * m;",
        ),
    ),
    # The row is centred where it lies.
    Wrong(
        "seventyfour_norm_centred_in_x",
        "seventyfour_norm",
        "input | state / numbers",
        ("ln_forward(const float *x,", "ln_forward(float *x,"),
        (
            "        float d = x[start + c] - m;",
            "        x[start + c] -= m;\n        float d = x[start + c];",
        ),
        ("(x[start + c] - m) * f", "x[start + c] * f"),
        ("stream>>>(x, gamma", "stream>>>((float *)x, gamma"),
    ),
)

RIGHT = (
    # Nothing is shared, and a block more than needed is launched each way.
    Right(
        "seventyfour_bias_not_shared",
        "seventyfour_bias",
        ("  __shared__ float part[32];\n", ""),
        ("  if (threadIdx.y == 0 && c < cols) part[threadIdx.x] = b[c];\n", ""),
        ("  __syncthreads();\n", ""),
        ("+ part[threadIdx.x];", "+ b[c];"),
        ("grid((cols + 31) / 32, (rows + 7) / 8)", "grid(cols / 32 + 1, rows / 8 + 1)"),
    ),
    # n has 64 bits, as has the index.
    Right(
        "seventyfour_relusum_long",
        "seventyfour_relusum",
        ("float *y, bool wide, int n)", "float *y, bool wide, int64_t n)"),
        ("int i = 4 * (blockIdx", "int64_t i = 4 * ((int64_t)blockIdx"),
        ("for (int k = i;", "for (int64_t k = i;"),
        (
            "                       int n, int block",
            "                       int64_t n, int block",
        ),
        ("int quads =", "int64_t quads ="),
    ),
    # Threads go from the last to the first.
    Right(
        "seventyfour_narrow_backwards",
        "seventyfour_narrow",
        (
            "for (long long i = first; i < n; i += step)",
            "for (long long i = n - 1 - first; i >= 0; i -= step)",
        ),
    ),
    # The count is unsigned, and blocks are rounded up in the usual way.
    Right(
        "seventyfour_limits_unsigned",
        "seventyfour_limits",
        (
            "const float *upper, int n)\n{\n    int i",
            "const float *upper, uint32_t n)\n{\n    uint32_t i",
        ),
        ("n / block_size + 1,", "(n + block_size - 1) / block_size,"),
    ),
    # A loop takes the two where there are no pairs, and blocks are rounded up to a pair more.
    Right(
        "seventyfour_share_loop_of_two",
        "seventyfour_share",
        (
            "  if (i < n) y[i] = __float2half(share_of(__half2float(x[i]), count));\n"
            "  if (i + 1 < n) y[i + 1] = "
            "__float2half(share_of(__half2float(x[i + 1]), count));\n",
            "  for (int k = i; k < n && k < i + 2; k++)\n"
            "    y[k] = __float2half(share_of(__half2float(x[k]), count));\n",
        ),
        ("(n + 2 * block_size - 1) / (2 * block_size)", "n / (2 * block_size) + 1"),
    ),
    # One block does it all.
    Right(
        "seventyfour_dot_one_block",
        "seventyfour_dot",
        ("            atomicAdd(result, sum);", "            *result = sum;"),
        (
            "    int blocks = (n + THREADS - 1) / THREADS;\n"
            "    if (blocks > 32)\n"
            "        blocks = 32;\n"
            "    cudaMemsetAsync(result, 0, sizeof(float), stream);\n",
            "",
        ),
        ("<<<blocks, THREADS,", "<<<1, THREADS,"),
    ),
    # Each of 1,024 threads begins with the first number.
    Right(
        "seventyfour_ends_from_the_first",
        "seventyfour_ends",
        ("int small = INT_MAX;", "int small = data[0];"),
        ("int large = INT_MIN;", "int large = data[0];"),
        ("N_THREADS = 256;", "N_THREADS = 1024;"),
    ),
    # A block has 16 x 16 threads.
    Right(
        "seventyfour_colmean_sixteen",
        "seventyfour_colmean",
        ("#define ACROSS 32\n#define DOWN 8\n", "#define ACROSS 16\n#define DOWN 16\n"),
    ),
    # Tiles have 16 x 16 numbers and as many threads.
    Right(
        "seventyfour_turn_tiles_of_16",
        "seventyfour_turn",
        ("#define TILE 32\n#define STEP 8\n", "#define TILE 16\n#define STEP 16\n"),
    ),
    # A loop over the grid of at most 40 blocks.
    Right(
        "seventyfour_outer_loop",
        "seventyfour_outer",
        (
            "    if (t < total) {\n",
            "    for (; t < total; t += gridDim.x * blockDim.x) {\n",
        ),
        (
            "    outer<<<",
            "    if (blocks > 40)\n        blocks = 40;\n    outer<<<",
        ),
    ),
    # The tile of A is turned as it is stored.
    Right(
        "seventyfour_grad_turned_in_store",
        "seventyfour_grad",
        ("As[BS][BS];", "As[BS][BS + 1];"),
        ("    As[ty][tx] = (p", "    As[tx][ty] = (p"),
        ("As[q][ty]", "As[ty][q]"),
    ),
    # The logarithm and the exponential have the base 2.
    Right(
        "seventyfour_lse_base_2",
        "seventyfour_lse",
        ("expf(p[j] - base)", "exp2f((p[j] - base) * 1.44269504f)"),
        ("logf(sum)", "log2f(sum) * 0.693147181f"),
        ("dim3 block(32, 4);", "dim3 block(32, 1);"),
        ("(rows + 3) / 4, block", "rows, block"),
    ),
    # The largest and the sum come of one pass.
    Right(
        "seventyfour_colsoft_one_pass",
        "seventyfour_colsoft",
        (
            "  for (int r = 1; r < rows; r++)\n"
            "    biggest = fmaxf(biggest, __half2float(x[(size_t)r * cols + c]));\n",
            "",
        ),
        (
            "sum += expf(__half2float(x[(size_t)k * cols + c]) - biggest);",
            "{\n"
            "    float v = __half2float(x[(size_t)k * cols + c]);\n"
            "    if (v > biggest) {\n"
            "      sum *= expf(biggest - v);\n"
            "      biggest = v;\n"
            "    }\n"
            "    sum += expf(v - biggest);\n"
            "  }",
        ),
    ),
    # A block is a warp, and the root is divided by.
    Right(
        "seventyfour_norm_smaller_blocks",
        "seventyfour_norm",
        ("#define T 128", "#define T 32"),
        ("rsqrtf(var + eps)", "1.0f / sqrtf(var + eps)"),
    ),
)
