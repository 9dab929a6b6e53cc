"""Hold a ninety-fourth family: the plain operators of a course, and their plainest mistakes.

Its bases are the sum of floats, the difference of bfloat16, floats to doubles, halves to bytes,
ReLU of halves, GELU by tanh, one over the root, the sum of halves, the largest of an array, the
smallest of rows, softmax, layer norm with gain and bias, a transpose and a matrix product. They
have 12 to 45 lines, as in a first half year. They use a loop over the grid, pairs with a last
one, a number a thread, four bytes a thread, half2, float4 where both addresses allow it, a tree
and an atomic after a memset, shuffles in warps and across them, a block a row, a thread a row,
a warp a row, tiles of 32 by float4 and 2 x 2 elements a thread. Their mistakes are spread over
alignment, sizes, grids, values, NaN, rounding, inputs that are written, sums, matrices, order,
streams and what memory held before. The causes were written before a member was judged. On the
emulator each ran beside PyTorch, compared as a case does, called twice on the same tensors,
with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of
their pages, the bytes behind them and their inputs looked at afterwards, on another stream,
with threads in order, from the last to the first and in a random order, and in the slices that
the cases name. Bases and right ones ran all cases; of more than 2^31 elements only as many as a
second allows. Wrong ones ran until they were wrong often enough. ninetyfour_sum_no_atomic is
right there, as blocks run one after another; others that lack a barrier are not wrong in every
order. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are
right, and all others wrong or refused:

    ninetyfour_add_one_too_many          of any size, beyond the end
    ninetyfour_add_stride_of_256         from 2,049 numbers on at 32
    ninetyfour_add_in_place              unless b is 0: a is overwritten
    ninetyfour_add_rounded_down          of fewer numbers than a block has threads
    ninetyfour_add_a_twice               unless a and b are alike
    ninetyfour_diff_odd_forgotten        of odd sizes
    ninetyfour_diff_toward_0             of pairs whose difference is no bfloat16
    ninetyfour_diff_odd_swapped          of odd sizes, of the last
    ninetyfour_diff_rhs_anywhere         by the address of rhs
    ninetyfour_diff_threads_rounded_down of odd sizes whose pairs fill all blocks, and of 1
    ninetyfour_wide_last_forgotten       of the last
    ninetyfour_wide_added_to_0           of -0.0
    ninetyfour_wide_nan_cleaned          of NaN
    ninetyfour_wide_blocks_of_256        if blocks have less than 256 threads
    ninetyfour_wide_short_index          from 65,537 numbers on
    ninetyfour_byte_cut_off              of fractions from a half on
    ninetyfour_byte_wraps                beyond 255
    ninetyfour_byte_not_asked            by the address of out
    ninetyfour_byte_three_are_a_pack     if 3 numbers are left, by the address
    ninetyfour_byte_nan_is_255           of NaN
    ninetyfour_relu_nan_lost             of NaN
    ninetyfour_relu_times_mask           of -infinity; -0.0 of all below 0
    ninetyfour_relu_low_twice            of every other number
    ninetyfour_relu_pairs_rounded_up     of odd sizes
    ninetyfour_relu_no_stream            on another stream than the default one
    ninetyfour_gelu_constant             of nearly all
    ninetyfour_gelu_exponentials         from about 8 on
    ninetyfour_gelu_half_of_ints         of nearly all
    ninetyfour_gelu_always_256           of other block sizes, from a second block on
    ninetyfour_gelu_limit_of_blocks      from 1,025 blocks on: 32,769 numbers at 32
    ninetyfour_root_of_magnitude         below 0
    ninetyfour_root_plus_eps             of 0 and of small numbers
    ninetyfour_root_y_not_asked          from 4 numbers on, by the address of y alone
    ninetyfour_root_third_again          from 4 numbers on, where packs are taken
    ninetyfour_root_packs_not_taken      from 4 numbers on, by the addresses
    ninetyfour_sum_not_set               unless the total is 0 before
    ninetyfour_sum_in_halves             from about 2,049 of a thread's sum on
    ninetyfour_sum_tree_ends_early       from 2 numbers on
    ninetyfour_sum_no_atomic             from a second block on, where blocks run at once
    ninetyfour_sum_no_first_barrier      where threads do not wait for another
    ninetyfour_most_flt_min              if no number is above 0
    ninetyfour_most_four_warps           if the largest is one of the later warps'
    ninetyfour_most_no_barrier           where threads do not wait for another
    ninetyfour_most_half_the_threads     from 129 numbers on, and by what memory held
    ninetyfour_most_shuffles_from_8      if the largest is one of the upper lanes'
    ninetyfour_least_from_0              if no number is below 0
    ninetyfour_least_pitch_of_rows       from 2 rows on, unless they are square
    ninetyfour_least_no_barrier_in_tree  where threads do not wait for another
    ninetyfour_least_256_rows            from 257 rows on
    ninetyfour_least_one_column          from 129 columns on
    ninetyfour_soft_no_largest           of large numbers, and of rows far below 0
    ninetyfour_soft_from_0               of rows far below 0
    ninetyfour_soft_sum_without_last     of all
    ninetyfour_soft_row_too_many         unless the block size divides the rows
    ninetyfour_soft_kept_in_input        of nearly all: in is overwritten
    ninetyfour_norm_cols_less_1          of nearly all
    ninetyfour_norm_gain_and_bias        of nearly all
    ninetyfour_norm_shuffles_down        from 2 columns on
    ninetyfour_norm_no_eps               of rows with little variance, or none
    ninetyfour_norm_gain_of_lane         from 33 columns on
    ninetyfour_turn_no_barrier           where threads do not wait for another
    ninetyfour_turn_tile_not_turned      of nearly all
    ninetyfour_turn_load_not_asked       unless 4 divides the columns
    ninetyfour_turn_pitch_of_x           unless rows and columns are as many
    ninetyfour_turn_rounded_down         unless 32 divides the rows
    ninetyfour_mul_last_tile             unless 16 divides k
    ninetyfour_mul_no_second_barrier     from k = 17 on, where threads do not wait
    ninetyfour_mul_pitch_of_a            unless n and k are alike
    ninetyfour_mul_sums_across           of nearly all, from 9 rows or columns on
    ninetyfour_mul_added                 unless c is 0 before
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Add of floats in a loop over the grid.
ADD = (
    HEADER
    + """\
__global__ void add_arrays(const float *a, const float *b, float *c, int n)
{
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = a[i] + b[i];
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int grid = (n + block_size - 1) / block_size;
    if (grid > 64)
        grid = 64;
    add_arrays<<<grid, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# Difference of bfloat16, a pair a thread; who has no pair takes the odd one.
DIFF = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf16x2;

__global__ void diff_pairs(const bf16* lhs, const bf16* rhs, bf16* res, int n) {
  int at = 2 * (blockDim.x * blockIdx.x + threadIdx.x);
  if (at + 1 < n) {
    float2 l = __bfloat1622float2(*(const bf16x2*)&lhs[at]);
    float2 r = __bfloat1622float2(*(const bf16x2*)&rhs[at]);
    *(bf16x2*)&res[at] = __floats2bfloat162_rn(l.x - r.x, l.y - r.y);
  } else if (at < n) {
    res[at] = __float2bfloat16(__bfloat162float(lhs[at]) - __bfloat162float(rhs[at]));
  }
}

extern "C" void launch(const __nv_bfloat16* lhs,  // [n] 4-byte aligned
                       const __nv_bfloat16* rhs,  // [n] 4-byte aligned
                       __nv_bfloat16* res,        // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  int blocks = (threads + block_size - 1) / block_size;
  diff_pairs<<<blocks, block_size, 0, stream>>>(lhs, rhs, res, n);
}
"""
)

# Floats to doubles, one a thread.
WIDE = (
    HEADER
    + """\
__global__ void to_double(const float* src, double* dst, int len) {
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < len) {
        dst[idx] = src[idx];
    }
}

extern "C" void launch(const float* src,  // [len]
                       double* dst,       // [len]
                       int len, int block_size = 256, cudaStream_t stream = 0) {
    dim3 grid((len + block_size - 1) / block_size);
    to_double<<<grid, dim3(block_size), 0, stream>>>(src, dst, len);
}
"""
)

# Halves to unsigned bytes, to the nearest and limited, four a thread.
BYTE = (
    HEADER
    + """\
__device__ unsigned char to_byte(half h)
{
    float f = __half2float(h);
    if (!(f > 0.0f)) return 0;
    if (f > 255.0f) return 255;
    return (unsigned char)__float2int_rn(f);
}

__global__ void bytes_of(const half *in, unsigned char *out, bool packs, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (packs && i + 3 < n) {
        uchar4 q;
        q.x = to_byte(in[i]);
        q.y = to_byte(in[i + 1]);
        q.z = to_byte(in[i + 2]);
        q.w = to_byte(in[i + 3]);
        *(uchar4 *)(out + i) = q;
        return;
    }
    for (int k = i; k < i + 4 && k < n; k++)
        out[k] = to_byte(in[k]);
}

extern "C" void launch(const half *in,  // [n]
                       uint8_t *out,    // [n]
                       int n, cudaStream_t stream = 0)
{
    const int block = 64;
    bool packs = (uintptr_t)out % 4 == 0;
    int per_block = 4 * block;
    bytes_of<<<(n + per_block - 1) / per_block, block, 0, stream>>>(in, out, packs, n);
}
"""
)

# ReLU of halves by half2, the odd one by the first thread.
RELU = (
    HEADER
    + """\
__device__ half relu1(half v) { return __half2float(v) < 0.0f ? __float2half(0.0f) : v; }

__global__ void relu_h2(const half* x, half* y, int n) {
  const half2* x2 = (const half2*)x;
  half2* y2 = (half2*)y;
  int pairs = n / 2;
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int p = me; p < pairs; p += blockDim.x * gridDim.x) {
    half2 v = x2[p];
    y2[p] = __halves2half2(relu1(__low2half(v)), relu1(__high2half(v)));
  }
  if (n % 2 && me == 0) y[n - 1] = relu1(x[n - 1]);
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = min(n / (2 * block_size) + 1, 20);
  relu_h2<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# GELU by tanh, one a thread.
GELU = (
    HEADER
    + """\
#define SQRT_2_OVER_PI 0.7978845608f

__device__ float gelu_tanh(float x)
{
    float cube = x * x * x;
    float t = tanhf(SQRT_2_OVER_PI * (x + 0.044715f * cube));
    return 0.5f * x * (1.0f + t);
}

__global__ void gelu(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = gelu_tanh(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    gelu<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One over the root of floats, float4 where both addresses allow it.
ROOT = (
    HEADER
    + """\
__device__ __forceinline__ float inv_root(float v) { return rsqrtf(v); }

__global__ void inv_roots(const float* __restrict__ x, float* __restrict__ y, int n,
                          bool vec) {
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const int total = gridDim.x * blockDim.x;
    const int n4 = vec ? n / 4 : 0;
    for (int p = tid; p < n4; p += total) {
        const float4 v = reinterpret_cast<const float4*>(x)[p];
        reinterpret_cast<float4*>(y)[p] =
            make_float4(inv_root(v.x), inv_root(v.y), inv_root(v.z), inv_root(v.w));
    }
    const int begin = 4 * n4;
    for (unsigned i = begin + tid; i < n; i += total) y[i] = inv_root(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    const bool x_ok = reinterpret_cast<uintptr_t>(x) % sizeof(float4) == 0;
    const bool y_ok = reinterpret_cast<uintptr_t>(y) % sizeof(float4) == 0;
    int blocks = n / (4 * block_size) + 1;
    if (blocks > 48) blocks = 48;
    inv_roots<<<blocks, block_size, 0, stream>>>(x, y, n, x_ok && y_ok);
}
"""
)

# Sum of halves in float: a tree a block, then an atomic.
SUM = (
    HEADER
    + """\
#define THREADS 128

__global__ void sum_halves(const half *x, float *total, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    float mine = 0.0f;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        mine += __half2float(x[i]);
    part[t] = mine;
    __syncthreads();
    for (int half_of = THREADS / 2; half_of > 0; half_of >>= 1) {
        if (t < half_of)
            part[t] += part[t + half_of];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(total, part[0]);
}

extern "C" void launch(const half *x,  // [n]
                       float *total,   // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 16)
        blocks = 16;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    sum_halves<<<blocks, THREADS, 0, stream>>>(x, total, n);
}
"""
)

# Largest of an array: one block, shuffles in each warp and then across the warps.
MOST = (
    HEADER
    + """\
__device__ float larger(float a, float b) { return (a > b || a != a) ? a : b; }

__global__ void most(const float* x, float* out, int64_t n) {
  __shared__ float of_warp[8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float m = -INFINITY;
  for (int64_t i = threadIdx.x; i < n; i += 256) m = larger(m, x[i]);
  for (int d = 16; d > 0; d /= 2) m = larger(m, __shfl_down_sync(~0u, m, d));
  if (lane == 0) of_warp[warp] = m;
  __syncthreads();
  if (warp == 0) {
    m = lane < 8 ? of_warp[lane] : -INFINITY;
    for (int d = 4; d > 0; d /= 2) m = larger(m, __shfl_down_sync(~0u, m, d));
    if (lane == 0) out[0] = m;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  most<<<1, 256, 0, stream>>>(x, out, n);
}
"""
)

# Smallest of rows, a block a row with a tree.
LEAST = (
    HEADER
    + """\
#define N_THREADS 128

__device__ float min_nan(float a, float b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return a < b ? a : b;
}

__global__ void row_min(const float *mat, float *res, int cols)
{
    __shared__ float buf[N_THREADS];
    int tid = threadIdx.x;
    const float *row = mat + (size_t)blockIdx.x * cols;

    float v = INFINITY;
    for (int j = tid; j < cols; j += N_THREADS)
        v = min_nan(v, row[j]);
    buf[tid] = v;
    __syncthreads();

    for (int s = N_THREADS / 2; s > 0; s /= 2) {
        if (tid < s)
            buf[tid] = min_nan(buf[tid], buf[tid + s]);
        __syncthreads();
    }
    if (tid == 0)
        res[blockIdx.x] = buf[0];
}

extern "C" void launch(const float *mat,  // [rows, cols]
                       float *res,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_min<<<rows, N_THREADS, 0, stream>>>(mat, res, cols);
}
"""
)

# Softmax of rows, one thread a row.
SOFT = (
    HEADER
    + """\
__global__ void softmax_rows(const float* in, float* out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* src = in + (size_t)r * cols;
    float* dst = out + (size_t)r * cols;

    float biggest = src[0];
    for (int j = 1; j < cols; j++) {
        if (src[j] > biggest) biggest = src[j];
    }
    float denom = 0.0f;
    for (int j = 0; j < cols; j++) denom += expf(src[j] - biggest);
    for (int j = 0; j < cols; j++) dst[j] = expf(src[j] - biggest) / denom;
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [rows, cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0) {
    int grid = (rows + block_size - 1) / block_size;
    softmax_rows<<<grid, block_size, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Layer norm with gain and bias, a warp a row.
NORM = (
    HEADER
    + """\
__device__ float warp_total(float v)
{
    for (int mask = 16; mask >= 1; mask >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    return v;
}

__global__ void norm_rows(const float *x, const float *gamma, const float *beta, float *y,
                          int rows, int cols, float eps)
{
    int row = blockIdx.x * 4 + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    y += (size_t)row * cols;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += x[c];
    float mean = warp_total(sum) / cols;
    float squares = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = x[c] - mean;
        squares += d * d;
    }
    float scale = rsqrtf(warp_total(squares) / cols + eps);
    for (int c = lane; c < cols; c += 32)
        y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}

extern "C" void launch(const float *x,      // [rows, cols]
                       const float *gamma,  // [cols]
                       const float *beta,   // [cols]
                       float *y,            // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
    norm_rows<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, gamma, beta, y, rows, cols, eps);
}
"""
)

# Transpose of floats in tiles of 32, loaded and stored by float4 where rows allow it.
TURN = (
    HEADER
    + """\
#define S 32

__global__ void turn(const float* x, float* y, int rows, int cols, int across) {
  __shared__ float tile[S][S + 1];
  int r0 = blockIdx.x / across * S;
  int c0 = blockIdx.x % across * S;
  int q = 4 * threadIdx.x, t = threadIdx.y;
  if (r0 + t < rows) {
    const float* from = x + (size_t)(r0 + t) * cols + c0 + q;
    if (cols % 4 == 0 && c0 + q < cols) {
      float4 v = *(const float4*)from;
      tile[t][q] = v.x, tile[t][q + 1] = v.y, tile[t][q + 2] = v.z, tile[t][q + 3] = v.w;
    } else {
      for (int k = 0; k < 4 && c0 + q + k < cols; k++) tile[t][q + k] = from[k];
    }
  }
  __syncthreads();
  if (c0 + t < cols) {
    float* to = y + (size_t)(c0 + t) * rows + r0 + q;
    if (rows % 4 == 0 && r0 + q < rows) {
      *(float4*)to = make_float4(tile[q][t], tile[q + 1][t], tile[q + 2][t], tile[q + 3][t]);
    } else {
      for (int k = 0; k < 4 && r0 + q + k < rows; k++) to[k] = tile[q + k][t];
    }
  }
}

extern "C" void launch(const float* x,  // [rows, cols] 16-byte aligned
                       float* y,        // [cols, rows] 16-byte aligned
                       int rows, int cols, cudaStream_t stream = 0) {
  int across = (cols + S - 1) / S;
  int down = (rows + S - 1) / S;
  turn<<<across * down, dim3(S / 4, S), 0, stream>>>(x, y, rows, cols, across);
}
"""
)

# Matrix product, 2 x 2 elements a thread, tiles of 16.
MUL = (
    HEADER
    + """\
#define TILE 16
#define HALF 8

__global__ void mul(const float *a, const float *b, float *c, int m, int n, int k, int wide)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int top = blockIdx.x / wide * TILE, left = blockIdx.x % wide * TILE;
    float acc[2][2] = {{0.0f, 0.0f}, {0.0f, 0.0f}};
    for (int q = 0; q < k; q += TILE) {
        for (int i = ty; i < TILE; i += HALF)
            for (int j = tx; j < TILE; j += HALF) {
                bool in_a = top + i < m && q + j < k;
                bool in_b = q + i < k && left + j < n;
                as[i][j] = in_a ? a[(size_t)(top + i) * k + q + j] : 0.0f;
                bs[i][j] = in_b ? b[(size_t)(q + i) * n + left + j] : 0.0f;
            }
        __syncthreads();
        for (int h = 0; h < TILE; h++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    acc[i][j] += as[ty + i * HALF][h] * bs[h][tx + j * HALF];
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int row = top + ty + i * HALF, col = left + tx + j * HALF;
            if (row < m && col < n)
                c[(size_t)row * n + col] = acc[i][j];
        }
}

extern "C" void launch(const float *a,  // [m, k]
                       const float *b,  // [k, n]
                       float *c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    int high = (m + TILE - 1) / TILE;
    int wide = (n + TILE - 1) / TILE;
    mul<<<high * wide, dim3(HALF, HALF), 0, stream>>>(a, b, c, m, n, k, wide);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 511, 512, 513, 1000)
LENGTHS += (1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 127), (7, 128), (3, 129), (301, 2))
SIDES += ((65, 65), (130, 6), (257, 5), (2, 255), (4, 257), (1000, 3))
FLOAT = (torch.float32,)


def differences(launcher: Launcher) -> Iterator[Case]:
    """Subtract, where only the last step rounds: any, small, ties, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        a, b, j = whole(-255, 256, n, n), whole(-255, 256, n, n + 1), torch.arange(n)
        for label, p, q in (
            ("any", a, b),
            ("fractions", a / 64, b / 4),
            ("ties", a * 0 + 256, b * 0 - 1 - 2 * (j % 2)),
            ("equal", a, a),
            ("infinities", torch.where(j % 3 == 1, INF, a), b),
            ("NaN", torch.where(j % 3 == 1, NAN, a), torch.where(j % 5 == 2, NAN, b)),
        ):
            p, q = p.bfloat16(), q.bfloat16()
            right = p.double() - q.double()
            options = {"dtypes": (torch.bfloat16,), "quick": n > 5000}
            for block_size in (128, 32):
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (p, q), (right,), {"block_size": block_size}, **options)
            if n < 300 and label == "any":
                words = f"n = {n:,}, slices from (2, 4, 2)"
                yield Case(words, (p, q), (right,), offset=(2, 4, 2), **options)


def bytes_cases(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: any, fractions, ties, beyond both ends, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(0, 256, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("fractions", x / 8 + 0.375),
            ("ties", x % 200 + 0.5),
            ("beyond the range", x * 4 - 400),
            ("large", x * 200.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.half()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(0, 255)
            options = {"dtypes": (torch.uint8,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 200 and label == "any":
                for offset in ((1, 1), (2, 4), (4, 2), (1, 3)):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, (y,), (right,), offset=offset, **options)


def relus(launcher: Launcher) -> Iterator[Case]:
    """Cut off what is negative: any, negative, positive, small, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("positive", x.abs() + 1),
            ("small", x / 2.0**24),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.half()
            right = torch.where(y.double() < 0, 0.0, y.double())
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            for block_size in (128, 32):
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)
            if n < 200 and label == "any":
                words = f"n = {n:,}, slices from (2, 4)"
                yield Case(words, (y,), (right,), offset=(2, 4), **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Take GELU: usual, small, large, far below 0, infinity, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n) / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x.abs() * 16 + 1),
            ("far below 0", -x.abs() * 16 - 8),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.float()
            v = y.double()
            right = 0.5 * v * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)))
            slack = ((2.0**-20 * v.abs()).nan_to_num(0.0, 0.0),)
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            for block_size in (256, 128, 32):
                if n > 10_000 and (label != "usual" or block_size > 32):
                    continue
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, ones, negative, last, infinity, NaN."""
    for n in (*LENGTHS, 9_001, 50_001):
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("large", x.abs() + 200),
            ("negative", -x.abs() - 1),
            ("zeros", torch.zeros_like(x)),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
        ):
            right = y.sum().reshape(1)
            words = f"n = {n:,}, {label}"
            yield Case(words, (y.half(),), (right,), dtypes=FLOAT, quick=n > 5000)


def minima(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, positive, negative, zeros, the last, infinities, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("negative", -x.abs() - 1),
            ("zeros", torch.zeros_like(x)),
            ("fractions", x / 7),
            ("the last", torch.where(c == cols - 1, -2000.0, x)),
            ("infinity", x * 0 + INF),
            ("infinities", torch.where(c == cols // 2, -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amin(1),), dtypes=FLOAT)


def roots(launcher: Launcher) -> Iterator[Case]:
    """Take roots: any, large, small, negative, zeros, infinity, NaN; slices."""
    for n in (*LENGTHS, 9_001, 30_003):
        x, j = whole(1, 9999, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x / 16),
            ("large", x * 2.0**90),
            ("small", x / 2.0**40),
            ("negative", torch.where(j % 3 == 1, -x, x)),
            ("zeros", torch.where(j % 3 == 1, 0.0, x)),
            ("infinity", torch.where(j % 3 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.float()
            right, options = y.double().rsqrt(), {"ulp": 2, "dtypes": FLOAT, "quick": n > 5000}
            for block_size in (128, 32):
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)
            if n < 300 and label == "any":
                for offset in ((1, 1), (4, 1), (2, 4), (3, 2), (4, 8)):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, (y,), (right,), offset=offset, **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, a large mean, all equal, one apart, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gamma, beta = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gamma, beta, 1e-5),
            ("plain", x, gamma * 0 + 1, beta * 0, 1e-5),
            ("small", x / 1024, gamma, beta, 0.25),
            ("about 4,096", 4096 + x // 10, gamma, beta, 0.5),
            ("all equal", x * 0 + 3, gamma, beta, 0.125),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gamma, beta, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gamma, beta, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            slack = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * (right.abs() + b.abs()) + 2.0**-24
            slack += 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=within)


BASES = {
    "ninetyfour_add": Base(ADD, {"reference": "add"}),
    "ninetyfour_diff": Base(DIFF, {"cases": differences}),
    "ninetyfour_wide": Base(WIDE, {"reference": "cast"}),
    "ninetyfour_byte": Base(BYTE, {"cases": bytes_cases}),
    "ninetyfour_relu": Base(RELU, {"cases": relus}),
    "ninetyfour_gelu": Base(GELU, {"cases": gelus}),
    "ninetyfour_root": Base(ROOT, {"cases": roots}),
    "ninetyfour_sum": Base(SUM, {"cases": totals}),
    "ninetyfour_most": Base(MOST, cases="whole_array", function=torch.max),
    "ninetyfour_least": Base(LEAST, {"cases": minima}),
    "ninetyfour_soft": Base(SOFT, cases="softmax"),
    "ninetyfour_norm": Base(NORM, {"cases": norms}),
    "ninetyfour_turn": Base(TURN, cases="transpose"),
    "ninetyfour_mul": Base(MUL, cases="matmul"),
}

WRONG = (
    # ---- add
    # One too many is allowed.
    Wrong(
        "ninetyfour_add_one_too_many",
        "ninetyfour_add",
        "bounds / tail",
        ("i < n; i += stride", "i <= n; i += stride"),
    ),
    # The step has a block size typed in.
    Wrong(
        "ninetyfour_add_stride_of_256",
        "ninetyfour_add",
        "block size / unwritten / left out | nan / tail / grid",
        ("stride = gridDim.x * blockDim.x;", "stride = gridDim.x * 256;"),
    ),
    # The sum is made in a.
    Wrong(
        "ninetyfour_add_in_place",
        "ninetyfour_add",
        "input | state / numbers",
        ("add_arrays(const float *a,", "add_arrays(float *a,"),
        (
            "        c[i] = a[i] + b[i];",
            "    {\n        a[i] += b[i];\n        c[i] = a[i];\n    }",
        ),
        ("stream>>>(a, b, c, n);", "stream>>>((float *)a, b, c, n);"),
    ),
    # The blocks are rounded down, which the loop hides unless none is left.
    Wrong(
        "ninetyfour_add_rounded_down",
        "ninetyfour_add",
        "grid / refused / unwritten / tail / left out | nan",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # The first operand is added to itself.
    Wrong(
        "ninetyfour_add_a_twice",
        "ninetyfour_add",
        "left out / function / twice / copy / swapped | numbers / nan / infinity "
        "/ sign of zero",
        ("a[i] + b[i]", "a[i] + a[i]"),
    ),
    # ---- diff
    # Nobody takes the odd one.
    Wrong(
        "ninetyfour_diff_odd_forgotten",
        "ninetyfour_diff",
        "tail / unwritten / left out | nan",
        (
            "  } else if (at < n) {\n    res[at] = __float2bfloat16(__bfloat162float(lhs[at]) "
            "- __bfloat162float(rhs[at]));\n  }",
            "  }",
        ),
    ),
    # Pairs are rounded toward 0.
    Wrong(
        "ninetyfour_diff_toward_0",
        "ninetyfour_diff",
        "rounding / precision | numbers",
        (
            "__floats2bfloat162_rn(l.x - r.x, l.y - r.y)",
            "bf16x2(__float2bfloat16_rz(l.x - r.x), __float2bfloat16_rz(l.y - r.y))",
        ),
    ),
    # The odd one is taken the other way round.
    Wrong(
        "ninetyfour_diff_odd_swapped",
        "ninetyfour_diff",
        "swapped / tail | numbers / function",
        (
            "__bfloat162float(lhs[at]) - __bfloat162float(rhs[at])",
            "__bfloat162float(rhs[at]) - __bfloat162float(lhs[at])",
        ),
    ),
    # The second array may lie anywhere.
    Wrong(
        "ninetyfour_diff_rhs_anywhere",
        "ninetyfour_diff",
        "alignment",
        ("rhs,  // [n] 4-byte aligned", "rhs,  // [n]"),
    ),
    # The pairs are rounded down: no thread is left for an odd one at the end of a block.
    Wrong(
        "ninetyfour_diff_threads_rounded_down",
        "ninetyfour_diff",
        "tail / grid / unwritten / left out | refused / nan",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # ---- wide
    # The last is left to nobody.
    Wrong(
        "ninetyfour_wide_last_forgotten",
        "ninetyfour_wide",
        "tail / unwritten / left out | nan",
        ("if (idx < len) {", "if (idx < len - 1) {"),
    ),
    # The number is added to a 0.
    Wrong(
        "ninetyfour_wide_added_to_0",
        "ninetyfour_wide",
        "sign of zero",
        ("dst[idx] = src[idx];", "dst[idx] = 0.0;\n        dst[idx] += src[idx];"),
    ),
    # NaN is cleaned away.
    Wrong(
        "ninetyfour_wide_nan_cleaned",
        "ninetyfour_wide",
        "nan",
        ("dst[idx] = src[idx];", "dst[idx] = src[idx] == src[idx] ? src[idx] : 0.0;"),
    ),
    # The blocks are counted for 256 threads each.
    Wrong(
        "ninetyfour_wide_blocks_of_256",
        "ninetyfour_wide",
        "block size / grid / unwritten / left out / tail | nan",
        ("(len + block_size - 1) / block_size", "(len + 255) / 256"),
    ),
    # The index has 16 bits.
    Wrong(
        "ninetyfour_wide_short_index",
        "ninetyfour_wide",
        "narrow / unwritten / left out | nan / tail / grid / twice",
        ("int idx = threadIdx.x", "unsigned short idx = threadIdx.x"),
    ),
    # ---- byte
    # What follows the point is cut off.
    Wrong(
        "ninetyfour_byte_cut_off",
        "ninetyfour_byte",
        "rounding / precision | numbers",
        ("(unsigned char)__float2int_rn(f)", "(unsigned char)f"),
    ),
    # Beyond 255 numbers begin again at 0.
    Wrong(
        "ninetyfour_byte_wraps",
        "ninetyfour_byte",
        "whole range / infinity | numbers",
        ("    if (f > 255.0f) return 255;\n", ""),
    ),
    # Packs are stored to any address.
    Wrong(
        "ninetyfour_byte_not_asked",
        "ninetyfour_byte",
        "alignment",
        ("bool packs = (uintptr_t)out % 4 == 0;", "bool packs = true;"),
    ),
    # A pack is taken where three are left.
    Wrong(
        "ninetyfour_byte_three_are_a_pack",
        "ninetyfour_byte",
        "bounds / tail",
        ("packs && i + 3 < n", "packs && i + 2 < n"),
    ),
    # NaN becomes the largest byte.
    Wrong(
        "ninetyfour_byte_nan_is_255",
        "ninetyfour_byte",
        "nan",
        (
            "    if (!(f > 0.0f)) return 0;\n    if (f > 255.0f) return 255;",
            "    if (f < 0.0f) return 0;\n    if (!(f < 255.0f)) return 255;",
        ),
    ),
    # ---- relu
    # NaN is not larger than 0.
    Wrong(
        "ninetyfour_relu_nan_lost",
        "ninetyfour_relu",
        "nan",
        (
            "__half2float(v) < 0.0f ? __float2half(0.0f) : v;",
            "__half2float(v) > 0.0f ? v : __float2half(0.0f);",
        ),
    ),
    # The number is multiplied by 1 or 0.
    Wrong(
        "ninetyfour_relu_times_mask",
        "ninetyfour_relu",
        "infinity / nan / sign of zero | function / numbers",
        (
            "return __half2float(v) < 0.0f ? __float2half(0.0f) : v;",
            "return __float2half(__half2float(v) * (__half2float(v) < 0.0f ? 0.0f : 1.0f));",
        ),
    ),
    # Both halves come from the lower one.
    Wrong(
        "ninetyfour_relu_low_twice",
        "ninetyfour_relu",
        "other element / neighbour / twice / left out | numbers / nan / infinity",
        ("relu1(__high2half(v))", "relu1(__low2half(v))"),
    ),
    # Pairs are rounded up.
    Wrong(
        "ninetyfour_relu_pairs_rounded_up",
        "ninetyfour_relu",
        "bounds / tail | race",
        ("int pairs = n / 2;", "int pairs = (n + 1) / 2;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "ninetyfour_relu_no_stream",
        "ninetyfour_relu",
        "stream",
        ("relu_h2<<<blocks, block_size, 0, stream>>>", "relu_h2<<<blocks, block_size>>>"),
    ),
    # ---- gelu
    # A digit of the constant is missing.
    Wrong(
        "ninetyfour_gelu_constant",
        "ninetyfour_gelu",
        "function / precision | numbers / copy",
        ("0.044715f", "0.44715f"),
    ),
    # The tanh is written with exponentials.
    Wrong(
        "ninetyfour_gelu_exponentials",
        "ninetyfour_gelu",
        "infinity / nan | numbers / function / precision",
        (
            "float t = tanhf(SQRT_2_OVER_PI * (x + 0.044715f * cube));",
            "float e = expf(2.0f * SQRT_2_OVER_PI * (x + 0.044715f * cube));\n"
            "    float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # One half is a quotient of integers.
    Wrong(
        "ninetyfour_gelu_half_of_ints",
        "ninetyfour_gelu",
        "function / copy / rounding / precision | numbers / nan / infinity / sign of zero",
        ("return 0.5f * x", "return 1 / 2 * x"),
    ),
    # The block size is typed in.
    Wrong(
        "ninetyfour_gelu_always_256",
        "ninetyfour_gelu",
        "block size / unwritten / left out | nan / bounds / tail / other element",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # There are at most 1,024 blocks, and no loop.
    Wrong(
        "ninetyfour_gelu_limit_of_blocks",
        "ninetyfour_gelu",
        "grid / unwritten / left out | nan / tail",
        ("    gelu<<<", "    if (blocks > 1024)\n        blocks = 1024;\n    gelu<<<"),
    ),
    # ---- root
    # The sign is taken away first.
    Wrong(
        "ninetyfour_root_of_magnitude",
        "ninetyfour_root",
        "nan / function | numbers / sign of zero / infinity",
        ("return rsqrtf(v);", "return rsqrtf(fabsf(v));"),
    ),
    # A small number is added against 0.
    Wrong(
        "ninetyfour_root_plus_eps",
        "ninetyfour_root",
        "function / infinity / precision | numbers / sign of zero / nan / subnormal",
        ("return rsqrtf(v);", "return rsqrtf(v + 1e-6f);"),
    ),
    # One of two addresses is asked.
    Wrong(
        "ninetyfour_root_y_not_asked",
        "ninetyfour_root",
        "alignment",
        ("(x, y, n, x_ok && y_ok);", "(x, y, n, x_ok);"),
    ),
    # The third of four is also the last one.
    Wrong(
        "ninetyfour_root_third_again",
        "ninetyfour_root",
        "other element / neighbour / twice / left out | numbers / nan / infinity",
        ("inv_root(v.z), inv_root(v.w)", "inv_root(v.z), inv_root(v.z)"),
    ),
    # The rest begins after packs that were not taken.
    Wrong(
        "ninetyfour_root_packs_not_taken",
        "ninetyfour_root",
        "unwritten / alignment / left out | nan / tail",
        ("const int begin = 4 * n4;", "const int begin = n / 4 * 4;"),
    ),
    # ---- sum
    # Nobody sets the total to 0.
    Wrong(
        "ninetyfour_sum_not_set",
        "ninetyfour_sum",
        "zero before / state | start / unwritten / numbers / nan",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # Threads add in halves.
    Wrong(
        "ninetyfour_sum_in_halves",
        "ninetyfour_sum",
        "precision / rounding / infinity | numbers / left out",
        ("    float mine = 0.0f;", "    half mine = __float2half(0.0f);"),
        ("mine += __half2float(x[i]);", "mine = __hadd(mine, x[i]);"),
        ("part[t] = mine;", "part[t] = __half2float(mine);"),
    ),
    # The tree ends a step too early.
    Wrong(
        "ninetyfour_sum_tree_ends_early",
        "ninetyfour_sum",
        "left out | numbers / other element / nan / infinity",
        ("half_of > 0; half_of >>= 1", "half_of > 1; half_of >>= 1"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "ninetyfour_sum_no_atomic",
        "ninetyfour_sum",
        "race | left out / numbers / zero before",
        ("atomicAdd(total, part[0]);", "*total += part[0];"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "ninetyfour_sum_no_first_barrier",
        "ninetyfour_sum",
        "race | left out / numbers / unwritten / other element / nan / state",
        ("    part[t] = mine;\n    __syncthreads();\n", "    part[t] = mine;\n"),
    ),
    # ---- most
    # The start is the least positive number.
    Wrong(
        "ninetyfour_most_flt_min",
        "ninetyfour_most",
        "start | numbers / copy",
        ("  float m = -INFINITY;", "  float m = FLT_MIN;"),
    ),
    # Four of eight warps are read.
    Wrong(
        "ninetyfour_most_four_warps",
        "ninetyfour_most",
        "left out | numbers / nan / other element / infinity",
        ("m = lane < 8 ?", "m = lane < 4 ?"),
    ),
    # The warps' numbers are read before all have stored them.
    Wrong(
        "ninetyfour_most_no_barrier",
        "ninetyfour_most",
        "race | left out / numbers / unwritten / nan / state / start",
        ("  __syncthreads();\n", ""),
    ),
    # Half of the threads are launched.
    Wrong(
        "ninetyfour_most_half_the_threads",
        "ninetyfour_most",
        "left out / block size / unwritten | numbers / nan / race / state / start "
        "/ other element",
        ("most<<<1, 256, 0,", "most<<<1, 128, 0,"),
    ),
    # The shuffles of a warp begin at 8.
    Wrong(
        "ninetyfour_most_shuffles_from_8",
        "ninetyfour_most",
        "left out | numbers / nan / other element / infinity",
        ("int d = 16; d > 0;", "int d = 8; d > 0;"),
    ),
    # ---- least
    # The smallest begins with 0.
    Wrong(
        "ninetyfour_least_from_0",
        "ninetyfour_least",
        "start | numbers / copy / infinity",
        ("float v = INFINITY;", "float v = 0.0f;"),
    ),
    # Rows are as long as there are rows.
    Wrong(
        "ninetyfour_least_pitch_of_rows",
        "ninetyfour_least",
        "sides / other element / bounds | numbers / left out / nan",
        ("(size_t)blockIdx.x * cols", "(size_t)blockIdx.x * gridDim.x"),
    ),
    # Steps of the tree do not wait for each other.
    Wrong(
        "ninetyfour_least_no_barrier_in_tree",
        "ninetyfour_least",
        "race | left out / numbers / nan / other element",
        (
            "buf[tid + s]);\n        __syncthreads();\n",
            "buf[tid + s]);\n",
        ),
    ),
    # There are at most 256 blocks, and no loop.
    Wrong(
        "ninetyfour_least_256_rows",
        "ninetyfour_least",
        "grid / unwritten / left out | nan / tail",
        ("row_min<<<rows, N_THREADS,", "row_min<<<min(rows, 256), N_THREADS,"),
    ),
    # A thread looks at one column.
    Wrong(
        "ninetyfour_least_one_column",
        "ninetyfour_least",
        "left out / tail | numbers / nan / infinity",
        (
            "    for (int j = tid; j < cols; j += N_THREADS)",
            "    int j = tid;\n    if (j < cols)",
        ),
    ),
    # ---- soft
    # The largest is not taken away.
    Wrong(
        "ninetyfour_soft_no_largest",
        "ninetyfour_soft",
        "infinity / nan | numbers / function / precision / subnormal",
        ("denom += expf(src[j] - biggest)", "denom += expf(src[j])"),
        ("dst[j] = expf(src[j] - biggest) / denom", "dst[j] = expf(src[j]) / denom"),
    ),
    # The largest begins with 0.
    Wrong(
        "ninetyfour_soft_from_0",
        "ninetyfour_soft",
        "start | numbers / nan / infinity / precision / subnormal",
        (
            "float biggest = src[0];\n    for (int j = 1;",
            "float biggest = 0.0f;\n    for (int j = 0;",
        ),
    ),
    # The last is not in the sum.
    Wrong(
        "ninetyfour_soft_sum_without_last",
        "ninetyfour_soft",
        "left out / tail | numbers / infinity / nan / function",
        ("j < cols; j++) denom", "j < cols - 1; j++) denom"),
    ),
    # One row too many is allowed.
    Wrong(
        "ninetyfour_soft_row_too_many",
        "ninetyfour_soft",
        "bounds / tail",
        ("if (r >= rows) return;", "if (r > rows) return;"),
    ),
    # Exponentials are kept in the input.
    Wrong(
        "ninetyfour_soft_kept_in_input",
        "ninetyfour_soft",
        "input | state / numbers",
        (
            "const float* src = in + (size_t)r * cols;",
            "float* src = (float*)in + (size_t)r * cols;",
        ),
        (
            "denom += expf(src[j] - biggest);",
            "denom += src[j] = expf(src[j] - biggest);",
        ),
        ("dst[j] = expf(src[j] - biggest) / denom", "dst[j] = src[j] / denom"),
    ),
    # ---- norm
    # The variance is divided by one less.
    Wrong(
        "ninetyfour_norm_cols_less_1",
        "ninetyfour_norm",
        "function | numbers / nan / infinity / precision / left out",
        ("warp_total(squares) / cols", "warp_total(squares) / (cols - 1)"),
    ),
    # Gain and bias are in the other order.
    Wrong(
        "ninetyfour_norm_gain_and_bias",
        "ninetyfour_norm",
        "swapped | numbers / function",
        ("(x, gamma, beta, y, rows,", "(x, beta, gamma, y, rows,"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "ninetyfour_norm_shuffles_down",
        "ninetyfour_norm",
        "left out / other element / race | numbers / function / twice / nan",
        ("__shfl_xor_sync(0xffffffffu, v, mask)", "__shfl_down_sync(0xffffffffu, v, mask)"),
    ),
    # The small number is forgotten.
    Wrong(
        "ninetyfour_norm_no_eps",
        "ninetyfour_norm",
        "function / left out / nan / infinity | numbers / precision",
        ("rsqrtf(warp_total(squares) / cols + eps)", "rsqrtf(warp_total(squares) / cols)"),
    ),
    # The gain is that of the lane.
    Wrong(
        "ninetyfour_norm_gain_of_lane",
        "ninetyfour_norm",
        "other element / left out | numbers",
        ("* gamma[c] +", "* gamma[lane] +"),
    ),
    # ---- turn
    # The tile is read before all have stored.
    Wrong(
        "ninetyfour_turn_no_barrier",
        "ninetyfour_turn",
        "race | numbers / unwritten / other element",
        ("  __syncthreads();\n", ""),
    ),
    # The tile is not turned.
    Wrong(
        "ninetyfour_turn_tile_not_turned",
        "ninetyfour_turn",
        "swapped / other element / sides | numbers / unwritten",
        (
            "make_float4(tile[q][t], tile[q + 1][t], tile[q + 2][t], tile[q + 3][t])",
            "make_float4(tile[t][q], tile[t][q + 1], tile[t][q + 2], tile[t][q + 3])",
        ),
        ("to[k] = tile[q + k][t]", "to[k] = tile[t][q + k]"),
    ),
    # Rows of any length are loaded in packs.
    Wrong(
        "ninetyfour_turn_load_not_asked",
        "ninetyfour_turn",
        "alignment | sides / tail",
        ("if (cols % 4 == 0 && c0 + q < cols)", "if (c0 + q + 3 < cols)"),
    ),
    # The result has the pitch of the input.
    Wrong(
        "ninetyfour_turn_pitch_of_x",
        "ninetyfour_turn",
        "sides / other element / bounds / swapped | numbers / unwritten / alignment / twice "
        "/ race",
        ("y + (size_t)(c0 + t) * rows", "y + (size_t)(c0 + t) * cols"),
    ),
    # Tiles in the height are rounded down.
    Wrong(
        "ninetyfour_turn_rounded_down",
        "ninetyfour_turn",
        "grid / unwritten / tail / left out | refused / nan / sides",
        ("int down = (rows + S - 1) / S;", "int down = rows / S;"),
    ),
    # ---- mul
    # Only whole tiles of k are taken.
    Wrong(
        "ninetyfour_mul_last_tile",
        "ninetyfour_mul",
        "left out / tail | numbers / nan / copy / infinity",
        ("q < k; q += TILE", "q + TILE <= k; q += TILE"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "ninetyfour_mul_no_second_barrier",
        "ninetyfour_mul",
        "race | numbers / other element / left out / nan",
        (
            "bs[h][tx + j * HALF];\n        __syncthreads();\n",
            "bs[h][tx + j * HALF];\n",
        ),
    ),
    # Rows of b have the pitch of a.
    Wrong(
        "ninetyfour_mul_pitch_of_a",
        "ninetyfour_mul",
        "sides / other element / bounds / swapped | numbers / nan",
        ("b[(size_t)(q + i) * n + left + j]", "b[(size_t)(q + i) * k + left + j]"),
    ),
    # A thread's four sums are stored across.
    Wrong(
        "ninetyfour_mul_sums_across",
        "ninetyfour_mul",
        "swapped / other element / sides | numbers / left out / nan",
        ("= acc[i][j];", "= acc[j][i];"),
    ),
    # The product is added to what stands there.
    Wrong(
        "ninetyfour_mul_added",
        "ninetyfour_mul",
        "zero before / state | start / numbers / nan / unwritten",
        ("= acc[i][j];", "+= acc[i][j];"),
    ),
)

RIGHT = (
    # Sizes have 64 bits, and so has the index.
    Right(
        "ninetyfour_add_int64",
        "ninetyfour_add",
        ("float *c, int n)", "float *c, int64_t n)"),
        ("unsigned int stride = gridDim.x", "int64_t stride = (int64_t)gridDim.x"),
        ("unsigned int i = blockIdx.x", "int64_t i = (int64_t)blockIdx.x"),
        ("int n, int block_size", "int64_t n, int block_size"),
        ("int grid = (n", "int64_t grid = (n"),
    ),
    # One block more than are needed.
    Right(
        "ninetyfour_diff_idle_block",
        "ninetyfour_diff",
        ("(threads + block_size - 1) / block_size", "threads / block_size + 1"),
    ),
    # The index has no sign.
    Right(
        "ninetyfour_wide_uint32",
        "ninetyfour_wide",
        ("double* dst, int len) {", "double* dst, uint32_t len) {"),
        ("int idx = threadIdx.x", "uint32_t idx = threadIdx.x"),
    ),
    # Limited first and then rounded, by blocks of 96.
    Right(
        "ninetyfour_byte_limited_first",
        "ninetyfour_byte",
        (
            "    if (!(f > 0.0f)) return 0;\n    if (f > 255.0f) return 255;\n"
            "    return (unsigned char)__float2int_rn(f);",
            "    return (unsigned char)rintf(fminf(fmaxf(f, 0.0f), 255.0f));",
        ),
        ("const int block = 64;", "const int block = 96;"),
    ),
    # Pairs go through two floats.
    Right(
        "ninetyfour_relu_two_floats",
        "ninetyfour_relu",
        ("half2 v = x2[p];", "float2 v = __half22float2(x2[p]);"),
        (
            "__halves2half2(relu1(__low2half(v)), relu1(__high2half(v)))",
            "__floats2half2_rn(v.x < 0.0f ? 0.0f : v.x, v.y < 0.0f ? 0.0f : v.y)",
        ),
    ),
    # The same with a sigmoid.
    Right(
        "ninetyfour_gelu_sigmoid",
        "ninetyfour_gelu",
        (
            "float t = tanhf(SQRT_2_OVER_PI * (x + 0.044715f * cube));\n"
            "    return 0.5f * x * (1.0f + t);",
            "float u = 2.0f * SQRT_2_OVER_PI * (x + 0.044715f * cube);\n"
            "    return x / (1.0f + expf(-u));",
        ),
    ),
    # A root and a quotient.
    Right(
        "ninetyfour_root_quotient",
        "ninetyfour_root",
        ("return rsqrtf(v);", "return 1.0f / sqrtf(v);"),
    ),
    # One block adds all and stores the total.
    Right(
        "ninetyfour_sum_one_block",
        "ninetyfour_sum",
        ("        atomicAdd(total, part[0]);", "        total[0] = part[0];"),
        (
            "    int blocks = (n + THREADS - 1) / THREADS;\n    if (blocks > 16)\n"
            "        blocks = 16;\n    cudaMemsetAsync(total, 0, sizeof(float), stream);\n",
            "",
        ),
        ("sum_halves<<<blocks, THREADS,", "sum_halves<<<1, THREADS,"),
    ),
    # Lanes are joined across.
    Right(
        "ninetyfour_most_across",
        "ninetyfour_most",
        (
            "for (int d = 16; d > 0; d /= 2) m = larger(m, __shfl_down_sync(~0u, m, d));",
            "for (int d = 1; d < 32; d *= 2) m = larger(m, __shfl_xor_sync(~0u, m, d));",
        ),
    ),
    # Blocks have 64 threads, and the order of the arguments is another one.
    Right(
        "ninetyfour_least_64_threads",
        "ninetyfour_least",
        ("#define N_THREADS 128", "#define N_THREADS 64"),
        (
            "row_min(const float *mat, float *res, int cols)",
            "row_min(int cols, float *res, const float *mat)",
        ),
        ("stream>>>(mat, res, cols);", "stream>>>(cols, res, mat);"),
    ),
    # Exponentials are kept in the result.
    Right(
        "ninetyfour_soft_kept_in_result",
        "ninetyfour_soft",
        ("denom += expf(src[j] - biggest);", "denom += dst[j] = expf(src[j] - biggest);"),
        ("dst[j] = expf(src[j] - biggest) / denom", "dst[j] = dst[j] / denom"),
    ),
    # Eight rows a block.
    Right(
        "ninetyfour_norm_eight_rows",
        "ninetyfour_norm",
        ("blockIdx.x * 4 + threadIdx.y", "blockIdx.x * blockDim.y + threadIdx.y"),
        ("<<<(rows + 3) / 4, dim3(32, 4),", "<<<(rows + 7) / 8, dim3(32, 8),"),
    ),
    # The tile is turned on the way in.
    Right(
        "ninetyfour_turn_on_the_way_in",
        "ninetyfour_turn",
        ("tile[t][q] = v.x, tile[t][q + 1]", "tile[q][t] = v.x, tile[q + 1][t]"),
        ("tile[t][q + 2] = v.z, tile[t][q + 3]", "tile[q + 2][t] = v.z, tile[q + 3][t]"),
        ("tile[t][q + k] = from[k]", "tile[q + k][t] = from[k]"),
        (
            "make_float4(tile[q][t], tile[q + 1][t], tile[q + 2][t], tile[q + 3][t])",
            "make_float4(tile[t][q], tile[t][q + 1], tile[t][q + 2], tile[t][q + 3])",
        ),
        ("to[k] = tile[q + k][t]", "to[k] = tile[t][q + k]"),
    ),
    # Blocks go down first.
    Right(
        "ninetyfour_mul_down_first",
        "ninetyfour_mul",
        ("int n, int k, int wide)", "int n, int k, int high)"),
        (
            "top = blockIdx.x / wide * TILE, left = blockIdx.x % wide * TILE",
            "top = blockIdx.x % high * TILE, left = blockIdx.x / high * TILE",
        ),
        ("stream>>>(a, b, c, m, n, k, wide);", "stream>>>(a, b, c, m, n, k, high);"),
    ),
)
