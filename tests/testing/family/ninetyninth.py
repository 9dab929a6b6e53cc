"""Hold a ninety-ninth family: a course's operators, as written in a first half year.

Its bases are an add of doubles in a loop over the grid, the larger of two bytes by char4,
doubles to floats, floats to the nearest integers, four a thread, GELU by float2, SiLU by
half2 where addresses allow it, how far ints are apart as 64 bits, the sum of each column
by a block with a tree, the number of zeros by shuffles and an atomic, the largest of an
array by two kernels, log softmax with a thread a row, RMS norm of doubles with a block a
row, halves transposed by tiles of pairs, and a matrix times a vector, pieces of which are
in shared memory. They have 12 to 50 lines, in different hands. Their mistakes are spread
over alignment, sizes, grids and block sizes, integers, values, rounding, NaN, infinity,
the sign of zero and subnormal numbers, inputs that are written, sums, transposes,
products, order, streams and what is left of an earlier call.

The causes were written before a member was judged. There are 70 wrong members and 14 right
ones. On the emulator each was run beside PyTorch, compared as a case does, called twice on the
same tensors, with NaN and with 1e3 in floating outputs (-1, 77 and 7 in others), with tensors
at either end of their pages, the bytes behind them and their inputs looked at afterwards, on a
stream that is not the default one, with threads in order, from the last to the first and in a
random order, and in the slices that the cases name. Bases and right ones ran all cases; wrong
ones until they were wrong often enough. Of those that lack a barrier not each is wrong in every
order of threads, and zeros_no_atomic is in none of those that were tried. nvcc 13.0 compiles
each for 8.0, all members of a base in one file; none was run on a GPU. Past 2^31 numbers the
largest was not awaited. Bases and right ones are right, and all others wrong or refused by a
fault:

    ninetynine_add_one_too_many           always: an element behind the last is read and written
    ninetynine_add_steps_of_256           from 41 blocks on, if they have fewer than 256 threads
    ninetynine_add_no_loop                from 41 blocks on
    ninetynine_add_float_sum              of sums that are not floats
    ninetynine_add_no_stream              on another stream than the default one
    ninetynine_max8_out_anywhere          from 4 numbers on, by the address of out alone
    ninetynine_max8_unsigned              of two numbers of which one is below 0
    ninetynine_max8_rest_begins_early     unless 4 divides n, where fours are taken
    ninetynine_max8_last_with_third       from 4 numbers on, where fours are taken
    ninetynine_max8_by_difference         of numbers that are 128 apart or more
    ninetynine_narrow_toward_zero         of about every other number
    ninetynine_narrow_no_infinity         of infinities and what is beyond the floats
    ninetynine_narrow_thousand_blocks     from 1,001 blocks on
    ninetynine_narrow_tiny_is_zero        of subnormal floats
    ninetynine_narrow_whole_blocks        beyond one block, unless the block size divides n
    ninetynine_nearest_half_added         of ties, next to them, odd ones from 2^23 on
    ninetynine_nearest_ties_away          of every other tie
    ninetynine_nearest_blocks_overlap     from two blocks on
    ninetynine_nearest_last_forgotten     always: of the last
    ninetynine_nearest_wraps              beyond 32 bits
    ninetynine_gelu_by_tanh               of nearly all
    ninetynine_gelu_no_root               of nearly all
    ninetynine_gelu_odd_forgotten         of odd counts
    ninetynine_gelu_nan_is_low            of NaN
    ninetynine_gelu_first_of_two          from 2 numbers on
    ninetynine_silu_x_anywhere            from 2 numbers on, by the address of x alone
    ninetynine_silu_half_exponential      of many, and from about -11 down
    ninetynine_silu_infinite_ratio        from 89 on
    ninetynine_silu_pairs_rounded_up      of odd counts, where pairs are taken
    ninetynine_silu_pair_swapped          from 2 numbers on, where pairs are taken
    ninetynine_apart_int_difference       of numbers that are 2^31 apart or more
    ninetynine_apart_through_float        beyond 2^24
    ninetynine_apart_always_256           of other block sizes, from a second block on
    ninetynine_apart_inputs_exchanged     where b is larger: inputs are overwritten
    ninetynine_apart_sign_stays           where b is larger
    ninetynine_column_pitch_of_rows       from 2 rows on, unless there are as many columns
    ninetynine_column_no_barrier_in_tree  where warps do not wait for another
    ninetynine_column_tree_from_quarter   from 65 rows on
    ninetynine_column_block_a_row         unless there are as many rows as columns
    ninetynine_column_starts_with_first   unless the first row is 0
    ninetynine_zeros_not_set_before       unless the count was 0 before
    ninetynine_zeros_by_bits              of -0.0
    ninetynine_zeros_no_atomic            from 33 numbers on, where additions meet
    ninetynine_zeros_small_ones           of small numbers that are not 0
    ninetynine_zeros_first_warp           from 33 numbers on
    ninetynine_largest_starts_at_0        if all numbers are below 0
    ninetynine_largest_tree_ends_early    unless the largest is of an even thread
    ninetynine_largest_all_parts          below 32,641 numbers, by what is left in parts
    ninetynine_largest_second_no_stream   on another stream than the default one
    ninetynine_largest_part_a_thread      from 16,385 numbers on, if it is in a later block
    ninetynine_logsoft_not_shifted        from about 89 on, and far below 0
    ninetynine_logsoft_starts_at_0        of rows that are far below 0
    ninetynine_logsoft_of_quotient        of what is far below the largest of its row
    ninetynine_logsoft_one_row_more       unless the block size divides the rows
    ninetynine_logsoft_base_2             from 2 columns on
    ninetynine_rms_float_root             of nearly all
    ninetynine_rms_weight_of_row          from 2 rows or columns on
    ninetynine_rms_eps_outside            of nearly all
    ninetynine_rms_last_warp_left_out     from 97 columns on
    ninetynine_rms_no_barrier             from 33 columns on, where warps do not wait
    ninetynine_turn_tile_not_turned       of nearly all
    ninetynine_turn_grid_swapped          unless the tiles are as many each way
    ninetynine_turn_pairs_to_odd_rows     of odd counts of rows, from 3 on and 2 columns on
    ninetynine_turn_pitch_of_x            unless there are as many rows as columns
    ninetynine_turn_half_stored           from 17 columns on
    ninetynine_matvec_early_return        unless 64 divides the rows or there are as few columns
    ninetynine_matvec_no_second_barrier   from 65 columns on, where warps do not wait
    ninetynine_matvec_whole_pieces        unless 64 divides the columns
    ninetynine_matvec_pitch_of_rows       from 2 rows on, unless there are as many columns
    ninetynine_matvec_last_piece_alone    from 65 columns on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Doubles are added in a loop over the grid.
ADD = (
    HEADER
    + """\
__global__ void addDoubles(const double *a, const double *b, double *c, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void launch(const double *a,  // [n]
                       const double *b,  // [n]
                       double *c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0) return;
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > 40) blocks = 40;
    addDoubles<<<blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# The larger of two bytes: four a thread where all addresses allow it, the rest one by one.
MAX8 = (
    HEADER
    + """\
__device__ __forceinline__ int8_t larger(int8_t p, int8_t q) { return p > q ? p : q; }

__global__ void max_by_four(const char4* a, const char4* b, char4* out, int packs) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < packs) {
    char4 u = a[i], v = b[i];
    u.x = larger(u.x, v.x);
    u.y = larger(u.y, v.y);
    u.z = larger(u.z, v.z);
    u.w = larger(u.w, v.w);
    out[i] = u;
  }
}

__global__ void max_by_one(const int8_t* a, const int8_t* b, int8_t* out, int begin, int n) {
  int i = begin + threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) out[i] = larger(a[i], b[i]);
}

bool by_four(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(char4) == 0; }

extern "C" void launch(const int8_t* a,  // [n]
                       const int8_t* b,  // [n]
                       int8_t* out,      // [n]
                       int n, cudaStream_t stream = 0) {
  const int threads = 128;
  int packs = by_four(a) && by_four(b) && by_four(out) ? n / 4 : 0;
  if (packs > 0)
    max_by_four<<<(packs + threads - 1) / threads, threads, 0, stream>>>(
        (const char4*)a, (const char4*)b, (char4*)out, packs);
  int left = n - 4 * packs;
  if (left > 0)
    max_by_one<<<(left + threads - 1) / threads, threads, 0, stream>>>(a, b, out, 4 * packs,
                                                                       n);
}
"""
)

# Doubles become floats, one a thread.
NARROW = (
    HEADER
    + """\
__global__ void narrow(const double* __restrict__ in, float* __restrict__ out, int n)
{
  const int idx = blockDim.x * blockIdx.x + threadIdx.x;
  if (idx >= n)
    return;
  float value = (float)in[idx];
  out[idx] = value;
}

extern "C" void launch(const double* in,  // [n]
                       float* out,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
  if (n > 0) {
    int grid = (n + block_size - 1) / block_size;
    narrow<<<grid, block_size, 0, stream>>>(in, out, n);
  }
}
"""
)

# Floats become the nearest integers, four a thread that lie a block apart.
NEAREST = (
    HEADER
    + """\
constexpr int PER_THREAD = 4;

__device__ int nearest(float v) {
    return __float2int_rn(v);
}

__global__ void to_int(const float* src, int* dst, int n) {
    int base = blockIdx.x * blockDim.x * PER_THREAD;
#pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) {
        int i = base + k * blockDim.x + threadIdx.x;
        if (i < n) dst[i] = nearest(src[i]);
    }
}

extern "C" void launch(const float* src,  // [n]
                       int* dst,          // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int per_block = block_size * PER_THREAD;
    int blocks = (n + per_block - 1) / per_block;
    to_int<<<blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# GELU with the error function, two a thread and an odd last one.
GELU = (
    HEADER
    + """\
__device__ float gelu1(float v)
{
    return 0.5f * v * erfcf(v * -0.70710678118f);
}

__global__ void geluKernel(const float *x, float *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int pairs = n / 2;
    if (t < pairs) {
        float2 v = reinterpret_cast<const float2 *>(x)[t];
        float2 r;
        r.x = gelu1(v.x);
        r.y = gelu1(v.y);
        reinterpret_cast<float2 *>(y)[t] = r;
    }
    else if (t == pairs && n % 2 == 1)
        y[n - 1] = gelu1(x[n - 1]);
}

extern "C" void launch(const float *x,  // [n] 8-byte aligned
                       float *y,        // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    int threads = (n + 1) / 2;
    geluKernel<<<(threads + 255) / 256, 256, 0, stream>>>(x, y, n);
}
"""
)

# SiLU of halves, two a thread where both addresses are even to 4, and one a thread elsewhere.
SILU = (
    HEADER
    + """\
__device__ float silu(float x) { return x / (1.0f + expf(-x)); }

__global__ void silu2(const half2* x, half2* y, int n2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n2) return;
  float lo = __low2float(x[i]);
  float hi = __high2float(x[i]);
  y[i] = __floats2half2_rn(silu(lo), silu(hi));
}

__global__ void silu1(const half* x, half* y, int start, int n) {
  int i = start + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(silu(__half2float(x[i])));
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  bool even = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
  int n2 = even ? n / 2 : 0;
  if (n2 > 0)
    silu2<<<(n2 + block_size - 1) / block_size, block_size, 0, stream>>>((const half2*)x,
                                                                         (half2*)y, n2);
  int done = 2 * n2;
  if (done < n)
    silu1<<<(n - done + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, done, n);
}
"""
)

# How far two ints are apart, as an int64_t.
APART = (
    HEADER
    + """\
__global__ void apart(const int *a, const int *b, int64_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
    {
        int p = a[i];
        int q = b[i];
        int64_t d = (int64_t)p - q;
        out[i] = d < 0 ? -d : d;
    }
}

extern "C" void launch(const int *a,  // [n]
                       const int *b,  // [n]
                       int64_t *out,  // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    int blocks = n / block_size + (n % block_size != 0);
    if (blocks > 0)
        apart<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# The sum of each column, a block a column, by a tree.
COLUMN = (
    HEADER
    + """\
#define THREADS 128

__global__ void columnSum(const float *x, float *out, int rows, int cols)
{
    __shared__ float part[THREADS];
    int tid = threadIdx.x;
    int col = blockIdx.x;

    float sum = 0.0f;
    for (int r = tid; r < rows; r += THREADS)
        sum += x[(size_t)r * cols + col];
    part[tid] = sum;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[col] = part[0];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    columnSum<<<cols, THREADS, 0, stream>>>(x, out, rows, cols);
}
"""
)

# The number of zeros: a warp adds by shuffles and its first lane by an atomic.
ZEROS = (
    HEADER
    + """\
__global__ void count_zeros(const float* x, int* count, int n) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (x[i] == 0.0f) ++mine;
  }
  for (int offset = 16; offset > 0; offset /= 2)
    mine += __shfl_down_sync(0xffffffffu, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}

extern "C" void launch(const float* x,  // [n]
                       int* count,      // [1]
                       int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(count, 0, sizeof(int), stream);
  int blocks = (n + 255) / 256;
  if (blocks > 16) blocks = 16;
  count_zeros<<<blocks, 256, 0, stream>>>(x, count, n);
}
"""
)

# The largest of an array: one of each block, and one block for those.
LARGEST = (
    HEADER
    + """\
#define T 128
#define MAX_BLOCKS 256

__device__ float partial[MAX_BLOCKS];

// NaN stays NaN.
__device__ float pick(float a, float b)
{
    return (a > b || a != a) ? a : b;
}

__device__ void reduce(float v, float *out)
{
    __shared__ float s[T];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = T / 2; h >= 1; h /= 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] = pick(s[threadIdx.x], s[threadIdx.x + h]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = s[0];
}

__global__ void largest_of_blocks(const float *x, int64_t n)
{
    float best = -INFINITY;
    for (int64_t i = (int64_t)blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        best = pick(best, x[i]);
    reduce(best, &partial[blockIdx.x]);
}

__global__ void largest_of_all(float *out, int count)
{
    float v = -INFINITY;
    for (int i = threadIdx.x; i < count; i += T)
        v = pick(v, partial[i]);
    reduce(v, out);
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + T - 1) / T;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    largest_of_blocks<<<blocks, T, 0, stream>>>(x, n);
    largest_of_all<<<1, T, 0, stream>>>(out, blocks);
}
"""
)

# Log softmax, a thread a row.
LOGSOFT = (
    HEADER
    + """\
__global__ void log_softmax(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + (size_t)row * cols;
    float* out = y + (size_t)row * cols;

    float top = in[0];
    for (int j = 1; j < cols; j++) top = fmaxf(top, in[j]);

    float total = 0.0f;
    for (int j = 0; j < cols; j++) total += expf(in[j] - top);

    float shift = logf(total);
    for (int j = 0; j < cols; j++) out[j] = in[j] - top - shift;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0) {
    int blocks = (rows + block_size - 1) / block_size;
    log_softmax<<<blocks, block_size, 0, stream>>>(x, y, rows, cols);
}
"""
)

# RMS norm of doubles with a weight a column, a block a row.
RMS = (
    HEADER
    + """\
#define WARPS 4

__global__ void rms_norm(const double* x, const double* w, double* y, float eps, int cols) {
  __shared__ double warp_sum[WARPS];
  const double* xr = x + (int64_t)blockIdx.x * cols;
  double* yr = y + (int64_t)blockIdx.x * cols;

  double sq = 0.0;
  for (int c = threadIdx.x; c < cols; c += 32 * WARPS) sq += xr[c] * xr[c];
  for (int d = 16; d > 0; d >>= 1) sq += __shfl_xor_sync(0xffffffff, sq, d);
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = sq;
  __syncthreads();

  double total = 0.0;
  for (int k = 0; k < WARPS; ++k) total += warp_sum[k];
  double scale = 1.0 / sqrt(total / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 32 * WARPS) yr[c] = xr[c] * scale * w[c];
}

extern "C" void launch(const double* x,  // [rows, cols]
                       const double* w,  // [cols]
                       double* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  rms_norm<<<rows, 32 * WARPS, 0, stream>>>(x, w, y, eps, cols);
}
"""
)

# Halves are transposed by tiles of 32; pairs are moved where the sides are even.
TURN = (
    HEADER
    + """\
#define TILE 32
#define HALF_TILE (TILE / 2)

__global__ void turn(const half *x, half *y, int rows, int cols)
{
    __shared__ half tile[TILE][TILE + 2];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    int pair = 2 * threadIdx.x;
    for (int k = threadIdx.y; k < TILE; k += HALF_TILE) {
        int r = top + k, c = left + pair;
        const half *from = x + (size_t)r * cols + c;
        if (r < rows && c + 1 < cols && cols % 2 == 0) {
            half2 two = *(const half2 *)from;
            tile[k][pair] = __low2half(two);
            tile[k][pair + 1] = __high2half(two);
        } else if (r < rows) {
            if (c < cols) tile[k][pair] = from[0];
            if (c + 1 < cols) tile[k][pair + 1] = from[1];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += HALF_TILE) {
        int r = left + k, c = top + pair;
        half lo = tile[pair][k], hi = tile[pair + 1][k];
        half *to = y + (size_t)r * rows + c;
        if (r < cols && c + 1 < rows && rows % 2 == 0) {
            *(half2 *)to = __halves2half2(lo, hi);
        } else if (r < cols) {
            if (c < rows) to[0] = lo;
            if (c + 1 < rows) to[1] = hi;
        }
    }
}

extern "C" void launch(const half *x,  // [rows, cols] 4-byte aligned
                       half *y,        // [cols, rows] 4-byte aligned
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    turn<<<grid, dim3(HALF_TILE, HALF_TILE), 0, stream>>>(x, y, rows, cols);
}
"""
)

# A matrix times a vector, a thread a row, with pieces of the vector in shared memory.
MATVEC = (
    HEADER
    + """\
#define BLOCK 64

__global__ void matvec(const float* A, const float* x, float* y, int rows, int cols) {
  __shared__ float xs[BLOCK];
  int row = blockIdx.x * BLOCK + threadIdx.x;
  float acc = 0.0f;
  for (int start = 0; start < cols; start += BLOCK) {
    if (start + threadIdx.x < cols) xs[threadIdx.x] = x[start + threadIdx.x];
    __syncthreads();
    if (row < rows) {
      int count = min(BLOCK, cols - start);
      for (int j = 0; j < count; j++) acc += A[(size_t)row * cols + start + j] * xs[j];
    }
    __syncthreads();
  }
  if (row < rows) y[row] = acc;
}

extern "C" void launch(const float* A,  // [rows, cols]
                       const float* x,  // [cols]
                       float* y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + BLOCK - 1) / BLOCK;
  matvec<<<blocks, BLOCK, 0, stream>>>(A, x, y, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 9001, 70_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
SIDES += ((513, 3), (1, 70), (1000, 3), (129, 17), (4099, 1))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Compute 0.5 x (1 + erf(x / sqrt(2))) without cancelling."""
    return 0.5 * x * torch.special.erfc(-x * 0.5**0.5)


def silu(x: torch.Tensor) -> torch.Tensor:
    """Compute x / (1 + exp(-x))."""
    return x / (1 + torch.exp(-x))


def larger_bytes(launcher: Launcher) -> Iterator[Case]:
    """Try what an operator is tried with, and slices of which one is not even to 4."""
    make = ElementwiseMaker.of(launcher, torch.maximum)
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 21)
        for offset in ((4, 8, 4), (1, 4, 8), (4, 2, 8), (8, 4, 3)):
            yield make.shifted(n, 22, offset)


def nearest_integers(launcher: Launcher) -> Iterator[Case]:
    """Round: any, ties, small, large, beyond the range, infinities, NaN."""
    for n in LENGTHS:
        x, j = whole(-9999, 10_000, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x / 64),
            ("ties", x + 0.5),
            ("small", x / 9000),
            ("just below a half", torch.where(j % 2 == 0, 0.49999997, -0.49999997)),
            ("odd beyond 2^23", 2.0**23 + 2 * x.abs() + 1),
            ("large", x * 200_000),
            ("beyond the range", x * 2.0**30),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(-(2**31), 2**31 - 1)
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.int32,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, zeros, negative, the last, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("ones", x * 0 + 1),
            ("negative", -x.abs() - 1),
            ("the last row alone", torch.where(r == rows - 1, x + 200, 0.0)),
            ("a column of NaN", torch.where(torch.arange(cols) == cols // 2, NAN, x)),
            ("infinity", torch.where(r == rows // 2, INF, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(0),), dtypes=FLOAT)


def zero_counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, none, all, zeros of both signs, tiny numbers, the last alone, NaN."""
    for n in LENGTHS:
        x, j = whole(-3, 4, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("none", x.abs() + 1),
            ("all", x * 0),
            ("zeros of both signs", torch.where(j % 2 == 0, -0.0, torch.where(x > 1, 0.0, x))),
            ("tiny numbers", x * 2.0**-140),
            ("small numbers", x * 2.0**-40),
            ("the last alone", torch.where(j == n - 1, 0.0, 5.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.float()
            right = (y == 0).sum().reshape(1)
            options = {"dtypes": (torch.int32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
    for n in (33, 1000):
        x = whole(-3, 4, n, n + 1).float()
        right = ((x == 0).sum().reshape(1),)
        options = {"dtypes": (torch.int32,), "before": (x * 0,)}
        yield Case(f"n = {n:,}, a second call", (x,), right, **options)


def log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms: any, equal, far from 0, wide, a mask, rows of zeros, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("negative", -x.abs() - 1),
            ("wide", x * 64),
            ("rising", x * 0 + c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.float()
            right = torch.log_softmax(y.double(), 1)
            slack = (2.0**-20 * (1 + right.abs()) + cols * 2.0**-23).nan_to_num(0.0, 0.0, 0.0)
            for block_size in (64, 32):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, dtypes=FLOAT, within=(slack,))


def rms_norms(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, zeros, negative, tiny, large, the last alone, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double() / 7, torch.arange(cols)
        w = whole(-99, 100, cols, n + 1).double() / 3
        for label, y, v, eps in (
            ("any", x, w, 0.25),
            ("no weights", x, w * 0 + 1, 2.0**-20),
            ("zeros", x * 0, w, 0.5),
            ("negative", -x.abs() - 1, w, 1.0),
            ("tiny", x * 1e-30, w, 0.125),
            ("large", x * 1e60, w, 0.5),
            ("the last alone", torch.where(c == cols - 1, 8.0, 0.0) + x * 0, w, 0.25),
            ("NaN", torch.where(c == cols // 2, NAN, x), w, 0.5),
        ):
            right = y * v / ((y * y).mean(1, keepdim=True) + eps).sqrt()
            slack = ((cols + 16) * 2.0**-53 * right.abs()).nan_to_num(0.0)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            options = {"dtypes": (torch.float64,), "within": (slack,)}
            yield Case(words, (y, v), (right,), {"eps": eps}, **options)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: any, and all places apart; NaN, infinities and zeros."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (64, 128), (34, 66), (2, 3)):
        n = rows * cols
        x = whole(-2047, 2048, n, n).reshape(rows, cols).double()
        places = torch.arange(n).reshape(rows, cols).double() % 2039
        strange = x.reshape(-1).clone()
        strange[n // 2], strange[n // 3], strange[n // 5] = NAN, -INF, -0.0
        for label, y in (
            ("any", x),
            ("places", places),
            ("strange ones", strange.reshape(rows, cols)),
        ):
            words, right = f"rows = {rows:,}, cols = {cols:,}, {label}", (y.T.contiguous(),)
            yield Case(words, (y.half(),), right, dtypes=HALF)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, zeros, the last, NaN."""
    sides = [(n, n + 1) for n in range(1, 71)]
    for rows, cols in (*sides, *SIDES):
        n = rows * cols
        a, x = whole(-30, 31, n, n).reshape(rows, cols).double(), whole(-30, 31, cols, n + 1)
        x, j = x.double(), torch.arange(cols)
        for label, p, q in (
            ("any", a, x),
            ("ones", a, x * 0 + 1),
            ("zeros", a * 0, x),
            ("the last alone", a.abs() + 1, torch.where(j == cols - 1, 3.0, 0.0)),
            ("NaN in x", a, torch.where(j == cols // 2, NAN, x)),
            ("NaN in A", torch.where(torch.arange(rows)[:, None] == rows // 2, NAN, a), x),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = ((p * q).sum(1),)
            yield Case(words, (p.float(), q.float()), right, dtypes=FLOAT)


BASES = {
    "ninetynine_add": Base(ADD, {"reference": "add"}),
    "ninetynine_max8": Base(MAX8, {"cases": larger_bytes}),
    "ninetynine_narrow": Base(NARROW, {"reference": "cast"}),
    "ninetynine_nearest": Base(NEAREST, {"cases": nearest_integers}),
    "ninetynine_gelu": Base(GELU, {"reference": gelu, "ulp": 16}),
    "ninetynine_silu": Base(SILU, {"reference": silu, "ulp": 1}),
    "ninetynine_apart": Base(APART, {"reference": lambda a, b: (a - b).abs()}),
    "ninetynine_column": Base(COLUMN, {"cases": columns}),
    "ninetynine_zeros": Base(ZEROS, {"cases": zero_counts}),
    "ninetynine_largest": Base(LARGEST, cases="whole_array", function=torch.max),
    "ninetynine_logsoft": Base(LOGSOFT, {"cases": log_softmaxes}),
    "ninetynine_rms": Base(RMS, {"cases": rms_norms}),
    "ninetynine_turn": Base(TURN, {"cases": turns}),
    "ninetynine_matvec": Base(MATVEC, {"cases": products}),
}

WRONG = (
    # ---- add
    # The element after the last is added, too.
    Wrong(
        "ninetynine_add_one_too_many",
        "ninetynine_add",
        "bounds",
        ("i < n; i += stride", "i <= n; i += stride"),
    ),
    # Steps are those of blocks of 256.
    Wrong(
        "ninetynine_add_steps_of_256",
        "ninetynine_add",
        "block size / unwritten / left out | grid / tail",
        ("int stride = gridDim.x * blockDim.x;", "int stride = gridDim.x * 256;"),
    ),
    # The loop has become a test.
    Wrong(
        "ninetynine_add_no_loop",
        "ninetynine_add",
        "grid / unwritten | left out / tail",
        (
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {\n",
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n",
        ),
        ("    int stride = gridDim.x * blockDim.x;\n", ""),
    ),
    # The sum is a float.
    Wrong(
        "ninetynine_add_float_sum",
        "ninetynine_add",
        "precision | infinity / rounding / subnormal / numbers",
        ("c[i] = a[i] + b[i];", "float sum = a[i] + b[i];\n        c[i] = sum;"),
    ),
    # The stream is not handed on.
    Wrong(
        "ninetynine_add_no_stream",
        "ninetynine_add",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- max8
    # Where out starts is not tested.
    Wrong(
        "ninetynine_max8_out_anywhere",
        "ninetynine_max8",
        "alignment",
        ("by_four(a) && by_four(b) && by_four(out)", "by_four(a) && by_four(b)"),
    ),
    # Bytes are compared without their signs.
    Wrong(
        "ninetynine_max8_unsigned",
        "ninetynine_max8",
        "whole range / numbers | function",
        ("larger(int8_t p, int8_t q)", "larger(uint8_t p, uint8_t q)"),
    ),
    # The rest begins at the number of packs.
    Wrong(
        "ninetynine_max8_rest_begins_early",
        "ninetynine_max8",
        "tail / unwritten / left out",
        (
            "(a, b, out, 4 * packs,\n"
            "                                                                       n);",
            "(a, b, out, packs,\n"
            "                                                                       "
            "packs + left);",
        ),
    ),
    # The last of four is compared with the third.
    Wrong(
        "ninetynine_max8_last_with_third",
        "ninetynine_max8",
        "other element / neighbour | numbers",
        ("larger(u.w, v.w)", "larger(u.w, v.z)"),
    ),
    # The difference is a byte.
    Wrong(
        "ninetynine_max8_by_difference",
        "ninetynine_max8",
        "whole range | numbers / narrow",
        ("{ return p > q ? p : q; }", "{ return (int8_t)(p - q) > 0 ? p : q; }"),
    ),
    # ---- narrow
    # What does not fit is cut off.
    Wrong(
        "ninetynine_narrow_toward_zero",
        "ninetynine_narrow",
        "rounding | infinity",
        ("(float)in[idx]", "__double2float_rz(in[idx])"),
    ),
    # What is too large becomes the largest.
    Wrong(
        "ninetynine_narrow_no_infinity",
        "ninetynine_narrow",
        "infinity",
        (
            "  out[idx] = value;",
            "  if (value > FLT_MAX)\n    value = FLT_MAX;\n"
            "  if (value < -FLT_MAX)\n    value = -FLT_MAX;\n  out[idx] = value;",
        ),
    ),
    # There are 1,000 blocks at most.
    Wrong(
        "ninetynine_narrow_thousand_blocks",
        "ninetynine_narrow",
        "grid / unwritten | tail / left out",
        (
            "    narrow<<<grid",
            "    if (grid > 1000)\n      grid = 1000;\n    narrow<<<grid",
        ),
    ),
    # What is below the least normal number is taken for 0.
    Wrong(
        "ninetynine_narrow_tiny_is_zero",
        "ninetynine_narrow",
        "subnormal | numbers",
        (
            "  out[idx] = value;",
            "  if (fabsf(value) < FLT_MIN)\n    value = copysignf(0.0f, value);\n"
            "  out[idx] = value;",
        ),
    ),
    # Only whole blocks are launched, but for the first.
    Wrong(
        "ninetynine_narrow_whole_blocks",
        "ninetynine_narrow",
        "tail / unwritten / grid | left out",
        (
            "int grid = (n + block_size - 1) / block_size;",
            "int grid = n < block_size ? 1 : n / block_size;",
        ),
    ),
    # ---- nearest
    # A half is added and the rest cut off downward.
    Wrong(
        "ninetynine_nearest_half_added",
        "ninetynine_nearest",
        "rounding | precision / numbers",
        ("__float2int_rn(v)", "__float2int_rd(v + 0.5f)"),
    ),
    # Ties go away from 0.
    Wrong(
        "ninetynine_nearest_ties_away",
        "ninetynine_nearest",
        "rounding",
        ("__float2int_rn(v)", "(int)roundf(v)"),
    ),
    # Blocks begin one block after another, though each has four blocks' work.
    Wrong(
        "ninetynine_nearest_blocks_overlap",
        "ninetynine_nearest",
        "unwritten | left out / tail / grid / twice",
        ("blockIdx.x * blockDim.x * PER_THREAD;", "blockIdx.x * blockDim.x;"),
    ),
    # The last is not written.
    Wrong(
        "ninetynine_nearest_last_forgotten",
        "ninetynine_nearest",
        "tail / unwritten | left out",
        ("if (i < n) dst", "if (i < n - 1) dst"),
    ),
    # What is beyond 32 bits wraps around.
    Wrong(
        "ninetynine_nearest_wraps",
        "ninetynine_nearest",
        "whole range | infinity / narrow / numbers",
        ("__float2int_rn(v)", "(int)__float2ll_rn(v)"),
    ),
    # ---- gelu
    # The formula with tanh stands for it.
    Wrong(
        "ninetynine_gelu_by_tanh",
        "ninetynine_gelu",
        "precision / function | numbers",
        (
            "0.5f * v * erfcf(v * -0.70710678118f)",
            "0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)))",
        ),
    ),
    # The root is that of another number.
    Wrong(
        "ninetynine_gelu_no_root",
        "ninetynine_gelu",
        "function | numbers / precision",
        ("erfcf(v * -0.70710678118f)", "erfcf(-v)"),
    ),
    # The odd last one is not written.
    Wrong(
        "ninetynine_gelu_odd_forgotten",
        "ninetynine_gelu",
        "tail / unwritten | left out",
        (
            "    else if (t == pairs && n % 2 == 1)\n        y[n - 1] = gelu1(x[n - 1]);\n",
            "",
        ),
    ),
    # What is not above -20 becomes 0, and NaN is not.
    Wrong(
        "ninetynine_gelu_nan_is_low",
        "ninetynine_gelu",
        "nan",
        (
            "    return 0.5f * v",
            "    if (!(v > -20.0f))\n        return -0.0f;\n    return 0.5f * v",
        ),
    ),
    # Both are made of the first of two.
    Wrong(
        "ninetynine_gelu_first_of_two",
        "ninetynine_gelu",
        "other element / neighbour / twice | numbers / left out",
        ("r.y = gelu1(v.y);", "r.y = gelu1(v.x);"),
    ),
    # ---- silu
    # Where x starts is not tested.
    Wrong(
        "ninetynine_silu_x_anywhere",
        "ninetynine_silu",
        "alignment",
        ("(uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0", "(uintptr_t)y % 4 == 0"),
    ),
    # The exponential is a half.
    Wrong(
        "ninetynine_silu_half_exponential",
        "ninetynine_silu",
        "precision / infinity | numbers / rounding / subnormal",
        ("expf(-x)", "__half2float(hexp(__float2half(-x)))"),
    ),
    # Exponentials stand above and below, and both become infinite.
    Wrong(
        "ninetynine_silu_infinite_ratio",
        "ninetynine_silu",
        "infinity / nan | numbers",
        ("x / (1.0f + expf(-x))", "x * (expf(x) / (1.0f + expf(x)))"),
    ),
    # The number of pairs is rounded up.
    Wrong(
        "ninetynine_silu_pairs_rounded_up",
        "ninetynine_silu",
        "bounds / tail",
        ("even ? n / 2 : 0", "even ? (n + 1) / 2 : 0"),
    ),
    # The two of a pair change places.
    Wrong(
        "ninetynine_silu_pair_swapped",
        "ninetynine_silu",
        "other element / neighbour / swapped | numbers",
        ("silu(lo), silu(hi)", "silu(hi), silu(lo)"),
    ),
    # ---- apart
    # The difference is an int.
    Wrong(
        "ninetynine_apart_int_difference",
        "ninetynine_apart",
        "whole range / narrow | numbers",
        ("(int64_t)p - q;", "p - q;"),
    ),
    # The magnitude is a float.
    Wrong(
        "ninetynine_apart_through_float",
        "ninetynine_apart",
        "precision / narrow | numbers / rounding",
        ("out[i] = d < 0 ? -d : d;", "out[i] = fabsf(d);"),
    ),
    # Blocks have 256 threads, whatever was said.
    Wrong(
        "ninetynine_apart_always_256",
        "ninetynine_apart",
        "block size / unwritten | left out / tail / race / twice",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # The larger one is put first where both lie.
    Wrong(
        "ninetynine_apart_inputs_exchanged",
        "ninetynine_apart",
        "input",
        (
            "__global__ void apart(const int *a, const int *b,",
            "__global__ void apart(int *a, int *b,",
        ),
        (
            "        int64_t d = (int64_t)p - q;\n        out[i] = d < 0 ? -d : d;\n",
            "        if (p < q)\n        {\n            a[i] = q;\n            b[i] = p;\n"
            "        }\n        out[i] = (int64_t)a[i] - b[i];\n",
        ),
        ("(a, b, out, n);", "((int *)a, (int *)b, out, n);"),
    ),
    # The sign stays.
    Wrong(
        "ninetynine_apart_sign_stays",
        "ninetynine_apart",
        "function | numbers",
        ("out[i] = d < 0 ? -d : d;", "out[i] = d;"),
    ),
    # ---- column
    # Rows are as long as there are rows.
    Wrong(
        "ninetynine_column_pitch_of_rows",
        "ninetynine_column",
        "sides / other element / bounds | numbers",
        ("x[(size_t)r * cols + col]", "x[(size_t)r * rows + col]"),
    ),
    # Threads do not wait between the levels of the tree.
    Wrong(
        "ninetynine_column_no_barrier_in_tree",
        "ninetynine_column",
        "race | left out / numbers",
        (
            "            part[tid] += part[tid + s];\n        __syncthreads();\n",
            "            part[tid] += part[tid + s];\n",
        ),
    ),
    # The tree begins with a quarter.
    Wrong(
        "ninetynine_column_tree_from_quarter",
        "ninetynine_column",
        "left out | numbers",
        ("int s = THREADS / 2;", "int s = THREADS / 4;"),
    ),
    # There is a block for each row.
    Wrong(
        "ninetynine_column_block_a_row",
        "ninetynine_column",
        "grid / sides / bounds / unwritten / swapped | left out / tail",
        ("columnSum<<<cols,", "columnSum<<<rows,"),
    ),
    # Each thread begins with the first row.
    Wrong(
        "ninetynine_column_starts_with_first",
        "ninetynine_column",
        "start / twice | numbers / other element",
        ("float sum = 0.0f;", "float sum = x[col];"),
    ),
    # ---- zeros
    # The count is not set before.
    Wrong(
        "ninetynine_zeros_not_set_before",
        "ninetynine_zeros",
        "zero before / state | start / unwritten",
        ("  cudaMemsetAsync(count, 0, sizeof(int), stream);\n", ""),
    ),
    # -0.0 has other bits.
    Wrong(
        "ninetynine_zeros_by_bits",
        "ninetynine_zeros",
        "sign of zero | left out / numbers",
        ("x[i] == 0.0f", "__float_as_int(x[i]) == 0"),
    ),
    # The count is added to without an atomic.
    Wrong(
        "ninetynine_zeros_no_atomic",
        "ninetynine_zeros",
        "race | left out / numbers",
        ("atomicAdd(count, mine);", "*count += mine;"),
    ),
    # What is small counts as well.
    Wrong(
        "ninetynine_zeros_small_ones",
        "ninetynine_zeros",
        "numbers / subnormal / precision | function",
        ("x[i] == 0.0f", "fabsf(x[i]) < 1e-6f"),
    ),
    # Only the first warp of a block adds.
    Wrong(
        "ninetynine_zeros_first_warp",
        "ninetynine_zeros",
        "left out | numbers",
        ("if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)"),
    ),
    # ---- largest
    # The largest of a block begins with 0.
    Wrong(
        "ninetynine_largest_starts_at_0",
        "ninetynine_largest",
        "start | numbers / infinity",
        ("float best = -INFINITY;", "float best = 0.0f;"),
    ),
    # The last level of the tree is missing.
    Wrong(
        "ninetynine_largest_tree_ends_early",
        "ninetynine_largest",
        "left out | numbers",
        ("h >= 1; h /= 2", "h > 1; h /= 2"),
    ),
    # All parts are looked at, those of an earlier call, too.
    Wrong(
        "ninetynine_largest_all_parts",
        "ninetynine_largest",
        "state / start | numbers / infinity / unwritten",
        (
            "largest_of_all<<<1, T, 0, stream>>>(out, blocks);",
            "largest_of_all<<<1, T, 0, stream>>>(out, MAX_BLOCKS);",
        ),
    ),
    # The second kernel is on the default stream.
    Wrong(
        "ninetynine_largest_second_no_stream",
        "ninetynine_largest",
        "stream | race",
        ("largest_of_all<<<1, T, 0, stream>>>", "largest_of_all<<<1, T>>>"),
    ),
    # A thread looks at one part, though there may be more.
    Wrong(
        "ninetynine_largest_part_a_thread",
        "ninetynine_largest",
        "left out | tail / numbers",
        (
            "for (int i = threadIdx.x; i < count; i += T)",
            "int i = threadIdx.x;\n    if (i < count)",
        ),
    ),
    # ---- logsoft
    # The largest is not taken away before.
    Wrong(
        "ninetynine_logsoft_not_shifted",
        "ninetynine_logsoft",
        "infinity | nan / numbers / precision",
        ("expf(in[j] - top)", "expf(in[j])"),
        ("in[j] - top - shift", "in[j] - shift"),
    ),
    # The largest begins with 0.
    Wrong(
        "ninetynine_logsoft_starts_at_0",
        "ninetynine_logsoft",
        "start | infinity / numbers / precision",
        ("float top = in[0];", "float top = 0.0f;"),
        ("int j = 1; j < cols", "int j = 0; j < cols"),
    ),
    # The logarithm is that of the quotient.
    Wrong(
        "ninetynine_logsoft_of_quotient",
        "ninetynine_logsoft",
        "infinity / precision | numbers / subnormal",
        ("out[j] = in[j] - top - shift;", "out[j] = logf(expf(in[j] - top) / total);"),
        ("    float shift = logf(total);\n", ""),
    ),
    # The row after the last is written, too.
    Wrong(
        "ninetynine_logsoft_one_row_more",
        "ninetynine_logsoft",
        "bounds",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # The logarithm has the base 2.
    Wrong(
        "ninetynine_logsoft_base_2",
        "ninetynine_logsoft",
        "function | numbers",
        ("logf(total)", "log2f(total)"),
    ),
    # ---- rms
    # The root is a float.
    Wrong(
        "ninetynine_rms_float_root",
        "ninetynine_rms",
        "precision | infinity / numbers",
        ("1.0 / sqrt(total / cols + eps)", "1.0f / sqrtf(total / cols + eps)"),
    ),
    # The weight is that of the row.
    Wrong(
        "ninetynine_rms_weight_of_row",
        "ninetynine_rms",
        "other element / sides / bounds | numbers",
        ("* w[c];", "* w[blockIdx.x];"),
    ),
    # The small number is added to the root.
    Wrong(
        "ninetynine_rms_eps_outside",
        "ninetynine_rms",
        "function | numbers / precision",
        ("1.0 / sqrt(total / cols + eps)", "1.0 / (sqrt(total / cols) + eps)"),
    ),
    # The last warp is left out.
    Wrong(
        "ninetynine_rms_last_warp_left_out",
        "ninetynine_rms",
        "left out | numbers",
        ("for (int k = 0; k < WARPS; ++k)", "for (int k = 0; k < WARPS - 1; ++k)"),
    ),
    # Sums are read before all warps have stored theirs.
    Wrong(
        "ninetynine_rms_no_barrier",
        "ninetynine_rms",
        "race | left out / unwritten / nan / numbers",
        ("= sq;\n  __syncthreads();\n", "= sq;\n"),
    ),
    # ---- turn
    # The tile is read as it was written.
    Wrong(
        "ninetynine_turn_tile_not_turned",
        "ninetynine_turn",
        "other element / swapped | unwritten / sides / numbers",
        (
            "half lo = tile[pair][k], hi = tile[pair + 1][k];",
            "half lo = tile[k][pair], hi = tile[k][pair + 1];",
        ),
    ),
    # The grid has its sides the other way round.
    Wrong(
        "ninetynine_turn_grid_swapped",
        "ninetynine_turn",
        "grid / sides / swapped / unwritten | left out / tail",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # Pairs are stored to odd rows, too.
    Wrong(
        "ninetynine_turn_pairs_to_odd_rows",
        "ninetynine_turn",
        "alignment | sides",
        ("c + 1 < rows && rows % 2 == 0", "c + 1 < rows"),
    ),
    # Rows of y are as long as those of x.
    Wrong(
        "ninetynine_turn_pitch_of_x",
        "ninetynine_turn",
        "sides / other element / bounds | alignment / unwritten / swapped / race",
        ("y + (size_t)r * rows + c", "y + (size_t)r * cols + c"),
    ),
    # Half of the tile is stored.
    Wrong(
        "ninetynine_turn_half_stored",
        "ninetynine_turn",
        "unwritten | left out / tail",
        (
            "    for (int k = threadIdx.y; k < TILE; k += HALF_TILE) {\n"
            "        int r = left + k, c = top + pair;",
            "    {\n        int k = threadIdx.y;\n        int r = left + k, c = top + pair;",
        ),
    ),
    # ---- matvec
    # Threads without a row leave, and their part of the vector is not loaded.
    Wrong(
        "ninetynine_matvec_early_return",
        "ninetynine_matvec",
        "left out / unwritten / race | tail / nan / numbers / other element",
        ("  float acc = 0.0f;\n", "  if (row >= rows) return;\n  float acc = 0.0f;\n"),
    ),
    # The next piece is stored while others read this one.
    Wrong(
        "ninetynine_matvec_no_second_barrier",
        "ninetynine_matvec",
        "race | other element / numbers / left out",
        ("xs[j];\n    }\n    __syncthreads();\n", "xs[j];\n    }\n"),
    ),
    # Only whole pieces are taken.
    Wrong(
        "ninetynine_matvec_whole_pieces",
        "ninetynine_matvec",
        "tail / left out | numbers / nan",
        ("start < cols; start += BLOCK", "start + BLOCK <= cols; start += BLOCK"),
    ),
    # Rows are as long as there are rows.
    Wrong(
        "ninetynine_matvec_pitch_of_rows",
        "ninetynine_matvec",
        "sides / other element / bounds | numbers",
        ("(size_t)row * cols + start + j", "(size_t)row * rows + start + j"),
    ),
    # Each piece begins anew.
    Wrong(
        "ninetynine_matvec_last_piece_alone",
        "ninetynine_matvec",
        "left out | start / numbers",
        (
            "      int count = min(BLOCK, cols - start);\n",
            "      int count = min(BLOCK, cols - start);\n      acc = 0.0f;\n",
        ),
    ),
)

RIGHT = (
    # Indices have no sign.
    Right(
        "ninetynine_add_unsigned",
        "ninetynine_add",
        (
            "double *c, int n)\n{\n    int stride",
            "double *c, unsigned n)\n{\n    unsigned stride",
        ),
        ("for (int i =", "for (unsigned i ="),
    ),
    # A block more than needed has nothing to do.
    Right(
        "ninetynine_max8_idle_block",
        "ninetynine_max8",
        ("(packs + threads - 1) / threads,", "packs / threads + 2,"),
    ),
    # Sizes have 64 bits.
    Right(
        "ninetynine_narrow_64_bits",
        "ninetynine_narrow",
        ("float* __restrict__ out, int n)", "float* __restrict__ out, int64_t n)"),
        (
            "const int idx = blockDim.x * blockIdx",
            "const int64_t idx = (int64_t)blockDim.x * blockIdx",
        ),
        ("    int grid =", "    int64_t grid ="),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
    ),
    # It is rounded as a float, and then converted.
    Right(
        "ninetynine_nearest_rint",
        "ninetynine_nearest",
        ("return __float2int_rn(v);", "return (int)rintf(v);"),
    ),
    # It is computed as a double.
    Right(
        "ninetynine_gelu_as_double",
        "ninetynine_gelu",
        (
            "return 0.5f * v * erfcf(v * -0.70710678118f);",
            "return (float)(0.5 * v * erfc(v * -0.70710678118654752));",
        ),
    ),
    # Pairs are taken by few blocks in a loop.
    Right(
        "ninetynine_silu_pairs_in_a_loop",
        "ninetynine_silu",
        (
            "  if (i >= n2) return;\n"
            "  float lo = __low2float(x[i]);\n"
            "  float hi = __high2float(x[i]);\n"
            "  y[i] = __floats2half2_rn(silu(lo), silu(hi));\n",
            "  for (; i < n2; i += gridDim.x * blockDim.x) {\n"
            "    float2 v = __half22float2(x[i]);\n"
            "    y[i] = __floats2half2_rn(silu(v.x), silu(v.y));\n"
            "  }\n",
        ),
        ("silu2<<<(n2 + block_size - 1) / block_size, block", "silu2<<<7, block"),
    ),
    # What is written comes first.
    Right(
        "ninetynine_apart_out_first",
        "ninetynine_apart",
        (
            "launch(const int *a,  // [n]\n"
            "                       const int *b,  // [n]\n"
            "                       int64_t *out,  // [n]\n",
            "launch(int64_t *out,  // [n]\n"
            "                       const int *a,  // [n]\n"
            "                       const int *b,  // [n]\n",
        ),
    ),
    # Warps add by shuffles.
    Right(
        "ninetynine_column_shuffles",
        "ninetynine_column",
        ("float part[THREADS];", "float part[THREADS / 32];"),
        (
            "    part[tid] = sum;\n    __syncthreads();\n",
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        sum += __shfl_down_sync(0xffffffff, sum, d);\n"
            "    if (tid % 32 == 0)\n        part[tid / 32] = sum;\n    __syncthreads();\n",
        ),
        (
            "    for (int s = THREADS / 2; s > 0; s >>= 1) {\n"
            "        if (tid < s)\n"
            "            part[tid] += part[tid + s];\n"
            "        __syncthreads();\n"
            "    }\n",
            "",
        ),
        ("out[col] = part[0];", "out[col] = part[0] + part[1] + part[2] + part[3];"),
    ),
    # Each thread adds what it found, unless that is nothing.
    Right(
        "ninetynine_zeros_atomic_a_thread",
        "ninetynine_zeros",
        (
            "  for (int offset = 16; offset > 0; offset /= 2)\n"
            "    mine += __shfl_down_sync(0xffffffffu, mine, offset);\n"
            "  if (threadIdx.x % 32 == 0) atomicAdd",
            "  if (mine > 0) atomicAdd",
        ),
    ),
    # Twice as many threads, and half as many blocks.
    Right(
        "ninetynine_largest_other_sizes",
        "ninetynine_largest",
        ("#define T 128\n#define MAX_BLOCKS 256", "#define T 512\n#define MAX_BLOCKS 30"),
    ),
    # The sum is a double.
    Right(
        "ninetynine_logsoft_double_sum",
        "ninetynine_logsoft",
        ("float total = 0.0f;", "double total = 0.0;"),
        ("float shift = logf(total);", "double shift = log(total);"),
    ),
    # The sum is found by a tree in shared memory.
    Right(
        "ninetynine_rms_tree",
        "ninetynine_rms",
        ("double warp_sum[WARPS];", "double s[32 * WARPS];"),
        (
            "  for (int d = 16; d > 0; d >>= 1) sq += __shfl_xor_sync(0xffffffff, sq, d);\n"
            "  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = sq;\n"
            "  __syncthreads();\n",
            "  s[threadIdx.x] = sq;\n"
            "  __syncthreads();\n"
            "  for (int h = 16 * WARPS; h > 0; h >>= 1) {\n"
            "    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];\n"
            "    __syncthreads();\n"
            "  }\n",
        ),
        (
            "  double total = 0.0;\n  for (int k = 0; k < WARPS; ++k) total += warp_sum[k];\n",
            "  double total = s[0];\n",
        ),
    ),
    # The tile is turned where it is filled.
    Right(
        "ninetynine_turn_filled_turned",
        "ninetynine_turn",
        ("tile[k][pair] = __low2half(two);", "tile[pair][k] = __low2half(two);"),
        ("tile[k][pair + 1] = __high2half(two);", "tile[pair + 1][k] = __high2half(two);"),
        ("if (c < cols) tile[k][pair] = from[0];", "if (c < cols) tile[pair][k] = from[0];"),
        ("tile[k][pair + 1] = from[1];", "tile[pair + 1][k] = from[1];"),
        (
            "half lo = tile[pair][k], hi = tile[pair + 1][k];",
            "half lo = tile[k][pair], hi = tile[k][pair + 1];",
        ),
    ),
    # The block has 96 threads, and so many numbers are a piece.
    Right(
        "ninetynine_matvec_96",
        "ninetynine_matvec",
        ("#define BLOCK 64", "#define BLOCK 96"),
    ),
)
