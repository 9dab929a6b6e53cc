"""Hold a ninety-fifth family: the plain operators of a course, and their plainest mistakes.

Its bases are a number added to floats in float2, the product of three arrays, int64 to float,
float to bfloat16 in pairs, SiLU of doubles, swish of halves with a factor, log1p of floats, the
count of positive numbers, the mean of rows a warp a row, the largest of rows a thread a row,
softmax of halves a block a row, RMS norm of floats a block a row, a transpose of halves by a
padded tile and a matrix times a vector, a block a row. They have 12 to 45 lines. Their mistakes
are spread over alignment, sizes, grids, indices, values, rounding, NaN and infinity, an input
that is written, sums, transposes, order, streams and what is left of an earlier call. The
causes were written before a member was judged. There are 70 wrong members and 14 right ones. On
the emulator each ran beside PyTorch, compared as a case does, called twice on the same tensors,
with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of
their pages, the inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name. Bases and right ones ran all cases; wrong ones until they were wrong often enough.
Of those that lack a barrier or an atomic not each is wrong in every order of threads:
ninetyfive_count_no_atomic came out right in all of them, and is a race by reasoning alone. nvcc
13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are right, and all
others but that wrong or refused by a fault:

    ninetyfive_shift_odd_forgotten          of odd counts
    ninetyfive_shift_whole_number           unless the number is whole
    ninetyfive_shift_y_anywhere             from 2 numbers on, by the address of y
    ninetyfive_shift_only_first             from 2 numbers on, unless s is 0
    ninetyfive_shift_no_stream              on another stream than the default one
    ninetyfive_triple_grid_limit            from 1,025 blocks on: 32,769 numbers at 32
    ninetyfive_triple_b_again               of nearly all
    ninetyfive_triple_always_256            of other block sizes, from a second block on
    ninetyfive_triple_through_a             of nearly all: a is overwritten
    ninetyfive_triple_one_too_many          unless the block size divides n
    ninetyfive_longs_through_int            beyond 32 bits
    ninetyfive_longs_through_double         beyond 2^53, next to a tie
    ninetyfive_longs_towards_zero           from 2^24 on, of about half
    ninetyfive_longs_short_index            from 65,537 numbers on
    ninetyfive_longs_unsigned               below 0
    ninetyfive_brain_only_dst_tested        from 2 numbers on, by the address of src alone
    ninetyfive_brain_upper_bits             of about half, where pairs are taken
    ninetyfive_brain_pair_turned            from 2 numbers on, where pairs are taken
    ninetyfive_brain_through_half           beyond 65,519, of small ones, and next to ties
    ninetyfive_brain_half_a_pair            of odd counts, where pairs are taken
    ninetyfive_silu_float_exp               of nearly all
    ninetyfive_silu_sign_forgotten          of nearly all
    ninetyfive_silu_both_grow               from 710 on
    ninetyfive_silu_limited_below           of NaN, and far below 0
    ninetyfive_silu_blocks_of_256           of smaller block sizes
    ninetyfive_swish_no_beta                unless beta is 1
    ninetyfive_swish_one_each               from 65 blocks on: 2,049 numbers at 32
    ninetyfive_swish_one_less_sigmoid       of products with beta that are far below 0
    ninetyfive_swish_first_beta             if an earlier call had another factor
    ninetyfive_swish_half_product           of large products with beta that are no halves
    ninetyfive_logs_log_of_sum              of small numbers
    ninetyfive_logs_two_for_e               of nearly all
    ninetyfive_logs_limited_below           of NaN, and below -1
    ninetyfive_logs_blocks_overlap          from a second block on
    ninetyfive_logs_one_test                unless 4 times the block size divides n
    ninetyfive_count_not_set                unless the output is 0 before the call
    ninetyfive_count_with_zeros             if there is a zero
    ninetyfive_count_last_warp_left_out     from 97 numbers on, if there is a positive one
    ninetyfive_count_no_barrier             where warps do not wait for another
    ninetyfive_count_no_atomic              from a second block on, by luck
    ninetyfive_mean_by_rows                 unless the matrix is square
    ninetyfive_mean_from_eight              from 17 columns on
    ninetyfive_mean_all_rows                unless 4 divides the rows
    ninetyfive_mean_one_each                from 33 columns on
    ninetyfive_mean_pitch_of_rows           from 2 rows on, unless the matrix is square
    ninetyfive_largest_starts_at_0          if all of a row are below 0
    ninetyfive_largest_nan_left             of NaN
    ninetyfive_largest_last_column          if the last column holds the largest
    ninetyfive_largest_by_columns           of nearly all with 2 rows and 2 columns or more
    ninetyfive_largest_one_too_many         unless the block size divides the rows
    ninetyfive_softmax_no_maximum           far above and far below 0
    ninetyfive_softmax_no_middle_barrier    where warps do not wait for another
    ninetyfive_softmax_starts_at_0          of rows that are far below 0
    ninetyfive_softmax_quarter_tree         from 65 columns on
    ninetyfive_softmax_own_part             from 2 columns on
    ninetyfive_rms_eps_outside              of nearly all
    ninetyfive_rms_weight_of_row            from 2 columns on
    ninetyfive_rms_no_eps                   of nearly all; zeros become NaN
    ninetyfive_rms_adds_to_shared           unless the shared memory is 0 before
    ninetyfive_rms_tree_ends_early          from 2 columns on
    ninetyfive_turn_tile_not_turned         of nearly all
    ninetyfive_turn_pitch_of_way_in         unless the matrix is square
    ninetyfive_turn_grid_swapped            unless the tiles are as many each way
    ninetyfive_turn_no_barrier              where warps do not wait for another
    ninetyfive_turn_columns_not_tested      unless 32 divides the columns
    ninetyfive_matvec_entry_of_row          from 2 columns on
    ninetyfive_matvec_steps_of_a_warp       from 33 columns on
    ninetyfive_matvec_no_stream             on another stream than the default one
    ninetyfive_matvec_int_sum               of sums with halves, and of NaN
    ninetyfive_matvec_two_warps             from 65 columns on
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, least_starts
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A number added to floats, two a thread; the thread after the pairs takes an odd last one.
SHIFT = (
    HEADER
    + """\
__global__ void add_number(const float* x, float* y, float s, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int pairs = n / 2;
  if (p < pairs) {
    float2 v = reinterpret_cast<const float2*>(x)[p];
    v.x += s;
    v.y += s;
    reinterpret_cast<float2*>(y)[p] = v;
  } else if (p == pairs && n % 2 == 1) {
    y[n - 1] = x[n - 1] + s;
  }
}

extern "C" void launch(const float* x,  // [n] 8-byte aligned
                       float* y,        // [n] 8-byte aligned
                       float s, int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  int blocks = (threads + block_size - 1) / block_size;
  add_number<<<blocks, block_size, 0, stream>>>(x, y, s, n);
}
"""
)

# The product of three arrays, a number a thread.
TRIPLE = (
    HEADER
    + """\
__global__ void triple(const float *a, const float *b, const float *c, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] * b[i] * c[i];
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       const float *c,  // [n]
                       float *out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    triple<<<blocks, block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# Integers of 64 bits to floats.
LONGS = (
    HEADER
    + """\
__global__ void long_to_float(const int64_t* __restrict__ in, float* __restrict__ out, int n) {
  const int idx = threadIdx.x + blockDim.x * blockIdx.x;
  if (idx >= n) return;
  out[idx] = __ll2float_rn(in[idx]);
}

extern "C" void launch(const int64_t* in,  // [n]
                       float* out,         // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  const int grid = (n + block_size - 1) / block_size;
  long_to_float<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to bfloat16, two a thread where both addresses allow it, one a thread elsewhere.
BRAIN = (
    HEADER
    + """\
__global__ void two_each(const float *src, __nv_bfloat16 *dst, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * k + 1 < n) {
        float2 f = ((const float2 *)src)[k];
        ((__nv_bfloat162 *)dst)[k] = __floats2bfloat162_rn(f.x, f.y);
    } else if (2 * k < n) {
        dst[2 * k] = __float2bfloat16(src[2 * k]);
    }
}

__global__ void one_each(const float *src, __nv_bfloat16 *dst, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        dst[k] = __float2bfloat16_rn(src[k]);
}

extern "C" void launch(const float *src,    // [n]
                       __nv_bfloat16 *dst,  // [n]
                       int n, cudaStream_t stream = 0)
{
    const int threads = 256;
    bool src_ok = (uintptr_t)src % sizeof(float2) == 0;
    bool dst_ok = (uintptr_t)dst % sizeof(__nv_bfloat162) == 0;
    if (src_ok && dst_ok)
        two_each<<<(n + 2 * threads - 1) / (2 * threads), threads, 0, stream>>>(src, dst, n);
    else
        one_each<<<(n + threads - 1) / threads, threads, 0, stream>>>(src, dst, n);
}
"""
)

# SiLU of doubles.
SILU = (
    HEADER
    + """\
__device__ double silu(double v) {
  return v / (1.0 + exp(-v));
}

__global__ void silu_kernel(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    y[i] = silu(v);
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  silu_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Swish with a factor beta, of halves, in a loop over at most 64 blocks.
SWISH = (
    HEADER
    + """\
#define MAX_BLOCKS 64

__global__ void swish(const half *in, half *out, float beta, int n)
{
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float v = __half2float(in[i]);
        float r = v / (1.0f + expf(-beta * v));
        out[i] = __float2half(r);
    }
}

extern "C" void launch(const half *in,  // [n]
                       half *out,       // [n]
                       float beta, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    swish<<<blocks, block_size, 0, stream>>>(in, out, beta, n);
}
"""
)

# log1p, four a thread, a block apart.
LOGS = (
    HEADER
    + """\
constexpr int PER_THREAD = 4;

__global__ void log1p_kernel(const float* x, float* y, int n) {
  int first = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    int i = first + k * blockDim.x;
    if (i < n) y[i] = log1pf(x[i]);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int per_block = block_size * PER_THREAD;
  log1p_kernel<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(x, y, n);
}
"""
)

# How many numbers are positive: shuffles, one number a warp, an atomic a block.
COUNT = (
    HEADER
    + """\
#define THREADS 128
#define WARPS (THREADS / 32)

__global__ void count_positive(const float *x, int *count, int n)
{
    __shared__ int warp_count[WARPS];
    int mine = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        if (x[i] > 0.0f)
            mine++;
    for (int d = 16; d > 0; d >>= 1)
        mine += __shfl_down_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0)
        warp_count[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int w = 0; w < WARPS; w++)
            total += warp_count[w];
        atomicAdd(count, total);
    }
}

extern "C" void launch(const float *x,  // [n]
                       int *count,      // [1]
                       int n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 32)
        blocks = 32;
    count_positive<<<blocks, THREADS, 0, stream>>>(x, count, n);
}
"""
)

# The mean of each row, a warp a row, four rows a block.
MEAN = (
    HEADER
    + """\
__global__ void row_mean(const float* x, float* mean, int rows, int cols) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* p = x + static_cast<size_t>(row) * cols;
  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) sum += p[c];
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  if (lane == 0) mean[row] = sum / cols;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* mean,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, 4);
  dim3 grid((rows + 3) / 4);
  row_mean<<<grid, block, 0, stream>>>(x, mean, rows, cols);
}
"""
)

# The largest of each row, a thread a row; a NaN stays.
LARGEST = (
    HEADER
    + """\
__global__ void row_max(const float *m, float *out, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float best = -INFINITY;
    for (int c = 0; c < cols; c++) {
        float v = m[(size_t)r * cols + c];
        if (v > best || isnan(v))
            best = v;
    }
    out[r] = best;
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *out,      // [rows]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0)
{
    row_max<<<(rows + block_size - 1) / block_size, block_size, 0, stream>>>(m, out, rows,
                                                                             cols);
}
"""
).replace("#include <cfloat>\n", "#include <cfloat>\n#include <cmath>\n")

# Softmax of halves, a block a row, two trees over the same shared memory.
SOFTMAX = (
    HEADER
    + """\
#define NT 128

__global__ void softmax_rows(const half* x, half* y, int cols) {
  __shared__ float buf[NT];
  const half* in = x + (size_t)blockIdx.x * cols;
  half* out = y + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;

  float top = -INFINITY;
  for (int c = t; c < cols; c += NT) top = fmaxf(top, __half2float(in[c]));
  buf[t] = top;
  __syncthreads();
  for (int s = NT / 2; s > 0; s >>= 1) {
    if (t < s) buf[t] = fmaxf(buf[t], buf[t + s]);
    __syncthreads();
  }
  top = buf[0];
  __syncthreads();

  float part = 0.0f;
  for (int c = t; c < cols; c += NT) part += expf(__half2float(in[c]) - top);
  buf[t] = part;
  __syncthreads();
  for (int half_of = NT / 2; half_of > 0; half_of >>= 1) {
    if (t < half_of) buf[t] += buf[t + half_of];
    __syncthreads();
  }
  float all = buf[0];
  for (int c = t; c < cols; c += NT)
    out[c] = __float2half(expf(__half2float(in[c]) - top) / all);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  softmax_rows<<<rows, NT, 0, stream>>>(x, y, cols);
}
"""
).replace("#include <cfloat>\n", "#include <cfloat>\n#include <cmath>\n")

# RMS norm with weights, a block a row.
RMS = (
    HEADER
    + """\
#define BLOCK 256

__global__ void rms_norm(const float *x, const float *w, float *y, float eps, int cols)
{
    __shared__ float acc[BLOCK];
    int tid = threadIdx.x;
    size_t base = (size_t)blockIdx.x * cols;

    float sum = 0.0f;
    for (int c = tid; c < cols; c += BLOCK) {
        float v = x[base + c];
        sum += v * v;
    }
    acc[tid] = sum;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (tid < h)
            acc[tid] += acc[tid + h];
        __syncthreads();
    }
    float scale = 1.0f / sqrtf(acc[0] / cols + eps);
    for (int c = tid; c < cols; c += BLOCK)
        y[base + c] = x[base + c] * scale * w[c];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       const float *w,  // [cols]
                       float *y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    rms_norm<<<rows, BLOCK, 0, stream>>>(x, w, y, eps, cols);
}
"""
)

# A transpose of halves by tiles of 32 with a column more, 8 rows of threads.
TURN = (
    HEADER
    + """\
constexpr int TILE = 32;
constexpr int ROWS = 8;

__global__ void transpose(const half* in, half* out, int rows, int cols) {
  __shared__ half tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < cols && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (y + j < cols && x < rows)
      out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

extern "C" void launch(const half* in,  // [rows, cols]
                       half* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  transpose<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A matrix times a vector, a block a row.
MATVEC = (
    HEADER
    + """\
#define N_THREADS 128
#define N_WARPS 4

__global__ void matvec(const float *A, const float *x, float *y, int k)
{
    __shared__ float partial[N_WARPS];
    int row = blockIdx.x;
    int tid = threadIdx.x;
    float dot = 0.0f;
    for (int c = tid; c < k; c += N_THREADS)
        dot += A[(size_t)row * k + c] * x[c];
    for (int d = 16; d >= 1; d /= 2)
        dot += __shfl_xor_sync(0xffffffff, dot, d);
    if (tid % 32 == 0)
        partial[tid / 32] = dot;
    __syncthreads();
    if (tid == 0) {
        float result = 0.0f;
        for (int w = 0; w < N_WARPS; w++)
            result += partial[w];
        y[row] = result;
    }
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *x,  // [k]
                       float *y,        // [m]
                       int m, int k, cudaStream_t stream = 0)
{
    matvec<<<m, N_THREADS, 0, stream>>>(A, x, y, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 127, 128, 129, 255, 256, 257, 383, 511, 512, 513, 1000, 1023, 1024)
LENGTHS += (1025, 2047, 2049, 4096, 4099, 9001, 20_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (3, 257), (2, 300), (513, 3))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def shifts(launcher: Launcher) -> Iterator[Case]:
    """Add to multiples of 1/4, so that all is exact: usual, zero, infinity, NaN; slices."""
    steps = least_starts(launcher)
    for n in (*LENGTHS, 100_003):
        x, j = whole(-999, 1000, n, n) / 4, torch.arange(n)
        for label, v, s in (
            ("usual", x, 2.25),
            ("a negative number", x, -0.5),
            ("a whole number", x, 7.0),
            ("zero", x, 0.0),
            ("infinity and NaN", torch.where(j % 5 == 2, INF, x).where(j % 7 != 3, NAN), 1.5),
        ):
            v = v.float()
            for block_size in (256, 32):
                scalars = {"s": s, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                right = (v.double() + s,)
                yield Case(words, (v,), right, scalars, dtypes=FLOAT, quick=n > 5000)
        if n < 300:
            for more in (1, 3):
                offset = tuple(more * step for step in steps)
                words, v = f"n = {n:,}, slices from {offset}", x.float()
                right = (v.double() + 0.75,)
                yield Case(words, (v,), right, {"s": 0.75}, dtypes=FLOAT, offset=offset)


def triples(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, large, zeros, infinities, NaN."""
    for n in (*LENGTHS, 70_003):
        a, b, c = (whole(-99, 100, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, p, q, r in (
            ("any", a, b, c),
            ("fractions", a / 64, b / 256, c / 8),
            ("large", a * 2.0**40, b * 2.0**60, c),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), b, c),
            ("infinities", a.abs() + 1, torch.where(j % 3 == 1, INF, b), c.abs() + 1),
            ("NaN", a, b, torch.where(j % 3 == 1, NAN, c)),
        ):
            right = (p.double() * q.double() * r.double(),)
            for block_size in (256, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q, r), right, scalars, dtypes=FLOAT, quick=n > 5000)


def swishes(launcher: Launcher) -> Iterator[Case]:
    """Try factors on usual, small and large numbers, below 0, infinity, NaN."""
    for n in (*LENGTHS, 70_003):
        x, j = whole(-999, 1000, n, n) / 128.0, torch.arange(n)
        for label, v, beta in (
            ("usual", x, 1.0),
            ("a large factor", x, 1.75),
            ("a small factor", x, 0.25),
            ("a negative factor", x, -1.0),
            ("small", x / 512, 1.5),
            ("below 0", -x.abs(), 1.25),
            ("large", x * 64, 1.0),
            ("infinity and NaN", torch.where(j % 3 == 1, INF, x).where(j % 4 != 2, NAN), 1.0),
        ):
            v = v.half()
            d = v.double()
            right = (d / (1 + (-beta * d).exp()),)
            for block_size in (128, 32):
                scalars = {"beta": beta, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (v,), right, scalars, 1, dtypes=HALF, quick=n > 5000)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, all, none, zeros, the last alone, infinities, NaN; a second call."""
    for n in (*LENGTHS, 70_001):
        x, j = whole(-9, 10, n, n).float(), torch.arange(n)
        for label, v in (
            ("any", x),
            ("all", x.abs() + 1),
            ("none", -x.abs() - 1),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("small", x * 1e-30),
            ("the last alone", torch.where(j == n - 1, 2.0, -2.0)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            case = Case(f"n = {n:,}, {label}", (v,), ((v > 0).sum().reshape(1),), dtypes=WHOLE)
            yield replace(case, quick=n > 5000)
            if label == "any" and n in (33, 1000):
                yield replace(case, label=f"{case.label}, a second call", before=(x.abs() + 3,))


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of whole numbers, of which only the division rounds; zeros, NaN, infinity."""
    for rows, cols in SIDES:
        x, c = whole(-99, 100, rows * cols, rows).reshape(rows, cols), torch.arange(cols)
        for label, v in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("the last column alone", torch.where(c == cols - 1, 12, 0) + 0 * x),
            ("NaN", torch.where((c == cols // 2) & (x % 3 == 0), NAN, x)),
            ("infinity", torch.where((c == cols // 3) & (x % 4 == 0), INF, x)),
        ):
            v = v.float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (v.double().mean(1),), {}, 1, dtypes=FLOAT)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, zeros, the last, infinities alone, NaN."""
    for rows, cols in SIDES:
        x, c = whole(-999, 1000, rows * cols, rows).reshape(rows, cols), torch.arange(cols)
        for label, v in (
            ("any", x / 8),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("the last column", torch.where(c == cols - 1, 5000, x)),
            ("rising rows", x * 0 + torch.arange(rows)[:, None]),
            ("-infinity alone", torch.full((rows, cols), -INF)),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x % 2 == 0), NAN, x)),
        ):
            v = v.float()
            for block_size in (64, 32):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (v,), (v.double().amax(1),), scalars, dtypes=FLOAT)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Try any, equal, large and small numbers, far below 0, a mask, a NaN, one large."""
    for rows, cols in SIDES:
        x, c = whole(-40, 41, rows * cols, rows).reshape(rows, cols) / 8, torch.arange(cols)
        for label, v in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 900),
            ("far below 0", x - 900),
            ("far apart", x * 1000),
            ("rising", x * 0 + c % 64 / 8),
            ("the last is large", torch.where(c == cols - 1, 12.0, x)),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
        ):
            v = v.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (v.double().softmax(1),), {}, 1, dtypes=HALF)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, zeros, small, large, one alone, a NaN."""
    for rows, cols in SIDES:
        x, c = whole(-99, 100, rows * cols, rows).reshape(rows, cols), torch.arange(cols)
        w = whole(-9, 10, cols, cols).double() / 4
        for label, v, g, eps in (
            ("any", x, w, 0.5),
            ("plain", x, w * 0 + 1, 0.00001),
            ("zeros", x * 0, w, 0.00001),
            ("small", x / 1024, w, 0.01),
            ("large", x * 4096.0, w, 1.0),
            ("the last alone", torch.where(c == cols - 1, 8, 0) + 0 * x, w + 3, 0.25),
            ("NaN", torch.where((x % 5 == 4) & (c == cols // 2), NAN, x), w, 1.0),
        ):
            v, g = v.float(), g.float()
            d = v.double()
            right = d / ((d * d).mean(1, keepdim=True) + eps).sqrt() * g.double()
            within = ((2.0**-18 * right.abs()).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, (v, g), (right,), {"eps": eps}, dtypes=FLOAT, within=within)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose numbers that differ from their neighbours, and special ones."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (33, 65), (16, 16), (1, 9001), (9001, 1)):
        n = rows * cols
        x = (torch.arange(n) % 2039 - 1019).half().reshape(rows, cols)
        odd = torch.tensor([0.0, -0.0, INF, -INF, NAN, 1.5, 65504.0]).half()
        special = odd[torch.arange(n) % 7].reshape(rows, cols)
        for label, v in (("any", x), ("special values", special)):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (v.T.double().contiguous(),), dtypes=HALF)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply multiples of 1/2, so that all is exact: any, ones, one alone, zeros, NaN."""
    for m, k in SIDES:
        a, c = whole(-30, 31, m * k, m).reshape(m, k) / 2, torch.arange(k)
        x = whole(-30, 31, k, k + 1) / 2
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("halves", a * 0 + 0.5, x * 0 + 0.5),
            ("the last of x alone", a, torch.where(c == k - 1, 3.0, 0.0)),
            ("zeros", a, x * 0),
            ("NaN in x", a, torch.where(c == k // 2, NAN, x)),
            ("NaN in a row", torch.where((c == k // 2) & (a > 5), NAN, a), x),
        ):
            p, q = p.float(), q.float()
            words = f"m = {m:,}, k = {k:,}, {label}"
            yield Case(words, (p, q), (p.double() @ q.double(),), dtypes=FLOAT)


BASES = {
    "ninetyfive_shift": Base(SHIFT, {"cases": shifts}),
    "ninetyfive_triple": Base(TRIPLE, {"cases": triples}),
    "ninetyfive_longs": Base(LONGS, {"reference": "cast"}),
    "ninetyfive_brain": Base(BRAIN, {"reference": "cast"}),
    "ninetyfive_silu": Base(SILU, {"reference": lambda x: x / (1 + torch.exp(-x)), "ulp": 4}),
    "ninetyfive_swish": Base(SWISH, {"cases": swishes}),
    "ninetyfive_logs": Base(LOGS, {"reference": torch.log1p, "ulp": 2}),
    "ninetyfive_count": Base(COUNT, {"cases": counts}),
    "ninetyfive_mean": Base(MEAN, {"cases": means}),
    "ninetyfive_largest": Base(LARGEST, {"cases": largest}),
    "ninetyfive_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "ninetyfive_rms": Base(RMS, {"cases": norms}),
    "ninetyfive_turn": Base(TURN, {"cases": turns}),
    "ninetyfive_matvec": Base(MATVEC, {"cases": products}),
}

WRONG = (
    # ---- shift
    # An odd last number is not looked at.
    Wrong(
        "ninetyfive_shift_odd_forgotten",
        "ninetyfive_shift",
        "tail / unwritten | left out",
        (
            "  } else if (p == pairs && n % 2 == 1) {\n    y[n - 1] = x[n - 1] + s;\n  }",
            "  }",
        ),
    ),
    # The number is taken for an int.
    Wrong(
        "ninetyfive_shift_whole_number",
        "ninetyfive_shift",
        "rounding / precision | numbers / function / copy",
        (
            "float* y, float s, int n) {",
            "float* y, int s, int n) {",
        ),
    ),
    # Pairs are written to any address.
    Wrong(
        "ninetyfive_shift_y_anywhere",
        "ninetyfive_shift",
        "alignment",
        (
            "float* y,        // [n] 8-byte aligned",
            "float* y,        // [n]",
        ),
    ),
    # The second of a pair stays as it is.
    Wrong(
        "ninetyfive_shift_only_first",
        "ninetyfive_shift",
        "left out / neighbour / function / other element | numbers / copy",
        (
            "    v.y += s;\n",
            "",
        ),
    ),
    # The stream is not handed on.
    Wrong(
        "ninetyfive_shift_no_stream",
        "ninetyfive_shift",
        "stream",
        (
            "<<<blocks, block_size, 0, stream>>>",
            "<<<blocks, block_size>>>",
        ),
    ),
    # ---- triple
    # There are at most 1,024 blocks, and no loop.
    Wrong(
        "ninetyfive_triple_grid_limit",
        "ninetyfive_triple",
        "grid | unwritten / left out / tail",
        (
            "int blocks = (n + block_size - 1) / block_size;\n",
            "int blocks = (n + block_size - 1) / block_size;\n"
            "    if (blocks > 1024)\n"
            "        blocks = 1024;\n",
        ),
    ),
    # The second factor is taken again for the third.
    Wrong(
        "ninetyfive_triple_b_again",
        "ninetyfive_triple",
        "left out / twice / function / swapped | numbers",
        (
            "* c[i];",
            "* b[i];",
        ),
    ),
    # The size of a block is typed in.
    Wrong(
        "ninetyfive_triple_always_256",
        "ninetyfive_triple",
        "block size | bounds / unwritten / left out / grid / other element",
        (
            "blockIdx.x * blockDim.x +",
            "blockIdx.x * 256 +",
        ),
    ),
    # The first product is stored in a.
    Wrong(
        "ninetyfive_triple_through_a",
        "ninetyfive_triple",
        "input | state / twice / numbers",
        (
            "triple(const float *a,",
            "triple(float *a,",
        ),
        (
            "    if (i < n)\n        out[i] = a[i] * b[i] * c[i];",
            "    if (i < n) {\n        a[i] *= b[i];\n        out[i] = a[i] * c[i];\n    }",
        ),
        (
            "stream>>>(a, b,",
            "stream>>>((float *)a, b,",
        ),
    ),
    # One thread too many passes the test.
    Wrong(
        "ninetyfive_triple_one_too_many",
        "ninetyfive_triple",
        "bounds",
        (
            "if (i < n)",
            "if (i <= n)",
        ),
    ),
    # ---- longs
    # The integer is cut to an int on its way.
    Wrong(
        "ninetyfive_longs_through_int",
        "ninetyfive_longs",
        "narrow / whole range | numbers",
        (
            "__ll2float_rn(in[idx])",
            "(float)(int)in[idx]",
        ),
    ),
    # The integer becomes a double first.
    Wrong(
        "ninetyfive_longs_through_double",
        "ninetyfive_longs",
        "rounding | precision / numbers",
        (
            "__ll2float_rn(in[idx])",
            "(float)(double)in[idx]",
        ),
    ),
    # The conversion cuts off.
    Wrong(
        "ninetyfive_longs_towards_zero",
        "ninetyfive_longs",
        "rounding | precision / numbers",
        (
            "__ll2float_rn",
            "__ll2float_rz",
        ),
    ),
    # The index has 16 bits.
    Wrong(
        "ninetyfive_longs_short_index",
        "ninetyfive_longs",
        "narrow / unwritten | left out / tail / twice / grid / whole range",
        (
            "const int idx =",
            "const unsigned short idx =",
        ),
    ),
    # The integer is taken for an unsigned one.
    Wrong(
        "ninetyfive_longs_unsigned",
        "ninetyfive_longs",
        "whole range / function / numbers | narrow",
        (
            "__ll2float_rn(in[idx])",
            "__ull2float_rn(in[idx])",
        ),
    ),
    # ---- brain
    # The address of src is not looked at.
    Wrong(
        "ninetyfive_brain_only_dst_tested",
        "ninetyfive_brain",
        "alignment",
        (
            "if (src_ok && dst_ok)",
            "if (dst_ok)",
        ),
    ),
    # The upper 16 bits are taken as they are.
    Wrong(
        "ninetyfive_brain_upper_bits",
        "ninetyfive_brain",
        "rounding | nan / infinity / precision / numbers",
        (
            "__floats2bfloat162_rn(f.x, f.y)",
            "__nv_bfloat162(__ushort_as_bfloat16((unsigned "
            "short)(__float_as_uint(f.x) >> 16)),\n"
            "                           __ushort_as_bfloat16((unsigned "
            "short)(__float_as_uint(f.y) >> 16)))",
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "ninetyfive_brain_pair_turned",
        "ninetyfive_brain",
        "swapped / neighbour / other element | numbers",
        (
            "(f.x, f.y)",
            "(f.y, f.x)",
        ),
    ),
    # A half stands between float and bfloat16.
    Wrong(
        "ninetyfive_brain_through_half",
        "ninetyfive_brain",
        "rounding / infinity / precision / whole range | subnormal / numbers / nan",
        (
            "= __floats2bfloat162_rn(f.x, f.y);",
            "=\n"
            "            __float22bfloat162_rn(__half22float2(__floats2half2_rn(f.x, f.y)));",
        ),
    ),
    # A pair is taken if its first number is there.
    Wrong(
        "ninetyfive_brain_half_a_pair",
        "ninetyfive_brain",
        "bounds / tail",
        (
            "if (2 * k + 1 < n) {",
            "if (2 * k < n) {",
        ),
    ),
    # ---- silu
    # The exponential is that of a float.
    Wrong(
        "ninetyfive_silu_float_exp",
        "ninetyfive_silu",
        "precision | infinity / numbers / narrow / nan / function / rounding",
        (
            "exp(-v)",
            "expf((float)-v)",
        ),
    ),
    # The minus is forgotten.
    Wrong(
        "ninetyfive_silu_sign_forgotten",
        "ninetyfive_silu",
        "function | numbers / infinity / nan / sign of zero",
        (
            "exp(-v)",
            "exp(v)",
        ),
    ),
    # Both parts of the fraction grow beyond all numbers.
    Wrong(
        "ninetyfive_silu_both_grow",
        "ninetyfive_silu",
        "infinity | nan / numbers",
        (
            "  return v / (1.0 + exp(-v));",
            "  double e = exp(v);\n  return v * e / (1.0 + e);",
        ),
    ),
    # A limit below is also put in the place of NaN.
    Wrong(
        "ninetyfive_silu_limited_below",
        "ninetyfive_silu",
        "nan | infinity / numbers / subnormal",
        (
            "double v = x[i];",
            "double v = fmax(x[i], -700.0);",
        ),
    ),
    # The number of blocks is that for blocks of 256.
    Wrong(
        "ninetyfive_silu_blocks_of_256",
        "ninetyfive_silu",
        "grid / block size | unwritten / left out / tail",
        (
            "int blocks = (n + block_size - 1) / block_size;",
            "int blocks = (n + 255) / 256;",
        ),
    ),
    # ---- swish
    # The factor is not used.
    Wrong(
        "ninetyfive_swish_no_beta",
        "ninetyfive_swish",
        "left out / function | numbers",
        (
            "expf(-beta * v)",
            "expf(-v)",
        ),
    ),
    # There are at most 64 blocks, and no loop.
    Wrong(
        "ninetyfive_swish_one_each",
        "ninetyfive_swish",
        "grid / left out / unwritten | tail",
        (
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {",
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {",
        ),
        (
            "    int step = blockDim.x * gridDim.x;\n",
            "",
        ),
    ),
    # 1 less something near 1 is left of a small factor.
    Wrong(
        "ninetyfive_swish_one_less_sigmoid",
        "ninetyfive_swish",
        "precision | numbers / subnormal / function / rounding",
        (
            "v / (1.0f + expf(-beta * v))",
            "v * (1.0f - 1.0f / (1.0f + expf(beta * v)))",
        ),
    ),
    # The factor is that of the first call.
    Wrong(
        "ninetyfive_swish_first_beta",
        "ninetyfive_swish",
        "state | function / left out / numbers",
        (
            "    swish<<<blocks, block_size, 0, stream>>>(in, out, beta, n);",
            "    static float b = beta;\n"
            "    swish<<<blocks, block_size, 0, stream>>>(in, out, b, n);",
        ),
    ),
    # The product with beta is rounded to a half.
    Wrong(
        "ninetyfive_swish_half_product",
        "ninetyfive_swish",
        "precision / rounding / infinity | numbers",
        (
            "expf(-beta * v)",
            "expf(__half2float(__float2half(-beta * v)))",
        ),
    ),
    # ---- logs
    # 1 is added before the logarithm.
    Wrong(
        "ninetyfive_logs_log_of_sum",
        "ninetyfive_logs",
        "precision | numbers / infinity / subnormal / function / sign of zero / rounding",
        (
            "log1pf(x[i])",
            "logf(1.0f + x[i])",
        ),
    ),
    # The logarithm is that to the base 2.
    Wrong(
        "ninetyfive_logs_two_for_e",
        "ninetyfive_logs",
        "function | numbers",
        (
            "log1pf(x[i])",
            "log1pf(x[i]) * 1.44269504f",
        ),
    ),
    # What lies below -1, and NaN, becomes -infinity.
    Wrong(
        "ninetyfive_logs_limited_below",
        "ninetyfive_logs",
        "nan | infinity / numbers",
        (
            "log1pf(x[i])",
            "log1pf(fmaxf(x[i], -1.0f))",
        ),
    ),
    # Blocks begin too early.
    Wrong(
        "ninetyfive_logs_blocks_overlap",
        "ninetyfive_logs",
        "unwritten / left out / other element | twice / tail",
        (
            "blockIdx.x * blockDim.x * PER_THREAD +",
            "blockIdx.x * blockDim.x +",
        ),
    ),
    # Only the first of four is tested.
    Wrong(
        "ninetyfive_logs_one_test",
        "ninetyfive_logs",
        "bounds | tail",
        (
            "if (i < n) y[i]",
            "if (first < n) y[i]",
        ),
    ),
    # ---- count
    # What is added to is not set before.
    Wrong(
        "ninetyfive_count_not_set",
        "ninetyfive_count",
        "zero before | state",
        (
            "    cudaMemsetAsync(count, 0, sizeof(int), stream);\n",
            "",
        ),
    ),
    # Zeros are counted, too.
    Wrong(
        "ninetyfive_count_with_zeros",
        "ninetyfive_count",
        "function / numbers / sign of zero / twice",
        (
            "> 0.0f",
            ">= 0.0f",
        ),
    ),
    # The last warp of a block is not added.
    Wrong(
        "ninetyfive_count_last_warp_left_out",
        "ninetyfive_count",
        "left out | numbers / tail",
        (
            "w < WARPS;",
            "w < WARPS - 1;",
        ),
    ),
    # The counts of warps are read before all are stored.
    Wrong(
        "ninetyfive_count_no_barrier",
        "ninetyfive_count",
        "race | left out / numbers / unwritten / state / other element",
        (
            "= mine;\n    __syncthreads();\n",
            "= mine;\n",
        ),
    ),
    # Blocks add to the count without an atomic.
    Wrong(
        "ninetyfive_count_no_atomic",
        "ninetyfive_count",
        "race | left out / numbers",
        (
            "atomicAdd(count, total);",
            "*count += total;",
        ),
    ),
    # ---- mean
    # The sum is divided by the number of rows.
    Wrong(
        "ninetyfive_mean_by_rows",
        "ninetyfive_mean",
        "sides / function | numbers / infinity",
        (
            "= sum / cols;",
            "= sum / rows;",
        ),
    ),
    # Shuffles begin with a distance of 8.
    Wrong(
        "ninetyfive_mean_from_eight",
        "ninetyfive_mean",
        "left out | numbers",
        (
            "int offset = 16;",
            "int offset = 8;",
        ),
    ),
    # Rows are not tested.
    Wrong(
        "ninetyfive_mean_all_rows",
        "ninetyfive_mean",
        "bounds",
        (
            "  if (row >= rows) return;\n",
            "",
        ),
    ),
    # A lane adds one column.
    Wrong(
        "ninetyfive_mean_one_each",
        "ninetyfive_mean",
        "left out | numbers / tail",
        (
            "  for (int c = lane; c < cols; c += 32) sum += p[c];",
            "  if (lane < cols) sum += p[lane];",
        ),
    ),
    # The pitch of a row is the number of rows.
    Wrong(
        "ninetyfive_mean_pitch_of_rows",
        "ninetyfive_mean",
        "sides / other element / bounds | numbers",
        (
            "static_cast<size_t>(row) * cols",
            "static_cast<size_t>(row) * rows",
        ),
    ),
    # ---- largest
    # The largest begins with 0.
    Wrong(
        "ninetyfive_largest_starts_at_0",
        "ninetyfive_largest",
        "start | numbers / infinity",
        (
            "= -INFINITY;",
            "= 0.0f;",
        ),
    ),
    # A NaN is never larger.
    Wrong(
        "ninetyfive_largest_nan_left",
        "ninetyfive_largest",
        "nan",
        (
            "v > best || isnan(v)",
            "v > best",
        ),
    ),
    # The last column is not looked at.
    Wrong(
        "ninetyfive_largest_last_column",
        "ninetyfive_largest",
        "left out / tail | numbers / infinity",
        (
            "c < cols; c++",
            "c < cols - 1; c++",
        ),
    ),
    # The matrix is read as if turned.
    Wrong(
        "ninetyfive_largest_by_columns",
        "ninetyfive_largest",
        "sides / other element | numbers / swapped",
        (
            "(size_t)r * cols + c",
            "(size_t)c * rows + r",
        ),
    ),
    # One row too many passes the test.
    Wrong(
        "ninetyfive_largest_one_too_many",
        "ninetyfive_largest",
        "bounds",
        (
            "if (r >= rows)",
            "if (r > rows)",
        ),
    ),
    # ---- softmax
    # The maximum is not taken away.
    Wrong(
        "ninetyfive_softmax_no_maximum",
        "ninetyfive_softmax",
        "infinity | nan / numbers / function",
        (
            "  top = buf[0];\n",
            "  top = 0.0f;\n",
        ),
    ),
    # Sums are stored where others still read the maximum.
    Wrong(
        "ninetyfive_softmax_no_middle_barrier",
        "ninetyfive_softmax",
        "race | numbers / other element / start / nan / infinity / state",
        (
            "  top = buf[0];\n  __syncthreads();\n",
            "  top = buf[0];\n",
        ),
    ),
    # The maximum begins with 0.
    Wrong(
        "ninetyfive_softmax_starts_at_0",
        "ninetyfive_softmax",
        "start | infinity / nan / numbers / subnormal / precision",
        (
            "float top = -INFINITY;",
            "float top = 0.0f;",
        ),
    ),
    # The tree of sums begins with a quarter.
    Wrong(
        "ninetyfive_softmax_quarter_tree",
        "ninetyfive_softmax",
        "left out | numbers / infinity",
        (
            "half_of = NT / 2;",
            "half_of = NT / 4;",
        ),
    ),
    # The part of the thread is taken for the sum of all.
    Wrong(
        "ninetyfive_softmax_own_part",
        "ninetyfive_softmax",
        "left out / function | numbers / infinity / nan",
        (
            "float all = buf[0];",
            "float all = part;",
        ),
    ),
    # ---- rms
    # The small number is added to the root.
    Wrong(
        "ninetyfive_rms_eps_outside",
        "ninetyfive_rms",
        "function | numbers / infinity / precision",
        (
            "sqrtf(acc[0] / cols + eps)",
            "(sqrtf(acc[0] / cols) + eps)",
        ),
    ),
    # The weight is that of the row.
    Wrong(
        "ninetyfive_rms_weight_of_row",
        "ninetyfive_rms",
        "other element / sides / bounds | numbers",
        (
            "* w[c];",
            "* w[blockIdx.x];",
        ),
    ),
    # The small number is not used.
    Wrong(
        "ninetyfive_rms_no_eps",
        "ninetyfive_rms",
        "left out / function | nan / infinity / numbers",
        (
            " / cols + eps)",
            " / cols)",
        ),
    ),
    # The shared sums have no start value.
    Wrong(
        "ninetyfive_rms_adds_to_shared",
        "ninetyfive_rms",
        "start / unwritten / zero before | state / numbers / nan / other element",
        (
            "    acc[tid] = sum;",
            "    acc[tid] += sum;",
        ),
    ),
    # The last step of the tree is missing.
    Wrong(
        "ninetyfive_rms_tree_ends_early",
        "ninetyfive_rms",
        "left out | numbers",
        (
            "h > 0; h /= 2",
            "h > 1; h /= 2",
        ),
    ),
    # ---- turn
    # The tile is read as it was written.
    Wrong(
        "ninetyfive_turn_tile_not_turned",
        "ninetyfive_turn",
        "other element | numbers / unwritten / race / sides / state",
        (
            "tile[threadIdx.x][threadIdx.y + j];",
            "tile[threadIdx.y + j][threadIdx.x];",
        ),
    ),
    # Rows are written with the pitch of the input.
    Wrong(
        "ninetyfive_turn_pitch_of_way_in",
        "ninetyfive_turn",
        "sides / other element / bounds | numbers / unwritten / left out / race",
        (
            "out[(size_t)(y + j) * rows + x]",
            "out[(size_t)(y + j) * cols + x]",
        ),
    ),
    # The sides of the grid change places.
    Wrong(
        "ninetyfive_turn_grid_swapped",
        "ninetyfive_turn",
        "grid / swapped / sides / unwritten / left out | numbers / tail",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # The tile is read before all have stored it.
    Wrong(
        "ninetyfive_turn_no_barrier",
        "ninetyfive_turn",
        "race | unwritten / numbers / other element / state",
        (
            "  }\n  __syncthreads();\n  x = blockIdx.y",
            "  }\n  x = blockIdx.y",
        ),
    ),
    # The rows of the result are not tested.
    Wrong(
        "ninetyfive_turn_columns_not_tested",
        "ninetyfive_turn",
        "bounds | sides / unwritten / tail / race",
        (
            "if (y + j < cols && x < rows)",
            "if (x < rows)",
        ),
    ),
    # ---- matvec
    # The number of the vector is that of the row.
    Wrong(
        "ninetyfive_matvec_entry_of_row",
        "ninetyfive_matvec",
        "other element / sides / bounds | numbers",
        (
            "* x[c];",
            "* x[row];",
        ),
    ),
    # Threads go on by a warp.
    Wrong(
        "ninetyfive_matvec_steps_of_a_warp",
        "ninetyfive_matvec",
        "twice | numbers",
        (
            "c += N_THREADS)",
            "c += 32)",
        ),
    ),
    # The stream is not handed on.
    Wrong(
        "ninetyfive_matvec_no_stream",
        "ninetyfive_matvec",
        "stream",
        (
            "<<<m, N_THREADS, 0, stream>>>",
            "<<<m, N_THREADS>>>",
        ),
    ),
    # The sum is an int.
    Wrong(
        "ninetyfive_matvec_int_sum",
        "ninetyfive_matvec",
        "rounding / precision | numbers / nan / whole range",
        (
            "float dot = 0.0f;",
            "int dot = 0;",
        ),
    ),
    # Two of the four warps are added.
    Wrong(
        "ninetyfive_matvec_two_warps",
        "ninetyfive_matvec",
        "left out | numbers / tail",
        (
            "w < N_WARPS;",
            "w < N_WARPS / 2;",
        ),
    ),
)

RIGHT = (
    # The blocks are those of whole ones and one more.
    Right(
        "ninetyfive_shift_one_block_more",
        "ninetyfive_shift",
        (
            "int blocks = (threads + block_size - 1) / block_size;",
            "int blocks = threads / block_size + 1;",
        ),
    ),
    # Counts and indices have 64 bits.
    Right(
        "ninetyfive_triple_long_index",
        "ninetyfive_triple",
        (
            "float *out, int n)",
            "float *out, int64_t n)",
        ),
        (
            "int i = blockIdx.x * blockDim.x",
            "int64_t i = (int64_t)blockIdx.x * blockDim.x",
        ),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        (
            "    int blocks = (n",
            "    unsigned int blocks = (n",
        ),
    ),
    # Three blocks have nothing to do.
    Right(
        "ninetyfive_longs_idle_blocks",
        "ninetyfive_longs",
        (
            "/ block_size;",
            "/ block_size + 3;",
        ),
    ),
    # Indices are unsigned.
    Right(
        "ninetyfive_brain_unsigned_index",
        "ninetyfive_brain",
        (
            "dst, int n)\n"
            "{\n"
            "    int k = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (2 * k + 1 < n) {",
            "dst, uint32_t n)\n"
            "{\n"
            "    uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (2 * k + 1 < n) {",
        ),
    ),
    # The output stands first.
    Right(
        "ninetyfive_silu_output_first",
        "ninetyfive_silu",
        (
            "launch(const double* x,  // [n]\n                       double* y,        // [n]",
            "launch(double* y,        // [n]\n                       const double* x,  // [n]",
        ),
    ),
    # Blocks of 96, and at most 7 of them.
    Right(
        "ninetyfive_swish_smaller_grid",
        "ninetyfive_swish",
        (
            "MAX_BLOCKS 64",
            "MAX_BLOCKS 7",
        ),
        (
            "block_size = 128",
            "block_size = 96",
        ),
    ),
    # A thread takes neighbours.
    Right(
        "ninetyfive_logs_neighbours",
        "ninetyfive_logs",
        (
            "int first = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;",
            "int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;",
        ),
        (
            "first + k * blockDim.x",
            "first + k",
        ),
    ),
    # A kernel sets the count to 0.
    Right(
        "ninetyfive_count_zero_by_kernel",
        "ninetyfive_count",
        (
            "__global__ void count_positive",
            "__global__ void set_zero(int *count)\n"
            "{\n"
            "    *count = 0;\n"
            "}\n"
            "\n"
            "__global__ void count_positive",
        ),
        (
            "cudaMemsetAsync(count, 0, sizeof(int), stream);",
            "set_zero<<<1, 1, 0, stream>>>(count);",
        ),
    ),
    # A block takes two rows.
    Right(
        "ninetyfive_mean_two_rows",
        "ninetyfive_mean",
        (
            "block(32, 4)",
            "block(32, 2)",
        ),
        (
            "grid((rows + 3) / 4)",
            "grid((rows + 1) / 2)",
        ),
    ),
    # The first column is the start value.
    Right(
        "ninetyfive_largest_first_column",
        "ninetyfive_largest",
        (
            "float best = -INFINITY;",
            "float best = m[(size_t)r * cols];",
        ),
        (
            "int c = 0; c < cols",
            "int c = 1; c < cols",
        ),
    ),
    # Blocks have 64 threads.
    Right(
        "ninetyfive_softmax_blocks_of_64",
        "ninetyfive_softmax",
        (
            "#define NT 128",
            "#define NT 64",
        ),
    ),
    # The sums are doubles.
    Right(
        "ninetyfive_rms_shared_doubles",
        "ninetyfive_rms",
        (
            "__shared__ float acc",
            "__shared__ double acc",
        ),
        (
            "    float sum = 0.0f;",
            "    double sum = 0.0;",
        ),
        (
            "        sum += v * v;",
            "        sum += (double)v * v;",
        ),
        (
            "float scale = 1.0f / sqrtf(acc[0] / cols + eps)",
            "float scale = (float)(1.0 / sqrt(acc[0] / cols + eps))",
        ),
    ),
    # Tiles have 16 rows, of which threads take 4.
    Right(
        "ninetyfive_turn_sixteen",
        "ninetyfive_turn",
        (
            "TILE = 32;",
            "TILE = 16;",
        ),
        (
            "ROWS = 8;",
            "ROWS = 4;",
        ),
    ),
    # Warps add to what the launcher has set to 0.
    Right(
        "ninetyfive_matvec_atomic_warps",
        "ninetyfive_matvec",
        (
            "    __shared__ float partial[N_WARPS];\n",
            "",
        ),
        (
            "        partial[tid / 32] = dot;\n"
            "    __syncthreads();\n"
            "    if (tid == 0) {\n"
            "        float result = 0.0f;\n"
            "        for (int w = 0; w < N_WARPS; w++)\n"
            "            result += partial[w];\n"
            "        y[row] = result;\n"
            "    }\n",
            "        atomicAdd(&y[row], dot);\n",
        ),
        (
            "    matvec<<<m,",
            "    cudaMemsetAsync(y, 0, m * sizeof(float), stream);\n    matvec<<<m,",
        ),
    ),
)
