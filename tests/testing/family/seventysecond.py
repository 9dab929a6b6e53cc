"""Hold a seventy-second family: the plain operators of a course, and what goes wrong in them.

Its bases are sums of ints, sums of bytes that stop at 255, the distance between two arrays,
bfloat16 to half, softplus, the smallest of an array, sums of columns, the lengths of rows, the
place of the smallest of each row, a transpose of integers of 64 bits, a transposed matrix times
a vector, alpha A B + beta C, softmax with a temperature, and layer norm in one pass. They have
21 to 44 lines, in two hands, and use packs of four where all addresses allow them, a loop over
the grid, half2 with an odd one, a number a thread, float4 with a rest, atomics on the bits of
floats, a tile of 32 x 8, a warp a row, a tree of values and places, a tile of 16 x 16, a column
a thread with atomics between blocks, tiles of both matrices, shared memory as large as the
block, and means and squares that shuffles join. Six take the cases of `elementwise_cases` or
`kernel_cases`, the others have some of their own. Their mistakes are spread over alignment,
sizes, grids, block sizes, integers of 8, 16 and 32 bits, values, rounding, NaN, infinity, the
sign of zero, inputs that are written, sums, starts, transposes, products, order, streams and
what is left of an earlier call. The causes were written before a member was judged. On the
emulator each was run and compared as a case does, called twice on the same tensors, with NaN
and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of their
pages, the bytes behind them and their inputs looked at afterwards, on a stream that is not the
default one, with threads in order, from the last to the first and in a random order, and in the
slices that the cases name. Bases and right ones ran all cases; wrong ones until they were wrong
often enough. nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are
right, and all others wrong or refused by a fault, but `seventytwo_atx_no_atomic`, of which
blocks never ran at once:

    seventytwo_ints_two_of_three            from 4 numbers on, by the address of c alone
    seventytwo_ints_by_floats               of numbers or sums beyond 24 bits
    seventytwo_ints_three_are_a_pack        if 3 numbers are left and addresses allow packs
    seventytwo_ints_packs_rounded_down      below 4 numbers, or if whole packs fill all blocks
    seventytwo_ints_each_no_stream          on another stream, where packs are not allowed
    seventytwo_bytes_sum_of_a_byte          of sums beyond 255
    seventytwo_bytes_256_passes             of sums of 256
    seventytwo_bytes_stride_of_256          from 129 blocks on, of less than 256 threads
    seventytwo_bytes_no_loop                from 129 blocks on
    seventytwo_bytes_one_too_many           of all sizes but 0
    seventytwo_gap_b_anywhere               from 2 numbers on, by the address of b
    seventytwo_gap_odd_one_forgotten        of odd sizes
    seventytwo_gap_sign_by_test             of -0.0 less 0.0, in pairs
    seventytwo_gap_larger_less_smaller      of NaN beside a number, in pairs
    seventytwo_gap_kept_in_a                from 2 numbers on: a is overwritten
    seventytwo_tohalf_toward_zero           of what a half does not hold exactly
    seventytwo_tohalf_clamped               of infinities, of what becomes one, and of NaN
    seventytwo_tohalf_small_are_0           below 2^-14
    seventytwo_tohalf_blocks_rounded_down   unless 256 divides n
    seventytwo_tohalf_blocks_of_128         from 385 numbers on
    seventytwo_softplus_one_formula         from about 89 on
    seventytwo_softplus_1_added_first       below 0, by more the farther
    seventytwo_softplus_rest_by_thread      from 5 numbers on, unless 4 divides n
    seventytwo_softplus_y_anywhere          from 4 numbers on, by the address of y
    seventytwo_softplus_sign_lost           above 0
    seventytwo_least_plain_bits             if two or more are below 0
    seventytwo_least_starts_at_0            if all are above 0
    seventytwo_least_no_barrier             where threads do not wait for another
    seventytwo_least_not_set                by what is there, from an earlier call or another
    seventytwo_least_end_no_stream          on another stream than the default one
    seventytwo_columns_four_of_eight        from 5 rows on
    seventytwo_columns_pitch_of_rows        unless there is one row, or as many as columns
    seventytwo_columns_no_barrier           where threads do not wait for another
    seventytwo_columns_rows_by_eights       unless 8 divides the rows
    seventytwo_columns_added                unless the result is 0 before the call
    seventytwo_length_squares_of_halves     of squares that are no halves, or beyond them
    seventytwo_length_no_root               of nearly all
    seventytwo_length_one_row_too_many      unless 4 divides the rows
    seventytwo_length_columns_by_32         unless 32 divides the columns
    seventytwo_length_first_of_block        from 2 rows on
    seventytwo_argmin_equal_ones            by which threads have the smallest, if it is twice
    seventytwo_argmin_starts_at_0           of rows without a number below 0
    seventytwo_argmin_rows_of_threads       from 2 rows on, unless they have 128 columns
    seventytwo_argmin_half_a_tree           from 65 columns on
    seventytwo_argmin_short_places          beyond the place 32,767
    seventytwo_turn_tile_not_turned         of nearly all
    seventytwo_turn_pitch_of_cols           unless rows and columns are as many
    seventytwo_turn_grid_swapped            unless the tiles are as many each way
    seventytwo_turn_tile_of_ints            beyond 32 bits
    seventytwo_turn_old_test                unless 16 divides both sides, or of small squares
    seventytwo_atx_not_set                  unless the result is 0 before the call
    seventytwo_atx_no_atomic                from 33 rows on, where blocks run at once
    seventytwo_atx_set_no_stream            on another stream than the default one
    seventytwo_atx_pitch_of_m               unless there is one row, or as many as columns
    seventytwo_atx_first_of_x               from 33 rows on
    seventytwo_gemm_tile_turned             of nearly all
    seventytwo_gemm_factors_swapped         unless both are alike
    seventytwo_gemm_whole_tiles             unless 16 divides k
    seventytwo_gemm_b_not_tested            unless 16 divides k
    seventytwo_gemm_no_second_barrier       from k = 17 on, where threads do not wait
    seventytwo_warm_no_maximum              of rows far above or below 0
    seventytwo_warm_temperature_multiplies  from 2 columns on, unless the temperature is 1
    seventytwo_warm_starts_at_0             of rows far below 0
    seventytwo_warm_memory_of_128           of blocks of more than 128 threads
    seventytwo_warm_kept_in_x               of all: x is overwritten
    seventytwo_welford_one_less             of nearly all
    seventytwo_welford_eps_outside          of rows whose numbers are small
    seventytwo_welford_means_apart          unless the numbers of a row are alike
    seventytwo_welford_half_the_lanes       from 17 columns on
    seventytwo_welford_row_of_16_bits       from 65,537 rows on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Sums of ints: packs of four where all addresses allow it, single ones elsewhere.
INTS = (
    HEADER
    + """\
__device__ int plus(int u, int w) { return u + w; }

static bool round16(const void* p) { return ((uintptr_t)p & 15) == 0; }

__global__ void add_packs(const int* a, const int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 4 <= n) {
    int4 u = ((const int4*)a)[i];
    int4 w = ((const int4*)b)[i];
    ((int4*)c)[i] = make_int4(plus(u.x, w.x), plus(u.y, w.y), plus(u.z, w.z), plus(u.w, w.w));
  } else {
    for (int j = 4 * i; j < n; j++) c[j] = plus(a[j], b[j]);
  }
}

__global__ void add_each(const int* a, const int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = plus(a[i], b[i]);
}

extern "C" void launch(const int* a,  // [n]
                       const int* b,  // [n]
                       int* c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  if (round16(a) && round16(b) && round16(c)) {
    int packs = (n + 3) / 4;
    int blocks = (packs + block_size - 1) / block_size;
    add_packs<<<blocks, block_size, 0, stream>>>(a, b, c, n);
  } else {
    int blocks = (n + block_size - 1) / block_size;
    add_each<<<blocks, block_size, 0, stream>>>(a, b, c, n);
  }
}
"""
)

# Sums of bytes that stop at 255, in a loop over the grid.
BYTES = (
    HEADER
    + """\
__global__ void brighten(const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t n)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned int s = a[i] + b[i];
        out[i] = s > 255 ? 255 : s;
    }
}

extern "C" void launch(const uint8_t *a,  // [n]
                       const uint8_t *b,  // [n]
                       uint8_t *out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 128)
        blocks = 128;
    brighten<<<(unsigned)blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Distances between halves, two a thread; the first thread takes the odd one.
GAP = (
    HEADER
    + """\
__device__ half2 gap_of(half2 u, half2 v) {
  half2 w = __hsub2(u, v);
  return __halves2half2(__habs(__low2half(w)), __habs(__high2half(w)));
}

__global__ void gap(const half* a, const half* b, half* d, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n / 2) {
    half2 u = ((const half2*)a)[p];
    half2 v = ((const half2*)b)[p];
    ((half2*)d)[p] = gap_of(u, v);
  }
  if (p == 0 && n % 2 == 1) d[n - 1] = __habs(__hsub(a[n - 1], b[n - 1]));
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       half* d,        // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = n / 2 / block_size + 1;
  gap<<<blocks, block_size, 0, stream>>>(a, b, d, n);
}
"""
)

# bfloat16 to half, a number a thread.
TOHALF = (
    HEADER
    + """\
const int kThreads = 256;

__device__ half converted(__nv_bfloat16 b)
{
    float v = __bfloat162float(b);
    return __float2half_rn(v);
}

__global__ void to_half(const __nv_bfloat16 *__restrict__ src, half *__restrict__ dst, int n)
{
    const int idx = blockIdx.x * kThreads + threadIdx.x;
    if (idx < n)
        dst[idx] = converted(src[idx]);
}

extern "C" void launch(const __nv_bfloat16 *src,  // [n]
                       half *dst,                 // [n]
                       int n, cudaStream_t stream = 0)
{
    const int blocks = (n + kThreads - 1) / kThreads;
    if (blocks > 0)
        to_half<<<blocks, kThreads, 0, stream>>>(src, dst, n);
}
"""
)

# log(1 + exp(x)), four a thread; threads after the packs take the rest.
SOFTPLUS = (
    HEADER
    + """\
__device__ float soft(float v) {
  if (v > 0.0f) return v + log1pf(expf(-v));
  return log1pf(expf(v));
}

__global__ void softplus(const float* x, float* y, int packs, int rest) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < packs) {
    float4 v = reinterpret_cast<const float4*>(x)[t];
    v.x = soft(v.x);
    v.y = soft(v.y);
    v.z = soft(v.z);
    v.w = soft(v.w);
    reinterpret_cast<float4*>(y)[t] = v;
  } else if (t < packs + rest) {
    int i = 4 * packs + (t - packs);
    y[i] = soft(x[i]);
  }
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0) {
  int packs = n / 4, rest = n % 4;
  int blocks = (packs + rest + block_size - 1) / block_size;
  if (blocks == 0) return;
  softplus<<<blocks, block_size, 0, stream>>>(x, y, packs, rest);
}
"""
)

# The smallest float, by atomics on integers that are in the same order.
LEAST = (
    HEADER
    + """\
#define MOST 0x7fffffff

__device__ int ordered(int bits)
{
    return bits < 0 ? bits ^ MOST : bits;
}

__global__ void least_begin(int *low)
{
    *low = MOST;
}

__global__ void least_blocks(const float *x, int *low, int64_t n)
{
    __shared__ int of_block;
    if (threadIdx.x == 0)
        of_block = MOST;
    __syncthreads();
    int mine = MOST;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine = min(mine, ordered(__float_as_int(x[i])));
    atomicMin(&of_block, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMin(low, of_block);
}

__global__ void least_end(float *out)
{
    *out = __int_as_float(ordered(__float_as_int(*out)));
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + 255) / 256;
    if (blocks > 60)
        blocks = 60;
    least_begin<<<1, 1, 0, stream>>>((int *)out);
    least_blocks<<<(unsigned)blocks, 256, 0, stream>>>(x, (int *)out, n);
    least_end<<<1, 1, 0, stream>>>(out);
}
"""
)

# Sums of columns: 32 columns a block, eight rows at a time.
COLUMNS = (
    HEADER
    + """\
#define W 32
#define H 8

__global__ void columns(const float* x, float* sums, int rows, int cols) {
  __shared__ float tile[H][W];
  int c = blockIdx.x * W + threadIdx.x;
  float sum = 0.0f;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += H) sum += x[(size_t)r * cols + c];
  }
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    float total = 0.0f;
    for (int k = 0; k < H; k++) total += tile[k][threadIdx.x];
    sums[c] = total;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* sums,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  columns<<<(cols + W - 1) / W, dim3(W, H), 0, stream>>>(x, sums, rows, cols);
}
"""
)

# The length of each row of halves, a warp a row and four warps a block.
LENGTH = (
    HEADER
    + """\
__global__ void row_length(const half *x, float *len, int rows, int cols)
{
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + warp;
    if (row >= rows)
        return;
    const half *p = x + (size_t)row * cols;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float v = __half2float(p[c]);
        sum += v * v;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        len[row] = sqrtf(sum);
}

extern "C" void launch(const half *x,  // [rows, cols]
                       float *len,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_length<<<(rows + 3) / 4, 128, 0, stream>>>(x, len, rows, cols);
}
"""
)

# The place of the smallest of each row, the first of equal ones; a block a row.
ARGMIN = (
    HEADER
    + """\
#define T 128

__device__ bool before(float v, int i, float w, int j) { return v < w || (v == w && i < j); }

__global__ void argmin(const float* x, int* place, int cols) {
  __shared__ float value[T];
  __shared__ int where[T];
  const int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float best = INFINITY;
  int at = cols;
  for (int c = t; c < cols; c += T) {
    if (before(row[c], c, best, at)) {
      best = row[c];
      at = c;
    }
  }
  value[t] = best;
  where[t] = at;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h && before(value[t + h], where[t + h], value[t], where[t])) {
      value[t] = value[t + h];
      where[t] = where[t + h];
    }
    __syncthreads();
  }
  if (t == 0) place[blockIdx.x] = where[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       int* place,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  argmin<<<rows, T, 0, stream>>>(x, place, cols);
}
"""
)

# Integers of 64 bits turned by tiles of 16 x 16.
TURN = (
    HEADER
    + """\
#define TILE 16

__global__ void turn(const int64_t *in, int64_t *out, int rows, int cols)
{
    __shared__ int64_t tile[TILE][TILE + 1];

    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[(int64_t)row * cols + col];
    __syncthreads();

    int to_col = blockIdx.y * TILE + threadIdx.x;
    int to_row = blockIdx.x * TILE + threadIdx.y;
    if (to_row < cols && to_col < rows)
        out[(int64_t)to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const int64_t *in,  // [rows, cols]
                       int64_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    turn<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A transposed times a vector: a column a thread, 32 rows a block, atomics between blocks.
ATX = (
    HEADER
    + """\
#define COLS 64
#define ROWS 32

__global__ void atx(const float* a, const float* x, float* y, int m, int n) {
  int c = blockIdx.x * COLS + threadIdx.x;
  int r0 = blockIdx.y * ROWS;
  if (c >= n) return;
  float s = 0.0f;
  for (int k = 0; k < ROWS && r0 + k < m; k++) {
    s += a[(size_t)(r0 + k) * n + c] * x[r0 + k];
  }
  atomicAdd(&y[c], s);
}

extern "C" void launch(const float* a,  // [m, n]
                       const float* x,  // [m]
                       float* y,        // [n]
                       int m, int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(y, 0, n * sizeof(float), stream);
  dim3 grid((n + COLS - 1) / COLS, (m + ROWS - 1) / ROWS);
  atx<<<grid, COLS, 0, stream>>>(a, x, y, m, n);
}
"""
)

# alpha A B + beta C by tiles of 16 x 16.
GEMM = (
    HEADER
    + """\
#define S 16

__global__ void gemm(const float *a, const float *b, const float *c, float *d, float alpha,
                     float beta, int m, int n, int k)
{
    __shared__ float as[S][S];
    __shared__ float bs[S][S];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * S + tx;
    int row = blockIdx.y * S + ty;
    float acc = 0.0f;
    for (int q = 0; q < k; q += S) {
        as[ty][tx] = (row < m && q + tx < k) ? a[(size_t)row * k + q + tx] : 0.0f;
        bs[ty][tx] = (q + ty < k && col < n) ? b[(size_t)(q + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < S; i++)
            acc += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        d[(size_t)row * n + col] = alpha * acc + beta * c[(size_t)row * n + col];
}

extern "C" void launch(const float *a,  // [m, k]
                       const float *b,  // [k, n]
                       const float *c,  // [m, n]
                       float *d,        // [m, n]
                       float alpha, float beta, int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 grid((n + S - 1) / S, (m + S - 1) / S);
    gemm<<<grid, dim3(S, S), 0, stream>>>(a, b, c, d, alpha, beta, m, n, k);
}
"""
)

# Softmax with a temperature, a block a row, shared memory as large as the block.
WARM = (
    HEADER
    + """\
__device__ float warm(float v, float most, float t) { return expf((v - most) / t); }

__global__ void softmax_t(const float* x, float* y, float temperature, int cols) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float most = -INFINITY;
  for (int c = t; c < cols; c += blockDim.x) most = fmaxf(most, row[c]);
  s[t] = most;
  __syncthreads();
  for (int h = 1; h < blockDim.x; h *= 2) {
    if (t % (2 * h) == 0 && t + h < blockDim.x) s[t] = fmaxf(s[t], s[t + h]);
    __syncthreads();
  }
  most = s[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = t; c < cols; c += blockDim.x) sum += warm(row[c], most, temperature);
  s[t] = sum;
  __syncthreads();
  for (int h = 1; h < blockDim.x; h *= 2) {
    if (t % (2 * h) == 0 && t + h < blockDim.x) s[t] += s[t + h];
    __syncthreads();
  }
  sum = s[0];
  for (int c = t; c < cols; c += blockDim.x) out[c] = warm(row[c], most, temperature) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float temperature, int rows, int cols, int block_size = 128,
                       cudaStream_t stream = 0) {
  softmax_t<<<rows, block_size, block_size * sizeof(float), stream>>>(x, y, temperature, cols);
}
"""
)

# Layer norm with means and squares in one pass, a warp a row.
WELFORD = (
    HEADER
    + """\
#define ALL 0xffffffff
#define WARPS 4

__global__ void welford(const float *x, float *out, int rows, int cols, float eps)
{
    int lane = threadIdx.x & 31;
    int row = blockIdx.x * WARPS + (threadIdx.x >> 5);
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * cols;
    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = in[c] - mean;
        count += 1.0f;
        mean += d / count;
        m2 += d * (in[c] - mean);
    }
    for (int step = 16; step > 0; step >>= 1) {
        float count_b = __shfl_xor_sync(ALL, count, step);
        float mean_b = __shfl_xor_sync(ALL, mean, step);
        float m2_b = __shfl_xor_sync(ALL, m2, step);
        float both = count + count_b;
        if (both > 0.0f) {
            float d = mean_b - mean;
            mean += d * (count_b / both);
            m2 += m2_b + d * d * (count * count_b / both);
            count = both;
        }
    }
    float inv = rsqrtf(m2 / cols + eps);
    for (int c = lane; c < cols; c += 32)
        out[(size_t)row * cols + c] = (in[c] - mean) * inv;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
    int blocks = (rows + WARPS - 1) / WARPS;
    welford<<<blocks, 32 * WARPS, 0, stream>>>(x, out, rows, cols, eps);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 511, 512, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
SIDES += tuple((rows, cols) for rows in (5, 17) for cols in range(3, 71, 4))
FLOAT, WHOLE = (torch.float32,), (torch.int32,)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add ints: small, of all sizes, beyond the range, beyond what floats hold; slices."""
    for n in (*LENGTHS, 9_001, 70_003):
        a, b = (whole(-(2**31), 2**31, n, 2 * n + k) for k in range(2))
        for label, u, w in (
            ("of all sizes", a, b),
            ("small", a % 100, b % 100 - 50),
            ("beyond 24 bits", 2**25 + a % 1000, 2**26 + b % 1000),
            ("the largest", a * 0 + 2**31 - 1, b % 2),
        ):
            u, w = u.int(), w.int()
            options = {"dtypes": WHOLE, "quick": n > 5000}
            for block_size in (256, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (u, w), (u + w,), scalars, **options)
            if n < 300 and label == "of all sizes":
                for offsets in (
                    (4, 8, 4),
                    (1, 4, 4),
                    (4, 2, 8),
                    (4, 4, 3),
                    (1, 1, 1),
                    (1, 2, 3),
                ):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (u, w), (u + w,), offset=offsets, **options)


def limited_sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Add bytes up to 255."""
    return (a + b).clamp(max=255)


def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Compute how far two numbers are apart."""
    return (a - b).abs()


def softplus(x: torch.Tensor) -> torch.Tensor:
    """Compute log(1 + exp(x))."""
    return torch.where(x < 0, 0.0, x) + (-x.abs()).exp().log1p()


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, ones, zeros, below 0, an end, NaN."""
    for rows, cols in (*SIDES, (2_001, 3), (4099, 1), (3, 2_001), (71, 33)):
        n = rows * cols
        x = whole(-99, 100, n, n).reshape(rows, cols).double()
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x.abs() * 0),
            ("below 0", -x.abs() - 1),
            ("the last row alone", torch.where(r == rows - 1, 7.0, 0.0 * x.abs())),
            ("NaN", torch.where((r == rows // 2) & (x % 2 == 0), NAN, x)),
            ("infinity", torch.where((r == rows // 3) & (x > 20), INF, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(0),), dtypes=FLOAT)


def lengths(launcher: Launcher) -> Iterator[Case]:
    """Measure rows: any, ones, zeros, large ones, tiny ones, the last alone, NaN, infinity."""
    for rows, cols in (*SIDES, (3, 2_001), (1_001, 3)):
        n = rows * cols
        x, c = whole(-30, 31, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x.abs() * 0),
            ("large", x * 512),
            ("tiny", x / 2**20),
            ("fractions", x / 8 + 0.125),
            ("the last alone", torch.where(c == cols - 1, 5.0, 0.0 * x.abs())),
            ("NaN", torch.where((c == cols // 2) & (x % 2 == 0), NAN, x)),
            ("infinity", torch.where((c == cols // 3) & (x > 0), -INF, x)),
        ):
            y = y.half()
            right = y.double().square().sum(1).sqrt()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, ulp=2 + cols // 32)


def places(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, few values, alike, above and below 0, an end, infinity."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), (1, 70_001), (2, 40_000)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("alike", x * 0 - 8),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("the last", torch.where(c == cols - 1, -5000.0, x)),
            ("falling", x * 0 - c),
            ("infinities", torch.where(x % 2 == 0, INF, x)),
            ("one below infinity", torch.where(c == cols // 2, -INF, x)),
        ):
            right = (y == y.amin(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=WHOLE, quick=n > 5000)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn integers: of 64 bits, small ones and the ends of the range."""
    more = ((31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15), (15, 17), (48, 16))
    for rows, cols in (*SIDES, *more, (3, 5_003), (5_003, 3), (1, 9_001)):
        n = rows * cols
        small = whole(-99, 100, n, n).reshape(rows, cols)
        large = whole(-(2**63), 2**63 - 1, n, n + 1).reshape(rows, cols)
        ends = torch.where(small % 2 == 0, 2**63 - 1, -(2**63))
        for label, x in (("any", large), ("small", small), ("ends of the range", ends)):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = x.T.contiguous()
            yield Case(words, (x,), (right,), dtypes=(torch.int64,), quick=n > 5000)


def weighed_rows(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, below 0, an end, NaN."""
    for m, n in (*SIDES, (31, 5), (32, 5), (33, 5), (64, 64), (2_001, 3), (3, 2_001)):
        a = whole(-30, 31, m * n, m * n).reshape(m, n).double()
        x, r = whole(1, 31, m, m).double(), torch.arange(m)
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("below 0", -a.abs() - 1, x),
            ("the last row alone", a, torch.where(r == m - 1, 3.0, 0.0)),
            ("zeros", a.abs() * 0, x),
            ("NaN in A", torch.where((r[:, None] == m // 2) & (a > 0), NAN, a), x),
            ("infinity in x", a.abs() + 1, torch.where(r == m // 2, INF, x)),
        ):
            words = f"m = {m:,}, n = {n:,}, {label}"
            right = (p * q[:, None]).sum(0)
            yield Case(words, (p.float(), q.float()), (right,), dtypes=FLOAT)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: with several factors, NaN, infinity."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (32, 48, 64))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 71, 3))):
        a = whole(-20, 21, m * k, m + k).reshape(m, k).double()
        b = whole(-20, 21, k * n, n).reshape(k, n).double()
        c = whole(-500, 501, m * n, m * n).reshape(m, n).double()
        i, j = torch.arange(m)[:, None], torch.arange(n)
        for label, p, q, s, alpha, beta in (
            ("the product", a, b, c, 1.0, 0.0),
            ("a sum", a, b, c, 1.0, 1.0),
            ("factors", a, b, c, 0.5, 3.0),
            ("negative factors", a, b, c.abs() + 1, -2.0, -0.25),
            ("zeros", a.abs() * 0, b, c, 2.0, 0.5),
            ("NaN in C", a, b, torch.where((i == m // 2) & (j == n // 2), NAN, c), 1.0, 2.0),
            ("NaN in A", torch.where(i == m // 2, NAN, a), b, c, 1.0, 1.0),
            ("infinity in B", a.abs() + 1, torch.where(j == n // 2, INF, b), c, 1.0, 1.0),
        ):
            right = alpha * (p[:, :, None] * q[None]).sum(1) + beta * s + 0.0
            scalars = {"alpha": alpha, "beta": beta}
            words = f"m = {m}, n = {n}, k = {k}, {scalars}, {label}"
            inputs = (p.float(), q.float(), s.float())
            yield Case(words, inputs, (right,), scalars, dtypes=FLOAT)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Divide by temperatures: any, alike, far above and below 0, falling, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (257, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for k, (label, y, t) in enumerate(
            (
                ("any", x, 0.5),
                ("temperature 1", x, 1.0),
                ("hot", x, 8.0),
                ("cold", x, 0.125),
                ("alike", x * 0 + 3, 2.0),
                ("far above 0", x + 1000, 2.0),
                ("far below 0", x - 1000, 0.75),
                ("falling", x * 0 - c / 8.0, 1.5),
                ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x), 1.5),
                ("NaN", torch.where(c == cols // 2, NAN, x), 0.5),
            )
        ):
            y, block_size = y.float(), (128, 64, 256, 96, 32)[(k + rows + cols) % 5]
            z = (y.double() - y.double().amax(1, True)) / t
            p = z.exp() / z.exp().sum(1, keepdim=True)
            slack = (2.0**-20 * p * (2 - z) + 2.0**-126).nan_to_num(0.0, 0.0, 0.0)
            scalars = {"temperature": t, "block_size": block_size}
            words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
            yield Case(words, (y,), (p,), scalars, dtypes=FLOAT, within=(slack,))


BASES = {
    "seventytwo_ints": Base(INTS, {"cases": totals}),
    "seventytwo_bytes": Base(BYTES, {"reference": limited_sum}),
    "seventytwo_gap": Base(GAP, {"reference": distance}),
    "seventytwo_tohalf": Base(TOHALF, {"reference": "cast"}),
    "seventytwo_softplus": Base(SOFTPLUS, {"reference": softplus, "ulp": 4}),
    "seventytwo_least": Base(LEAST, cases="whole_array", function=torch.min),
    "seventytwo_columns": Base(COLUMNS, {"cases": columns}),
    "seventytwo_length": Base(LENGTH, {"cases": lengths}),
    "seventytwo_argmin": Base(ARGMIN, {"cases": places}),
    "seventytwo_turn": Base(TURN, {"cases": turns}),
    "seventytwo_atx": Base(ATX, {"cases": weighed_rows}),
    "seventytwo_gemm": Base(GEMM, {"cases": products}),
    "seventytwo_warm": Base(WARM, {"cases": softmaxes}),
    "seventytwo_welford": Base(WELFORD, cases="layer_norm"),
}

WRONG = (
    # ---- ints
    # The third address is not tested.
    Wrong(
        "seventytwo_ints_two_of_three",
        "seventytwo_ints",
        "alignment",
        ("round16(a) && round16(b) && round16(c)", "round16(a) && round16(b)"),
    ),
    # Ints are added as floats.
    Wrong(
        "seventytwo_ints_by_floats",
        "seventytwo_ints",
        "precision / narrow / rounding | numbers / whole range",
        ("return u + w;", "return (int)((float)u + (float)w);"),
    ),
    # A pack is taken where three ints are left.
    Wrong(
        "seventytwo_ints_three_are_a_pack",
        "seventytwo_ints",
        "bounds / tail",
        ("if (4 * i + 4 <= n) {", "if (4 * i + 3 <= n) {"),
    ),
    # Threads are counted for whole packs only.
    Wrong(
        "seventytwo_ints_packs_rounded_down",
        "seventytwo_ints",
        "tail / unwritten / left out / grid | refused",
        ("int packs = (n + 3) / 4;", "int packs = n / 4;"),
    ),
    # Where addresses are odd, the stream is forgotten.
    Wrong(
        "seventytwo_ints_each_no_stream",
        "seventytwo_ints",
        "stream",
        ("add_each<<<blocks, block_size, 0, stream>>>", "add_each<<<blocks, block_size>>>"),
    ),
    # ---- bytes
    # The sum is a byte before it is limited.
    Wrong(
        "seventytwo_bytes_sum_of_a_byte",
        "seventytwo_bytes",
        "whole range / infinity / narrow | numbers",
        ("unsigned int s = a[i] + b[i];", "uint8_t s = a[i] + b[i];"),
    ),
    # A sum of 256 passes the limit.
    Wrong(
        "seventytwo_bytes_256_passes",
        "seventytwo_bytes",
        "whole range / infinity | numbers",
        ("s > 255 ? 255 : s", "s > 256 ? 255 : s"),
    ),
    # The stride is that of blocks of 256.
    Wrong(
        "seventytwo_bytes_stride_of_256",
        "seventytwo_bytes",
        "block size / unwritten / left out | grid",
        ("(int64_t)gridDim.x * blockDim.x;", "(int64_t)gridDim.x * 256;"),
    ),
    # There are no more than 128 blocks, and no loop.
    Wrong(
        "seventytwo_bytes_no_loop",
        "seventytwo_bytes",
        "unwritten / left out / grid | tail",
        (
            "    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; "
            "i += stride) {",
            "    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {",
        ),
        ("    int64_t stride = (int64_t)gridDim.x * blockDim.x;\n", ""),
    ),
    # One byte too many is written.
    Wrong(
        "seventytwo_bytes_one_too_many",
        "seventytwo_bytes",
        "bounds / tail",
        ("threadIdx.x; i < n; i += stride", "threadIdx.x; i <= n; i += stride"),
    ),
    # ---- gap
    # The second array may lie anywhere.
    Wrong(
        "seventytwo_gap_b_anywhere",
        "seventytwo_gap",
        "alignment",
        ("const half* b,  // [n] 4-byte aligned", "const half* b,  // [n]"),
    ),
    # The odd one is forgotten.
    Wrong(
        "seventytwo_gap_odd_one_forgotten",
        "seventytwo_gap",
        "tail / unwritten / left out | nan",
        ("  if (p == 0 && n % 2 == 1) d[n - 1] = __habs(__hsub(a[n - 1], b[n - 1]));\n", ""),
    ),
    # Only what is below 0 changes its sign, which -0.0 is not.
    Wrong(
        "seventytwo_gap_sign_by_test",
        "seventytwo_gap",
        "sign of zero",
        (
            "  return __halves2half2(__habs(__low2half(w)), __habs(__high2half(w)));",
            "  half lo = __low2half(w), hi = __high2half(w), zero = __float2half(0.0f);\n"
            "  if (__hlt(lo, zero)) lo = __hneg(lo);\n"
            "  if (__hlt(hi, zero)) hi = __hneg(hi);\n"
            "  return __halves2half2(lo, hi);",
        ),
    ),
    # The smaller is taken from the larger, which of NaN are the other number.
    Wrong(
        "seventytwo_gap_larger_less_smaller",
        "seventytwo_gap",
        "nan",
        (
            "  half2 w = __hsub2(u, v);\n"
            "  return __halves2half2(__habs(__low2half(w)), __habs(__high2half(w)));",
            "  return __hsub2(__hmax2(u, v), __hmin2(u, v));",
        ),
    ),
    # Differences are kept where a was.
    Wrong(
        "seventytwo_gap_kept_in_a",
        "seventytwo_gap",
        "input | state / numbers",
        (
            "    ((half2*)d)[p] = gap_of(u, v);",
            "    ((half2*)a)[p] = gap_of(u, v);\n    ((half2*)d)[p] = ((const half2*)a)[p];",
        ),
    ),
    # ---- tohalf
    # Bits that do not fit are cut.
    Wrong(
        "seventytwo_tohalf_toward_zero",
        "seventytwo_tohalf",
        "rounding | infinity / numbers / precision / subnormal",
        ("__float2half_rn(v)", "__float2half_rz(v)"),
    ),
    # Numbers are held within what a half holds.
    Wrong(
        "seventytwo_tohalf_clamped",
        "seventytwo_tohalf",
        "infinity / nan | numbers / whole range",
        ("__float2half_rn(v)", "__float2half_rn(fminf(fmaxf(v, -65504.0f), 65504.0f))"),
    ),
    # What is below the least normal half becomes 0.
    Wrong(
        "seventytwo_tohalf_small_are_0",
        "seventytwo_tohalf",
        "subnormal | numbers",
        (
            "    return __float",
            "    if (fabsf(v) < 6.1035156e-5f)\n        v *= 0.0f;\n    return __float",
        ),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventytwo_tohalf_blocks_rounded_down",
        "seventytwo_tohalf",
        "grid / tail / unwritten / left out | refused / nan",
        ("(n + kThreads - 1) / kThreads", "n / kThreads"),
    ),
    # Blocks begin 128 numbers apart.
    Wrong(
        "seventytwo_tohalf_blocks_of_128",
        "seventytwo_tohalf",
        "block size / unwritten / left out / tail | nan / twice / grid",
        ("blockIdx.x * kThreads + threadIdx.x", "blockIdx.x * 128 + threadIdx.x"),
    ),
    # ---- softplus
    # One formula is for all.
    Wrong(
        "seventytwo_softplus_one_formula",
        "seventytwo_softplus",
        "infinity | numbers",
        ("  if (v > 0.0f) return v + log1pf(expf(-v));\n", ""),
    ),
    # 1 is added before the logarithm.
    Wrong(
        "seventytwo_softplus_1_added_first",
        "seventytwo_softplus",
        "precision | subnormal / numbers / rounding",
        ("return log1pf(expf(v));", "return logf(1.0f + expf(v));"),
    ),
    # The rest is counted from 4 packs and by the thread of the grid.
    Wrong(
        "seventytwo_softplus_rest_by_thread",
        "seventytwo_softplus",
        "bounds / tail | unwritten / left out / nan",
        ("int i = 4 * packs + (t - packs);", "int i = 4 * packs + t;"),
    ),
    # The result may lie anywhere.
    Wrong(
        "seventytwo_softplus_y_anywhere",
        "seventytwo_softplus",
        "alignment",
        ("float* y,        // [n] 16-byte aligned", "float* y,        // [n]"),
    ),
    # Above 0 the exponent has the wrong sign.
    Wrong(
        "seventytwo_softplus_sign_lost",
        "seventytwo_softplus",
        "function | infinity / numbers",
        ("expf(-v)", "expf(v)"),
    ),
    # ---- least
    # Bits are compared as they are.
    Wrong(
        "seventytwo_least_plain_bits",
        "seventytwo_least",
        "numbers / function / other element",
        ("return bits < 0 ? bits ^ MOST : bits;", "return bits;"),
    ),
    # The least begins with 0.
    Wrong(
        "seventytwo_least_starts_at_0",
        "seventytwo_least",
        "start | numbers",
        ("    *low = MOST;", "    *low = 0;"),
    ),
    # The block's least is taken before all have given theirs.
    Wrong(
        "seventytwo_least_no_barrier",
        "seventytwo_least",
        "race | numbers / left out / start / other element",
        (
            "    atomicMin(&of_block, mine);\n    __syncthreads();\n",
            "    atomicMin(&of_block, mine);\n",
        ),
    ),
    # Nothing is set before the atomics.
    Wrong(
        "seventytwo_least_not_set",
        "seventytwo_least",
        "zero before / start / state / unwritten | numbers / nan",
        ("    least_begin<<<1, 1, 0, stream>>>((int *)out);\n", ""),
    ),
    # The last kernel is on the default stream.
    Wrong(
        "seventytwo_least_end_no_stream",
        "seventytwo_least",
        "stream | race",
        ("least_end<<<1, 1, 0, stream>>>(out);", "least_end<<<1, 1>>>(out);"),
    ),
    # ---- columns
    # Four of eight rows of the tile are added.
    Wrong(
        "seventytwo_columns_four_of_eight",
        "seventytwo_columns",
        "left out | numbers / nan",
        ("for (int k = 0; k < H; k++)", "for (int k = 0; k < 4; k++)"),
    ),
    # Rows begin a column's length apart.
    Wrong(
        "seventytwo_columns_pitch_of_rows",
        "seventytwo_columns",
        "sides / other element / bounds / swapped | numbers / nan / left out",
        ("x[(size_t)r * cols + c]", "x[(size_t)r * rows + c]"),
    ),
    # The tile is added before all have stored.
    Wrong(
        "seventytwo_columns_no_barrier",
        "seventytwo_columns",
        "race | numbers / left out / unwritten / other element / state / nan",
        ("= sum;\n  __syncthreads();\n", "= sum;\n"),
    ),
    # Only whole groups of eight rows are read.
    Wrong(
        "seventytwo_columns_rows_by_eights",
        "seventytwo_columns",
        "left out / tail | numbers / nan",
        ("r < rows; r += H", "r < rows / H * H; r += H"),
    ),
    # Sums are added to what is there.
    Wrong(
        "seventytwo_columns_added",
        "seventytwo_columns",
        "zero before / state / start | nan / numbers",
        ("sums[c] = total;", "sums[c] += total;"),
    ),
    # ---- length
    # Squares are halves.
    Wrong(
        "seventytwo_length_squares_of_halves",
        "seventytwo_length",
        "infinity / precision / rounding | numbers / subnormal",
        (
            "        float v = __half2float(p[c]);\n        sum += v * v;",
            "        sum += __half2float(__hmul(p[c], p[c]));",
        ),
    ),
    # The root is forgotten.
    Wrong(
        "seventytwo_length_no_root",
        "seventytwo_length",
        "function | numbers",
        ("sqrtf(sum)", "sum"),
    ),
    # One row too many is allowed.
    Wrong(
        "seventytwo_length_one_row_too_many",
        "seventytwo_length",
        "bounds / tail",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # Only whole groups of 32 columns are read.
    Wrong(
        "seventytwo_length_columns_by_32",
        "seventytwo_length",
        "left out / tail | numbers / nan",
        ("c < cols; c += 32", "c < cols / 32 * 32; c += 32"),
    ),
    # The first thread of the block writes, not that of each warp.
    Wrong(
        "seventytwo_length_first_of_block",
        "seventytwo_length",
        "unwritten / left out | nan",
        ("if (lane == 0)", "if (threadIdx.x == 0)"),
    ),
    # ---- argmin
    # Of equal ones the tree keeps any.
    Wrong(
        "seventytwo_argmin_equal_ones",
        "seventytwo_argmin",
        "other element | numbers",
        ("before(value[t + h], where[t + h], value[t], where[t])", "value[t + h] < value[t]"),
    ),
    # The smallest begins with 0.
    Wrong(
        "seventytwo_argmin_starts_at_0",
        "seventytwo_argmin",
        "start | numbers / other element / left out",
        ("float best = INFINITY;", "float best = 0.0f;"),
    ),
    # Rows begin a block's width apart.
    Wrong(
        "seventytwo_argmin_rows_of_threads",
        "seventytwo_argmin",
        "sides / other element / bounds | numbers",
        ("x + (size_t)blockIdx.x * cols;", "x + (size_t)blockIdx.x * T;"),
    ),
    # The tree begins a step too late.
    Wrong(
        "seventytwo_argmin_half_a_tree",
        "seventytwo_argmin",
        "left out | numbers / other element",
        ("int h = T / 2; h > 0;", "int h = T / 4; h > 0;"),
    ),
    # Places have 16 bits.
    Wrong(
        "seventytwo_argmin_short_places",
        "seventytwo_argmin",
        "narrow / whole range | numbers / other element",
        ("__shared__ int where[T];", "__shared__ short where[T];"),
    ),
    # ---- turn
    # The tile is read as it was stored.
    Wrong(
        "seventytwo_turn_tile_not_turned",
        "seventytwo_turn",
        "swapped / other element | numbers / unwritten / sides",
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # Rows of the result are as long as those of the input.
    Wrong(
        "seventytwo_turn_pitch_of_cols",
        "seventytwo_turn",
        "sides / other element / bounds / unwritten | numbers / left out / twice",
        ("out[(int64_t)to_row * rows + to_col]", "out[(int64_t)to_row * cols + to_col]"),
    ),
    # Rows are counted in x of the grid.
    Wrong(
        "seventytwo_turn_grid_swapped",
        "seventytwo_turn",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # The tile has 32 bits.
    Wrong(
        "seventytwo_turn_tile_of_ints",
        "seventytwo_turn",
        "narrow / whole range | numbers",
        ("__shared__ int64_t tile[TILE][TILE + 1];", "__shared__ int tile[TILE][TILE + 1];"),
    ),
    # The way out is tested with the indices of the way in.
    Wrong(
        "seventytwo_turn_old_test",
        "seventytwo_turn",
        "bounds / unwritten / sides / left out | other element / tail / numbers",
        ("if (to_row < cols && to_col < rows)", "if (row < rows && col < cols)"),
    ),
    # ---- atx
    # The result is not set to 0.
    Wrong(
        "seventytwo_atx_not_set",
        "seventytwo_atx",
        "zero before / state / start | nan / numbers",
        ("  cudaMemsetAsync(y, 0, n * sizeof(float), stream);\n", ""),
    ),
    # Blocks add without an atomic.
    Wrong(
        "seventytwo_atx_no_atomic",
        "seventytwo_atx",
        "race | left out / numbers",
        ("atomicAdd(&y[c], s);", "y[c] += s;"),
    ),
    # The result is set to 0 on the default stream.
    Wrong(
        "seventytwo_atx_set_no_stream",
        "seventytwo_atx",
        "stream | zero before / race / state",
        ("n * sizeof(float), stream);", "n * sizeof(float));"),
    ),
    # Rows begin a column's length apart.
    Wrong(
        "seventytwo_atx_pitch_of_m",
        "seventytwo_atx",
        "sides / other element / bounds / swapped | numbers / nan / left out",
        ("a[(size_t)(r0 + k) * n + c]", "a[(size_t)(r0 + k) * m + c]"),
    ),
    # All blocks take the beginning of x.
    Wrong(
        "seventytwo_atx_first_of_x",
        "seventytwo_atx",
        "other element / left out | numbers / nan / infinity",
        (" * x[r0 + k];", " * x[k];"),
    ),
    # ---- gemm
    # The tile of A is stored turned.
    Wrong(
        "seventytwo_gemm_tile_turned",
        "seventytwo_gemm",
        "swapped / other element | numbers / left out / sides / nan",
        ("        as[ty][tx] = ", "        as[tx][ty] = "),
    ),
    # The factors are in the other order.
    Wrong(
        "seventytwo_gemm_factors_swapped",
        "seventytwo_gemm",
        "swapped / function | numbers",
        ("(a, b, c, d, alpha, beta, m, n, k);", "(a, b, c, d, beta, alpha, m, n, k);"),
    ),
    # The last tile of k is left out unless it is whole.
    Wrong(
        "seventytwo_gemm_whole_tiles",
        "seventytwo_gemm",
        "tail / left out | numbers / nan",
        ("q < k; q += S", "q + S <= k; q += S"),
    ),
    # B is read beyond its last row.
    Wrong(
        "seventytwo_gemm_b_not_tested",
        "seventytwo_gemm",
        "bounds / tail | nan / numbers",
        ("(q + ty < k && col < n) ?", "(col < n) ?"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "seventytwo_gemm_no_second_barrier",
        "seventytwo_gemm",
        "race | numbers / other element / left out / nan",
        ("bs[i][tx];\n        __syncthreads();\n", "bs[i][tx];\n"),
    ),
    # ---- warm
    # The largest is not taken away.
    Wrong(
        "seventytwo_warm_no_maximum",
        "seventytwo_warm",
        "infinity / nan | numbers / precision / subnormal",
        ("expf((v - most) / t)", "expf(v / t)"),
    ),
    # The temperature multiplies.
    Wrong(
        "seventytwo_warm_temperature_multiplies",
        "seventytwo_warm",
        "function | numbers",
        ("expf((v - most) / t)", "expf((v - most) * t)"),
    ),
    # The largest begins with 0.
    Wrong(
        "seventytwo_warm_starts_at_0",
        "seventytwo_warm",
        "start | nan / numbers / infinity / precision / subnormal",
        ("float most = -INFINITY;", "float most = 0.0f;"),
    ),
    # Shared memory is that of 128 threads.
    Wrong(
        "seventytwo_warm_memory_of_128",
        "seventytwo_warm",
        "bounds / block size",
        ("block_size * sizeof(float), stream", "128 * sizeof(float), stream"),
    ),
    # Exponentials are kept where the numbers were.
    Wrong(
        "seventytwo_warm_kept_in_x",
        "seventytwo_warm",
        "input | state / numbers",
        (
            "sum += warm(row[c], most, temperature);",
            "{\n"
            "    float e = warm(row[c], most, temperature);\n"
            "    ((float*)row)[c] = e;\n"
            "    sum += e;\n"
            "  }",
        ),
        ("out[c] = warm(row[c], most, temperature) / sum;", "out[c] = row[c] / sum;"),
    ),
    # ---- welford
    # The squares are divided by one less.
    Wrong(
        "seventytwo_welford_one_less",
        "seventytwo_welford",
        "function | numbers / precision",
        ("m2 / cols + eps", "m2 / (cols - 1) + eps"),
    ),
    # The small number is added to the root.
    Wrong(
        "seventytwo_welford_eps_outside",
        "seventytwo_welford",
        "function | numbers / precision",
        ("rsqrtf(m2 / cols + eps)", "1.0f / (sqrtf(m2 / cols) + eps)"),
    ),
    # What means are apart is left out of the squares.
    Wrong(
        "seventytwo_welford_means_apart",
        "seventytwo_welford",
        "function / left out | precision / numbers",
        ("m2 += m2_b + d * d * (count * count_b / both);", "m2 += m2_b;"),
    ),
    # Shuffles join half of the lanes.
    Wrong(
        "seventytwo_welford_half_the_lanes",
        "seventytwo_welford",
        "left out | numbers / function / precision / other element",
        ("int step = 16; step > 0;", "int step = 8; step > 0;"),
    ),
    # A row has 16 bits.
    Wrong(
        "seventytwo_welford_row_of_16_bits",
        "seventytwo_welford",
        "narrow / unwritten / left out | nan / tail / twice / whole range",
        ("int row = blockIdx.x * WARPS", "uint16_t row = blockIdx.x * WARPS"),
    ),
)

RIGHT = (
    # Sizes and indices have 64 bits.
    Right(
        "seventytwo_ints_of_64_bits",
        "seventytwo_ints",
        (
            "void add_packs(const int* a, const int* b, int* c, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "void add_packs(const int* a, const int* b, int* c, int64_t n) {\n"
            "  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        ("for (int j = 4 * i;", "for (int64_t j = 4 * i;"),
        (
            "void add_each(const int* a, const int* b, int* c, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "void add_each(const int* a, const int* b, int* c, int64_t n) {\n"
            "  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        ("int packs = (n + 3) / 4;", "int64_t packs = (n + 3) / 4;"),
        (
            "int blocks = (packs + block_size - 1) / block_size;",
            "int64_t blocks = (packs + block_size - 1) / block_size;",
        ),
        (
            "int blocks = (n + block_size - 1) / block_size;",
            "int64_t blocks = (n + block_size - 1) / block_size;",
        ),
        ("add_packs<<<blocks,", "add_packs<<<(unsigned)blocks,"),
        ("add_each<<<blocks,", "add_each<<<(unsigned)blocks,"),
    ),
    # The result comes first, and 255 by min.
    Right(
        "seventytwo_bytes_result_first",
        "seventytwo_bytes",
        (
            'extern "C" void launch(const uint8_t *a,  // [n]\n'
            "                       const uint8_t *b,  // [n]\n"
            "                       uint8_t *out,      // [n]\n",
            'extern "C" void launch(uint8_t *out,      // [n]\n'
            "                       const uint8_t *a,  // [n]\n"
            "                       const uint8_t *b,  // [n]\n",
        ),
        ("out[i] = s > 255 ? 255 : s;", "out[i] = min(s, 255u);"),
    ),
    # Two blocks more are idle, and the thread after the pairs takes the odd one.
    Right(
        "seventytwo_gap_idle_blocks",
        "seventytwo_gap",
        ("int blocks = n / 2 / block_size + 1;", "int blocks = n / 2 / block_size + 3;"),
        ("if (p == 0 && n % 2 == 1)", "if (p == n / 2 && n % 2 == 1)"),
    ),
    # Blocks have 96 threads, and NaN is told apart.
    Right(
        "seventytwo_tohalf_blocks_of_96",
        "seventytwo_tohalf",
        ("const int kThreads = 256;", "const int kThreads = 96;"),
        (
            "    return __float2half_rn(v);",
            "    if (isnan(v))\n        return __float2half(NAN);\n"
            "    return __double2half((double)v);",
        ),
    ),
    # The larger of the number and 0 is added.
    Right(
        "seventytwo_softplus_without_branches",
        "seventytwo_softplus",
        (
            "  if (v > 0.0f) return v + log1pf(expf(-v));\n  return log1pf(expf(v));",
            "  return fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)));",
        ),
    ),
    # Warps go to the result by themselves.
    Right(
        "seventytwo_least_by_shuffles",
        "seventytwo_least",
        (
            "    __shared__ int of_block;\n    if (threadIdx.x == 0)\n"
            "        of_block = MOST;\n    __syncthreads();\n",
            "",
        ),
        (
            "    atomicMin(&of_block, mine);\n    __syncthreads();\n    if (threadIdx.x == 0)\n"
            "        atomicMin(low, of_block);",
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        mine = min(mine, __shfl_down_sync(0xffffffff, mine, d));\n"
            "    if (threadIdx.x % 32 == 0)\n        atomicMin(low, mine);",
        ),
    ),
    # Blocks are 16 rows high, and the tile is added by a tree.
    Right(
        "seventytwo_columns_by_a_tree",
        "seventytwo_columns",
        ("#define H 8", "#define H 16"),
        (
            "  if (threadIdx.y == 0 && c < cols) {\n    float total = 0.0f;\n"
            "    for (int k = 0; k < H; k++) total += tile[k][threadIdx.x];\n"
            "    sums[c] = total;\n  }",
            "  for (int h = H / 2; h > 0; h /= 2) {\n"
            "    if (threadIdx.y < h)\n"
            "      tile[threadIdx.y][threadIdx.x] += tile[threadIdx.y + h][threadIdx.x];\n"
            "    __syncthreads();\n  }\n"
            "  if (threadIdx.y == 0 && c < cols) sums[c] = tile[0][threadIdx.x];",
        ),
    ),
    # A block more may be idle, and the last lane has the sum, too.
    Right(
        "seventytwo_length_idle_warps",
        "seventytwo_length",
        ("__shfl_down_sync(0xffffffffu, sum, d)", "__shfl_xor_sync(0xffffffffu, sum, d)"),
        ("if (lane == 0)", "if (lane == 31)"),
        ("row_length<<<(rows + 3) / 4, 128", "row_length<<<rows / 4 + 1, 128"),
    ),
    # Columns are counted from the last.
    Right(
        "seventytwo_argmin_from_the_end",
        "seventytwo_argmin",
        ("for (int c = t; c < cols; c += T) {", "for (int c = cols - 1 - t; c >= 0; c -= T) {"),
        ("#define T 128", "#define T 64"),
    ),
    # Tiles have 32 x 32 numbers without a sign.
    Right(
        "seventytwo_turn_tile_of_32",
        "seventytwo_turn",
        ("#define TILE 16", "#define TILE 32"),
        ("__shared__ int64_t tile[TILE][TILE + 1];", "__shared__ uint64_t tile[TILE][TILE];"),
    ),
    # A kernel of its own sets the result.
    Right(
        "seventytwo_atx_set_by_kernel",
        "seventytwo_atx",
        (
            "__global__ void atx(",
            "__global__ void clear(float* y, int n) {\n"
            "  for (int c = threadIdx.x; c < n; c += blockDim.x) y[c] = 0.0f;\n}\n\n"
            "__global__ void atx(",
        ),
        (
            "  cudaMemsetAsync(y, 0, n * sizeof(float), stream);",
            "  clear<<<1, 256, 0, stream>>>(y, n);",
        ),
    ),
    # Tiles have 8 x 8 numbers, and what is added is fused.
    Right(
        "seventytwo_gemm_tiles_of_8",
        "seventytwo_gemm",
        ("#define S 16", "#define S 8"),
        (
            "alpha * acc + beta * c[(size_t)row * n + col]",
            "fmaf(beta, c[(size_t)row * n + col], alpha * acc)",
        ),
    ),
    # The temperature is turned round once.
    Right(
        "seventytwo_warm_reciprocal",
        "seventytwo_warm",
        ("expf((v - most) / t)", "expf((v - most) * (1.0f / t))"),
        ("  sum = s[0];\n", "  float scale = 1.0f / s[0];\n"),
        ("warm(row[c], most, temperature) / sum;", "scale * warm(row[c], most, temperature);"),
    ),
    # The row is read twice.
    Right(
        "seventytwo_welford_two_passes",
        "seventytwo_welford",
        (
            "    float count = 0.0f, mean = 0.0f, m2 = 0.0f;\n"
            "    for (int c = lane; c < cols; c += 32) {\n"
            "        float d = in[c] - mean;\n        count += 1.0f;\n"
            "        mean += d / count;\n        m2 += d * (in[c] - mean);\n    }\n",
            "    float mean = 0.0f, m2 = 0.0f;\n"
            "    for (int c = lane; c < cols; c += 32)\n        mean += in[c];\n"
            "    for (int step = 16; step > 0; step >>= 1)\n"
            "        mean += __shfl_xor_sync(ALL, mean, step);\n"
            "    mean /= cols;\n"
            "    for (int c = lane; c < cols; c += 32)\n"
            "        m2 += (in[c] - mean) * (in[c] - mean);\n",
        ),
        (
            "    for (int step = 16; step > 0; step >>= 1) {\n"
            "        float count_b = __shfl_xor_sync(ALL, count, step);\n"
            "        float mean_b = __shfl_xor_sync(ALL, mean, step);\n"
            "        float m2_b = __shfl_xor_sync(ALL, m2, step);\n"
            "        float both = count + count_b;\n        if (both > 0.0f) {\n"
            "            float d = mean_b - mean;\n"
            "            mean += d * (count_b / both);\n"
            "            m2 += m2_b + d * d * (count * count_b / both);\n"
            "            count = both;\n        }\n    }\n",
            "    for (int step = 16; step > 0; step >>= 1)\n"
            "        m2 += __shfl_xor_sync(ALL, m2, step);\n",
        ),
    ),
)
