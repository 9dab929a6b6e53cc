"""Hold a sixty-ninth family: the plain operators of a first half year, and their mistakes.

Its bases are two arrays added by float4 in a loop over the grid, two arrays of halves added by
pairs, floats to halves, signed bytes to floats with a scale, a shift and two limits, GELU in
its form with tanh, the sum of an array with an atomic addition a block, the sums of rows by a
block a row, the maxima of rows by shuffles, a transpose by tiles and one of bytes without, a
product of matrices by tiles, a matrix of halves times a vector, softmax of rows, and layer norm
with gain and bias. They have 20 to 45 lines and are in several hands. Half of them are tried on
the cases that a learner would take: those of every elementwise operator and those of
`kernel_cases`. Their mistakes are spread over alignment, sizes, grids, block sizes, indices of
16 bits, NaN, infinity, numbers below the normal ones, rounding, constants, start values, inputs
that are written, sums, transposes, products, order, streams and what is left of an earlier
call. The causes were written before a member was judged. There are 70 wrong members and 14
right ones. On the emulator each ran beside PyTorch, compared as a case does, called twice on
the same tensors, with NaN and with 1e3 in floating outputs (-1, 5, 7 and 77 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, in the slices that the cases name, and, of bases and right ones, at
the last elements past 2^31 where `kernel_cases` asks for them; the sums are too long for that.
Bases and right ones ran all cases; wrong ones until they were wrong often enough. That blocks
add without an atomic shows in no order of the emulator: it follows from the text. nvcc 13.0
compiles each member for 8.0; none was run on a GPU. Bases and right ones are right, and all
others wrong or refused by a fault:

    sixtynine_plus_c_not_asked            from 4 numbers on, by the address of c alone
    sixtynine_plus_packs_rounded_up       unless 4 divides n, where all are aligned
    sixtynine_plus_one_pack_each          from 32,772 numbers on at 256
    sixtynine_plus_third_again            from 4 numbers on, where all are aligned
    sixtynine_plus_always_256             of other block sizes, from a second block on
    sixtynine_paired_b_anywhere           from 2 numbers on, by the address of b
    sixtynine_paired_saturates            of sums below 0 or above 1, and of NaN
    sixtynine_paired_blocks_rounded_down  unless the block size divides the pairs
    sixtynine_paired_odd_by_pair          of odd n, from 3 on
    sixtynine_paired_no_stream            on another stream than the default one
    sixtynine_shrink_toward_zero          of about half of the numbers that are no halves
    sixtynine_shrink_kept_finite          of NaN, infinity and what is as large
    sixtynine_shrink_tiny_is_zero         below 2^-14
    sixtynine_shrink_one_too_many         unless the block size divides n
    sixtynine_shrink_short_index          from 65,537 numbers on
    sixtynine_spread_limits_swapped       unless the lower limit is right
    sixtynine_spread_shift_first          unless the shift is 0 or the scale is 1
    sixtynine_spread_whole_scale          unless the scale is an integer
    sixtynine_spread_bytes_anywhere       from 4 numbers on, by the address of q
    sixtynine_spread_blocks_for_256       from 257 numbers on at 64
    sixtynine_gelu_wrong_factor           of nearly all
    sixtynine_gelu_by_exponential         from about 8.8 on
    sixtynine_gelu_nan_is_zero            of NaN
    sixtynine_gelu_one_over_two           of nearly all
    sixtynine_gelu_last_left_out          always
    sixtynine_total_not_set               unless the result was 0 before
    sixtynine_total_added_by_all          of nearly all
    sixtynine_total_no_atomic             from a second block on, where blocks run at once
    sixtynine_total_starts_with_first     unless the first number is 0
    sixtynine_total_whole_sums            of fractions, infinity and NaN
    sixtynine_rowsum_halves_of_block      of block sizes that are no power of two
    sixtynine_rowsum_one_too_far          of nearly all
    sixtynine_rowsum_rows_of_block        from 2 rows on, unless they are as long as the block
    sixtynine_rowsum_too_few_bytes        always
    sixtynine_rowsum_added                unless the result was 0 before
    sixtynine_rowmax_least_above_0        of rows below 2^-126
    sixtynine_rowmax_least_finite         of rows of -inf alone
    sixtynine_rowmax_nan_lost             of NaN
    sixtynine_rowmax_four_steps           if the largest is in the other half of the lanes
    sixtynine_rowmax_half_a_mask          always
    sixtynine_turn_no_barrier             where threads do not wait for another
    sixtynine_turn_tile_as_it_lies        from 2 by 2 on
    sixtynine_turn_pitch_of_input         of nearly all that are not square
    sixtynine_turn_down_rounded_down      unless 32 divides the rows
    sixtynine_turn_test_of_way_in         unless 32 divides both sides or they are alike
    sixtynine_bytes_grid_swapped          unless the grid has room enough, too
    sixtynine_bytes_short_place           from 65,537 bytes on
    sixtynine_bytes_first_grid            if an earlier call was smaller
    sixtynine_bytes_and_for_or            unless 32 divides the columns and 8 the rows
    sixtynine_bytes_blocks_of_32_rows     if rows are more than 8 a block of 32
    sixtynine_product_whole_tiles         unless 16 divides k
    sixtynine_product_no_second_barrier   from k = 17 on, where threads do not wait
    sixtynine_product_pitch_of_a          unless n and k are alike
    sixtynine_product_no_zeros            unless 16 divides k
    sixtynine_product_tile_turned         of nearly all
    sixtynine_matvec_odd_rows             of an odd number of columns, where A and x are aligned
    sixtynine_matvec_half_the_lanes       where a lane from 16 on has what is not 0
    sixtynine_matvec_no_test              unless 4 divides the rows
    sixtynine_matvec_products_of_halves   of products that are not halves
    sixtynine_matvec_no_stream            on another stream than the default one
    sixtynine_softmax_no_maximum          of rows far above or below 0
    sixtynine_softmax_starts_at_0         of rows that are far below 0
    sixtynine_softmax_no_second_barrier   where threads do not wait for another
    sixtynine_softmax_three_warps         from 97 columns on
    sixtynine_softmax_in_x                of nearly all: x is overwritten
    sixtynine_norm_one_less               of nearly all
    sixtynine_norm_no_eps                 of nearly all
    sixtynine_norm_gain_for_bias          of nearly all
    sixtynine_norm_gain_of_lane           from 33 columns on
    sixtynine_norm_squares_less_square    of rows with a mean far from 0
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays added, float4 in a loop over the grid where all addresses allow it.
PLUS = (
    HEADER
    + """\
static bool isAligned(const void *p) { return ((uintptr_t)p & 15) == 0; }

__global__ void plusKernel(const float *a, const float *b, float *c, int64_t packs, int64_t n)
{
    const int64_t tid = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t total = (int64_t)gridDim.x * blockDim.x;
    const float4 *a4 = (const float4 *)a;
    const float4 *b4 = (const float4 *)b;
    float4 *c4 = (float4 *)c;

    for (int64_t i = tid; i < packs; i += total) {
        float4 u = a4[i];
        float4 v = b4[i];
        u.x += v.x;
        u.y += v.y;
        u.z += v.z;
        u.w += v.w;
        c4[i] = u;
    }
    for (int64_t i = 4 * packs + tid; i < n; i += total)
        c[i] = a[i] + b[i];
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *c,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t packs = 0;
    if (isAligned(a) && isAligned(b) && isAligned(c))
        packs = n / 4;
    int64_t blocks = (n / 4 + block_size) / block_size;
    if (blocks > 32)
        blocks = 32;
    plusKernel<<<(int)blocks, block_size, 0, stream>>>(a, b, c, packs, n);
}
"""
)

# Two arrays of halves added, a pair a thread; an odd one at the end goes alone.
PAIRED = (
    HEADER
    + """\
__global__ void add_half(const half* a, const half* b, half* y, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t at = 2 * i;
  if (at + 1 < n) {
    half2 p = reinterpret_cast<const half2*>(a)[i];
    half2 q = reinterpret_cast<const half2*>(b)[i];
    reinterpret_cast<half2*>(y)[i] = __hadd2(p, q);
  } else if (at < n) {
    y[at] = __hadd(a[at], b[at]);
  }
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
  int64_t threads = (n + 1) / 2;
  int64_t blocks = (threads + block_size - 1) / block_size;
  add_half<<<(unsigned)blocks, block_size, 0, stream>>>(a, b, y, n);
}
"""
)

# Floats to halves, one a thread.
SHRINK = (
    HEADER
    + """\
__global__ void shrink(const float* in, half* out, int64_t n)
{
    int64_t i = blockDim.x * (int64_t)blockIdx.x + threadIdx.x;
    if (i < n)
    {
        float v = in[i];
        out[i] = __float2half_rn(v);
    }
}

extern "C" void launch(const float* in,  // [n]
                       half* out,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t grid = (n - 1) / block_size + 1;
    shrink<<<(unsigned int)grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Signed bytes to floats, times a scale and plus a shift, kept between limits, four a thread.
SPREAD = (
    HEADER
    + """\
__device__ float spread_one(int8_t q, float scale, float shift, float lo, float hi) {
  float v = q * scale + shift;
  return fminf(fmaxf(v, lo), hi);
}

__global__ void spread(const int8_t* q, float* y, float scale, float shift, float lo, float hi,
                       int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) {
    char4 p = *(const char4*)(q + i);
    float4 r;
    r.x = spread_one(p.x, scale, shift, lo, hi);
    r.y = spread_one(p.y, scale, shift, lo, hi);
    r.z = spread_one(p.z, scale, shift, lo, hi);
    r.w = spread_one(p.w, scale, shift, lo, hi);
    *(float4*)(y + i) = r;
    return;
  }
  while (i < n) {
    y[i] = spread_one(q[i], scale, shift, lo, hi);
    i++;
  }
}

extern "C" void launch(const int8_t* q,  // [n] 4-byte aligned
                       float* y,         // [n] 16-byte aligned
                       float scale, float shift, float lo, float hi, int n,
                       int block_size = 256, cudaStream_t stream = 0) {
  int per_block = 4 * block_size;
  spread<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(q, y, scale, shift, lo, hi,
                                                                    n);
}
"""
)

# GELU in its form with tanh, one a thread.
GELU = (
    HEADER
    + """\
__global__ void gelu_kernel(const float *x, float *y, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float v = x[idx];
        float cube = v * v * v;
        float u = 0.79788456f * (v + 0.044715f * cube);
        float t = tanhf(u);
        y[idx] = 0.5f * v * (1.0f + t);
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int num_blocks = (n + block_size - 1) / block_size;
    gelu_kernel<<<num_blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of an array: a tree in each block, then an atomic addition.
TOTAL = (
    HEADER
    + """\
constexpr int kThreads = 256;

__global__ void totalKernel(const float* x, float* out, int64_t n) {
  __shared__ float cache[kThreads];
  int tid = threadIdx.x;
  float sum = 0.0f;
  int64_t step = (int64_t)kThreads * gridDim.x;
  for (int64_t i = (int64_t)blockIdx.x * kThreads + tid; i < n; i += step) {
    sum += x[i];
  }
  cache[tid] = sum;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (tid < s) cache[tid] += cache[tid + s];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, cache[0]);
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = (n + kThreads - 1) / kThreads;
  if (blocks > 512) blocks = 512;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  totalKernel<<<(int)blocks, kThreads, 0, stream>>>(x, out, n);
}
"""
)

# The sums of the rows, a block a row of any number of threads.
ROWSUM = (
    HEADER
    + """\
// `top` is the power of two from which the tree begins: half of the block, rounded up
__global__ void row_sum_kernel(const float *x, float *y, int64_t n, int top)
{
    extern __shared__ float buf[];
    const int t = threadIdx.x;
    const int64_t row = blockIdx.x;
    const float *p = x + row * n;

    float acc = 0.f;
    for (int64_t j = t; j < n; j += blockDim.x)
        acc += p[j];
    buf[t] = acc;
    __syncthreads();

    for (int half = top; half >= 1; half /= 2) {
        if (t < half && t + half < blockDim.x)
            buf[t] += buf[t + half];
        __syncthreads();
    }

    if (t == 0)
        y[row] = buf[0];
}

extern "C" void launch(const float *x,  // [m, n]
                       float *y,        // [m]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    int top = 1;
    while (2 * top < block_size)
        top *= 2;
    size_t bytes = block_size * sizeof(float);
    row_sum_kernel<<<(unsigned)m, block_size, bytes, stream>>>(x, y, n, top);
}
"""
)

# The maximum of each row, NaN if there is one, by a warp with shuffles.
ROWMAX = (
    HEADER
    + """\
#define WARPS 8
#define FULL 0xffffffffu

__device__ float larger(float a, float b)
{
    return (a > b || a != a) ? a : b;
}

__global__ void rowmax(const float* x, float* y, int rows, int cols)
{
    int lane = threadIdx.x;
    int r = blockIdx.x * WARPS + threadIdx.y;
    if (r >= rows) return;

    float best = -INFINITY;
    for (int c = lane; c < cols; c += 32)
        best = larger(best, x[(int64_t)r * cols + c]);
    for (int k = 1; k < 32; k *= 2)
        best = larger(best, __shfl_xor_sync(FULL, best, k));
    if (lane == 0) y[r] = best;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + WARPS - 1) / WARPS;
    rowmax<<<blocks, dim3(32, WARPS), 0, stream>>>(x, y, rows, cols);
}
"""
)

# A matrix transposed by tiles of 32, all of them in x of the grid.
TURN = (
    HEADER
    + """\
#define DIM 32
#define STEP 8

__global__ void turn(const float* in, float* out, int64_t rows, int64_t cols, int64_t across) {
  __shared__ float tile[DIM][DIM + 1];
  int64_t top = blockIdx.x / across * DIM;
  int64_t left = blockIdx.x % across * DIM;
  int tx = threadIdx.x;

  for (int k = threadIdx.y; k < DIM; k += STEP) {
    if (top + k < rows && left + tx < cols) {
      tile[k][tx] = in[(top + k) * cols + left + tx];
    }
  }
  __syncthreads();
  for (int k = threadIdx.y; k < DIM; k += STEP) {
    if (left + k < cols && top + tx < rows) {
      out[(left + k) * rows + top + tx] = tile[tx][k];
    }
  }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  int64_t across = (cols + DIM - 1) / DIM;
  int64_t down = (rows + DIM - 1) / DIM;
  dim3 threads(DIM, STEP);
  turn<<<(unsigned)(across * down), threads, 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# A matrix of bytes transposed, one a thread and nothing shared.
BYTES = (
    HEADER
    + """\
__global__ void transpose_bytes(const uint8_t *src, uint8_t *dst, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols)
        return;
    int from = row * cols + col;
    int to = col * rows + row;
    dst[to] = src[from];
}

extern "C" void launch(const uint8_t *src,  // [rows, cols]
                       uint8_t *dst,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, 8);
    dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    transpose_bytes<<<grid, block, 0, stream>>>(src, dst, rows, cols);
}
"""
)

# A product of matrices by tiles of 16.
PRODUCT = (
    HEADER
    + """\
#define BS 16

__global__ void mm(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[BS][BS];
    __shared__ float Bs[BS][BS];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * BS + ty;
    int col = blockIdx.x * BS + tx;
    float acc = 0.0f;
    int tiles = (k + BS - 1) / BS;
    for (int t = 0; t < tiles; ++t)
    {
        int ka = t * BS + tx;
        int kb = t * BS + ty;
        As[ty][tx] = 0.0f;
        Bs[ty][tx] = 0.0f;
        if (row < m && ka < k)
            As[ty][tx] = A[row * k + ka];
        if (kb < k && col < n)
            Bs[ty][tx] = B[kb * n + col];
        __syncthreads();
        for (int i = 0; i < BS; ++i)
            acc += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = acc;
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 threads(BS, BS);
    dim3 blocks((n + BS - 1) / BS, (m + BS - 1) / BS);
    mm<<<blocks, threads, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# A matrix of halves times a vector, a warp a row, by pairs where they lie at even addresses.
MATVEC = (
    HEADER
    + """\
constexpr int ROWS_PER_BLOCK = 4;

__global__ void matvec(const half *A, const float *x, float *y, int rows, int cols, bool pairs)
{
    const int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= rows) return;
    const half *a = A + (size_t)row * cols;
    float dot = 0.0f;
    if (pairs) {
        const half2 *a2 = (const half2 *)a;
        const float2 *x2 = (const float2 *)x;
        for (int j = lane; j < cols / 2; j += 32) {
            float2 f = __half22float2(a2[j]);
            dot += f.x * x2[j].x;
            dot += f.y * x2[j].y;
        }
    } else {
        for (int j = lane; j < cols; j += 32)
            dot += __half2float(a[j]) * x[j];
    }
    for (int off = 16; off > 0; off >>= 1)
        dot += __shfl_down_sync(0xffffffff, dot, off);
    if (lane == 0) y[row] = dot;
}

extern "C" void launch(const half *A,   // [rows, cols]
                       const float *x,  // [cols]
                       float *y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    bool pairs = cols % 2 == 0 && (uintptr_t)A % 4 == 0 && (uintptr_t)x % 8 == 0;
    dim3 block(32, ROWS_PER_BLOCK);
    int grid = (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    matvec<<<grid, block, 0, stream>>>(A, x, y, rows, cols, pairs);
}
"""
)

# Softmax of the rows, a block a row: the maximum, the sum, the quotients.
SOFTMAX = (
    HEADER
    + """\
#define THREADS 128
#define NWARPS (THREADS / 32)

__global__ void softmax_rows(const float* x, float* y, int64_t n) {
  __shared__ float part[NWARPS];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* in = x + blockIdx.x * n;
  float* out = y + blockIdx.x * n;

  float m = -INFINITY;
  for (int64_t i = threadIdx.x; i < n; i += THREADS) m = fmaxf(m, in[i]);
  for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (lane == 0) part[warp] = m;
  __syncthreads();
  m = part[0];
  for (int w = 1; w < NWARPS; w++) m = fmaxf(m, part[w]);
  __syncthreads();

  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < n; i += THREADS) sum += expf(in[i] - m);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < NWARPS; w++) sum += part[w];

  for (int64_t i = threadIdx.x; i < n; i += THREADS) out[i] = expf(in[i] - m) / sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
  softmax_rows<<<(unsigned)m, THREADS, 0, stream>>>(x, y, n);
}
"""
)

# Layer norm of the rows with gain and bias, a warp a row.
NORM = (
    HEADER
    + """\
__device__ float warpSum(float v)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

__global__ void layerNorm(const float *x, const float *gain, const float *bias, float *y,
                          float eps, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *xr = x + (size_t)row * cols;
    float *yr = y + (size_t)row * cols;

    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        s += xr[c];
    float mean = warpSum(s) / cols;

    float q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float d = xr[c] - mean;
        q += d * d;
    }
    float var = warpSum(q) / cols;
    float inv = 1.0f / sqrtf(var + eps);

    for (int c = threadIdx.x; c < cols; c += 32)
        yr[c] = (xr[c] - mean) * inv * gain[c] + bias[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       const float *bias,  // [cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 threads(32, 4);
    layerNorm<<<(rows + 3) / 4, threads, 0, stream>>>(x, gain, bias, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 511, 512, 513, 1000)
LENGTHS += (1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT = (torch.float32,)


def sums_of_two(launcher: Launcher) -> Iterator[Case]:
    """Add as every elementwise operator is tried, and where only some starts are round."""
    make = ElementwiseMaker.of(launcher, lambda a, b: a + b)
    yield from elementwise_cases(launcher, make)
    for n in (4, 5, 31, 64, 257, 4099):
        for offset in ((4, 8, 1), (8, 4, 2), (4, 3, 8), (1, 4, 12), (4, 8, 12)):
            yield make.shifted(n, 8, offset)


def spreads(launcher: Launcher) -> Iterator[Case]:
    """Widen bytes, so that all is exact: any scale and shift, wide and narrow limits."""
    for n in (*LENGTHS, 9_001, 70_002):
        q = whole(-128, 128, n, n)
        for label, scale, shift, lo, hi in (
            ("usual", 0.5, 3.25, -40.0, 50.0),
            ("as they are", 1.0, 0.0, -1000.0, 1000.0),
            ("relu6", 0.125, 0.0, 0.0, 6.0),
            ("turned", -1.75, 10.0, -100.5, 200.0),
            ("narrow limits", 2.0, -1.0, -3.0, 2.5),
            ("shifted", 1.0, 1000.0, -2000.0, 1100.0),
        ):
            right = (q.double() * scale + shift).clamp(lo, hi)
            scalars = {"scale": scale, "shift": shift, "lo": lo, "hi": hi}
            options = {"dtypes": FLOAT, "quick": n > 5000}
            for block_size in (256, 64):
                arguments = {**scalars, "block_size": block_size}
                words = f"n = {n:,}, {arguments}, {label}"
                yield Case(words, (q.to(torch.int8),), (right,), arguments, **options)
            if n < 300 and label == "usual":
                words = f"n = {n:,}, slices from (4, 8)"
                more = {**options, "offset": (4, 8)}
                yield Case(words, (q.to(torch.int8),), (right,), scalars, **more)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Take usual, small, large and far numbers, zeros, infinity, NaN; several block sizes."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 4),
            ("far", x * 1e12),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            u = (2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)
            right = 0.5 * v * (1 + u.tanh())
            slack = ((2.0**-20 * v.abs()).nan_to_num(0.0, 0.0),)
            for block_size in (256, 128, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, tiny, nothing but -inf, the last, infinity, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        i = torch.arange(n).reshape(rows, cols)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("tiny", (x.abs() + 1) * 2.0**-120),
            ("zeros", x * 0),
            ("-inf alone", x * 0 - INF),
            ("the last", torch.where(c == cols - 1, 5000.0, x)),
            ("rising", x * 0 + c),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
            ("some NaN", torch.where(i % 37 == 5, NAN, x)),
        ):
            y = torch.where(y == 0, 0.0, y).float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(1),), dtypes=FLOAT)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn any bytes, and rising ones."""
    sides = (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15), (8, 32))
    for rows, cols in (*sides, (300, 301), (7, 20_001), (20_001, 7), (257, 256)):
        n = rows * cols
        x = whole(0, 256, n, n).reshape(rows, cols)
        for label, y in (("any", x), ("rising", torch.arange(n).reshape(rows, cols) % 251)):
            words, right = f"rows = {rows:,}, cols = {cols:,}, {label}", (y.T.contiguous(),)
            options = {"dtypes": (torch.uint8,), "quick": n > 50_000}
            yield Case(words, (y.to(torch.uint8),), right, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last of k alone, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (130, 9, 17), (64, 64, 64))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 71, 3))):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        b = whole(-30, 31, k * n, n).reshape(k, n).double()
        h, i = torch.arange(k), torch.arange(m)
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("the last of k alone", torch.where(h == k - 1, 3.0, a * 0), b + 50),
            ("one NaN in A", torch.where((i == m // 2)[:, None] & (h == k // 2), NAN, a), b),
        ):
            right = s @ t
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s.float(), t.float()), (right,), dtypes=FLOAT)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN; slices."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), *((5, c) for c in range(1, 71))):
        n = rows * cols
        a = whole(-300, 301, n, n).reshape(rows, cols).double()
        x, c = whole(-99, 100, cols, cols).double(), torch.arange(cols)
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("the last alone", a, torch.where(c == cols - 1, 3.0, 0.0)),
            ("rows apart", a * 0 + torch.arange(rows)[:, None] % 1000, x * 0 + 1),
            ("NaN in x", a, torch.where(c == cols // 2, NAN, x)),
            ("zeros", a * 0, x),
        ):
            p, q = p.half(), q.float()
            right = (p.double() * q.double()).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (p, q), (right,), dtypes=FLOAT)
            if label == "any" and n < 2000:
                for offsets in ((1, 2, 1), (2, 1, 1), (4, 2, 3), (1, 1, 1)):
                    more = {"dtypes": FLOAT, "offset": offsets}
                    yield Case(f"{words}, slices from {offsets}", (p, q), (right,), **more)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, alike, one apart, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("small", x / 1024, gain, bias, 0.25),
            ("about 4,096", 4096 + x // 10, gain, bias, 0.5),
            ("alike", x * 0 + 7, gain, bias, 0.125),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gain, bias, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-15 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = 2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=within)


BASES = {
    "sixtynine_plus": Base(PLUS, {"cases": sums_of_two}),
    "sixtynine_paired": Base(PAIRED, {"reference": "add"}),
    "sixtynine_shrink": Base(SHRINK, {"reference": "cast"}),
    "sixtynine_spread": Base(SPREAD, {"cases": spreads}),
    "sixtynine_gelu": Base(GELU, {"cases": gelus}),
    "sixtynine_total": Base(TOTAL, cases="sums"),
    "sixtynine_rowsum": Base(ROWSUM, cases="promises"),
    "sixtynine_rowmax": Base(ROWMAX, {"cases": largest}),
    "sixtynine_turn": Base(TURN, cases="transpose"),
    "sixtynine_bytes": Base(BYTES, {"cases": turns}),
    "sixtynine_product": Base(PRODUCT, {"cases": products}),
    "sixtynine_matvec": Base(MATVEC, {"cases": vectors}),
    "sixtynine_softmax": Base(SOFTMAX, cases="softmax"),
    "sixtynine_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- plus
    # Only two of three addresses are asked.
    Wrong(
        "sixtynine_plus_c_not_asked",
        "sixtynine_plus",
        "alignment",
        ("isAligned(a) && isAligned(b) && isAligned(c)", "isAligned(a) && isAligned(b)"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "sixtynine_plus_packs_rounded_up",
        "sixtynine_plus",
        "bounds / tail | alignment",
        ("packs = n / 4;", "packs = (n + 3) / 4;"),
    ),
    # The loop over the grid is a test, though the number of blocks has a limit.
    Wrong(
        "sixtynine_plus_one_pack_each",
        "sixtynine_plus",
        "grid / unwritten / left out | nan / tail / numbers",
        (
            "    for (int64_t i = tid; i < packs; i += total) {",
            "    int64_t i = tid;\n    if (i < packs) {",
        ),
    ),
    # The last of four takes the third of b.
    Wrong(
        "sixtynine_plus_third_again",
        "sixtynine_plus",
        "other element / neighbour | numbers / left out / twice / nan / infinity",
        ("u.w += v.w;", "u.w += v.z;"),
    ),
    # The block size is a number.
    Wrong(
        "sixtynine_plus_always_256",
        "sixtynine_plus",
        "block size / unwritten / left out | nan / tail / grid / other element / twice",
        ("blockIdx.x * (int64_t)blockDim.x", "blockIdx.x * (int64_t)256"),
    ),
    # ---- paired
    # The second summand may lie anywhere.
    Wrong(
        "sixtynine_paired_b_anywhere",
        "sixtynine_paired",
        "alignment",
        ("const half* b,  // [n] 4-byte aligned", "const half* b,  // [n]"),
    ),
    # The addition that saturates keeps sums between 0 and 1.
    Wrong(
        "sixtynine_paired_saturates",
        "sixtynine_paired",
        "function / infinity / whole range | numbers / nan / sign of zero / copy",
        ("__hadd2(p, q)", "__hadd2_sat(p, q)"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "sixtynine_paired_blocks_rounded_down",
        "sixtynine_paired",
        "grid / unwritten / tail / left out | refused / nan",
        ("(threads + block_size - 1) / block_size", "threads / block_size"),
    ),
    # The odd one at the end goes by the index of its pair.
    Wrong(
        "sixtynine_paired_odd_by_pair",
        "sixtynine_paired",
        "tail / unwritten / left out / other element | nan",
        ("y[at] = __hadd(a[at], b[at]);", "y[i] = __hadd(a[i], b[i]);"),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtynine_paired_no_stream",
        "sixtynine_paired",
        "stream",
        (
            "add_half<<<(unsigned)blocks, block_size, 0, stream>>>",
            "add_half<<<(unsigned)blocks, block_size>>>",
        ),
    ),
    # ---- shrink
    # What does not fit is cut off.
    Wrong(
        "sixtynine_shrink_toward_zero",
        "sixtynine_shrink",
        "rounding | numbers / infinity",
        ("__float2half_rn(v)", "__float2half_rz(v)"),
    ),
    # Numbers are kept within those of a half.
    Wrong(
        "sixtynine_shrink_kept_finite",
        "sixtynine_shrink",
        "infinity / nan / whole range | numbers",
        ("__float2half_rn(v)", "__float2half_rn(fminf(fmaxf(v, -65504.0f), 65504.0f))"),
    ),
    # What is less than the least normal number is taken for 0.
    Wrong(
        "sixtynine_shrink_tiny_is_zero",
        "sixtynine_shrink",
        "subnormal | numbers / sign of zero / precision / function",
        (
            "        float v = in[i];\n",
            "        float v = in[i];\n        if (fabsf(v) < 6.1035156e-5f)\n"
            "            v = 0.0f;\n",
        ),
    ),
    # One too many is allowed.
    Wrong(
        "sixtynine_shrink_one_too_many",
        "sixtynine_shrink",
        "bounds / tail",
        ("if (i < n)", "if (i <= n)"),
    ),
    # The index has 16 bits.
    Wrong(
        "sixtynine_shrink_short_index",
        "sixtynine_shrink",
        "narrow / unwritten / left out / tail | nan / grid / twice / whole range",
        ("int64_t i = blockDim.x", "unsigned short i = blockDim.x"),
    ),
    # ---- spread
    # The limits are in the other order.
    Wrong(
        "sixtynine_spread_limits_swapped",
        "sixtynine_spread",
        "swapped / function | numbers / infinity / copy",
        ("fminf(fmaxf(v, lo), hi)", "fminf(fmaxf(v, hi), lo)"),
    ),
    # The shift comes before the scale.
    Wrong(
        "sixtynine_spread_shift_first",
        "sixtynine_spread",
        "function | numbers / infinity",
        ("q * scale + shift", "(q + shift) * scale"),
    ),
    # The function takes the scale for an integer.
    Wrong(
        "sixtynine_spread_whole_scale",
        "sixtynine_spread",
        "rounding / precision / function / whole range | numbers / copy / left out",
        ("spread_one(int8_t q, float scale,", "spread_one(int8_t q, int scale,"),
    ),
    # Bytes may lie anywhere.
    Wrong(
        "sixtynine_spread_bytes_anywhere",
        "sixtynine_spread",
        "alignment",
        ("const int8_t* q,  // [n] 4-byte aligned", "const int8_t* q,  // [n]"),
    ),
    # There are blocks for 256 threads each.
    Wrong(
        "sixtynine_spread_blocks_for_256",
        "sixtynine_spread",
        "grid / block size / unwritten / left out | nan / tail",
        ("int per_block = 4 * block_size;", "int per_block = 4 * 256;"),
    ),
    # ---- gelu
    # The point of the factor is a place too far.
    Wrong(
        "sixtynine_gelu_wrong_factor",
        "sixtynine_gelu",
        "function | numbers / precision",
        ("0.044715f", "0.44715f"),
    ),
    # The exponential of large numbers is divided by itself.
    Wrong(
        "sixtynine_gelu_by_exponential",
        "sixtynine_gelu",
        "infinity / nan | numbers / function / precision",
        (
            "        float t = tanhf(u);\n        y[idx] = 0.5f * v * (1.0f + t);\n",
            "        float e = expf(2.0f * u);\n        y[idx] = v * e / (e + 1.0f);\n",
        ),
    ),
    # What is not above -8 is taken for 0, and so is NaN.
    Wrong(
        "sixtynine_gelu_nan_is_zero",
        "sixtynine_gelu",
        "nan",
        (
            "        float v = x[idx];\n",
            "        float v = x[idx];\n        if (!(v > -8.0f)) {\n"
            "            y[idx] = 0.0f;\n            return;\n        }\n",
        ),
    ),
    # A half is the quotient of two integers.
    Wrong(
        "sixtynine_gelu_one_over_two",
        "sixtynine_gelu",
        "function / copy / rounding | numbers / infinity / nan / sign of zero / left out",
        ("0.5f * v", "1 / 2 * v"),
    ),
    # The last one is left out.
    Wrong(
        "sixtynine_gelu_last_left_out",
        "sixtynine_gelu",
        "tail / unwritten / left out | nan",
        ("if (idx < n)", "if (idx < n - 1)"),
    ),
    # ---- total
    # Nothing sets the sum to 0.
    Wrong(
        "sixtynine_total_not_set",
        "sixtynine_total",
        "zero before / state | start / nan / unwritten / numbers",
        ("  cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # Every thread of a block adds its sum.
    Wrong(
        "sixtynine_total_added_by_all",
        "sixtynine_total",
        "twice | function / numbers / other element",
        ("if (tid == 0) atomicAdd(out, cache[0]);", "atomicAdd(out, cache[0]);"),
    ),
    # Blocks add as if they were alone.
    Wrong(
        "sixtynine_total_no_atomic",
        "sixtynine_total",
        "race | numbers / left out",
        ("atomicAdd(out, cache[0]);", "*out += cache[0];"),
    ),
    # Each thread begins with the first number.
    Wrong(
        "sixtynine_total_starts_with_first",
        "sixtynine_total",
        "start / twice / other element | numbers / infinity / nan / bounds",
        ("float sum = 0.0f;", "float sum = x[0];"),
    ),
    # A thread's sum is an integer.
    Wrong(
        "sixtynine_total_whole_sums",
        "sixtynine_total",
        "rounding / precision / whole range | nan / infinity / numbers / narrow",
        ("float sum = 0.0f;", "int sum = 0;"),
    ),
    # ---- rowsum
    # The tree takes the block for a power of two.
    Wrong(
        "sixtynine_rowsum_halves_of_block",
        "sixtynine_rowsum",
        "left out / block size | numbers / other element / nan",
        ("for (int half = top;", "for (int half = blockDim.x / 2;"),
    ),
    # The row ends one too far.
    Wrong(
        "sixtynine_rowsum_one_too_far",
        "sixtynine_rowsum",
        "bounds / other element / tail / neighbour / twice | numbers / sides",
        ("j < n; j += blockDim.x", "j <= n; j += blockDim.x"),
    ),
    # Rows are taken to be as long as the block.
    Wrong(
        "sixtynine_rowsum_rows_of_block",
        "sixtynine_rowsum",
        "block size / other element / bounds / sides | numbers / neighbour / swapped",
        ("x + row * n", "x + row * blockDim.x"),
    ),
    # Shared memory is counted in bytes.
    Wrong(
        "sixtynine_rowsum_too_few_bytes",
        "sixtynine_rowsum",
        "bounds | block size / refused / race / unwritten",
        ("size_t bytes = block_size * sizeof(float);", "size_t bytes = block_size;"),
    ),
    # The sum is added to what is there.
    Wrong(
        "sixtynine_rowsum_added",
        "sixtynine_rowsum",
        "zero before / state | nan / unwritten / numbers / start",
        ("y[row] = buf[0];", "y[row] += buf[0];"),
    ),
    # ---- rowmax
    # The largest begins with the least number above 0.
    Wrong(
        "sixtynine_rowmax_least_above_0",
        "sixtynine_rowmax",
        "start | numbers / subnormal / infinity",
        ("float best = -INFINITY;", "float best = FLT_MIN;"),
    ),
    # The largest begins with the least finite number.
    Wrong(
        "sixtynine_rowmax_least_finite",
        "sixtynine_rowmax",
        "start / infinity | numbers",
        ("float best = -INFINITY;", "float best = -FLT_MAX;"),
    ),
    # NaN is lost beside a number.
    Wrong(
        "sixtynine_rowmax_nan_lost",
        "sixtynine_rowmax",
        "nan",
        ("return (a > b || a != a) ? a : b;", "return fmaxf(a, b);"),
    ),
    # The last step of the shuffles is left out.
    Wrong(
        "sixtynine_rowmax_four_steps",
        "sixtynine_rowmax",
        "left out | numbers / other element / nan / race",
        ("k < 32; k *= 2", "k < 16; k *= 2"),
    ),
    # The mask names half of the lanes.
    Wrong(
        "sixtynine_rowmax_half_a_mask",
        "sixtynine_rowmax",
        "race | left out / numbers / other element / nan / timeout / refused",
        ("#define FULL 0xffffffffu", "#define FULL 0x0000ffffu"),
    ),
    # ---- turn
    # The tile is read before all have stored.
    Wrong(
        "sixtynine_turn_no_barrier",
        "sixtynine_turn",
        "race | numbers / unwritten / other element / nan",
        ("  __syncthreads();\n", ""),
    ),
    # The tile is written as it lies.
    Wrong(
        "sixtynine_turn_tile_as_it_lies",
        "sixtynine_turn",
        "swapped / other element | numbers / unwritten / nan / sides / copy",
        ("= tile[tx][k];", "= tile[k][tx];"),
    ),
    # The result has the pitch of the input.
    Wrong(
        "sixtynine_turn_pitch_of_input",
        "sixtynine_turn",
        "sides / other element / bounds / swapped | numbers / unwritten / nan / copy",
        ("out[(left + k) * rows + top + tx]", "out[(left + k) * cols + top + tx]"),
    ),
    # The tiles from top to bottom are rounded down.
    Wrong(
        "sixtynine_turn_down_rounded_down",
        "sixtynine_turn",
        "grid / unwritten / tail / left out | refused / nan / sides",
        ("int64_t down = (rows + DIM - 1) / DIM;", "int64_t down = rows / DIM;"),
    ),
    # The test on the way out is that of the way in.
    Wrong(
        "sixtynine_turn_test_of_way_in",
        "sixtynine_turn",
        "bounds / sides / unwritten / other element / swapped | nan / tail / left out",
        ("if (left + k < cols && top + tx < rows)", "if (top + k < rows && left + tx < cols)"),
    ),
    # ---- bytes
    # The grid has its sides swapped.
    Wrong(
        "sixtynine_bytes_grid_swapped",
        "sixtynine_bytes",
        "grid / sides / swapped / unwritten / left out | tail",
        (
            "dim3 grid((cols + 31) / 32, (rows + 7) / 8);",
            "dim3 grid((rows + 31) / 32, (cols + 7) / 8);",
        ),
    ),
    # The place has 16 bits.
    Wrong(
        "sixtynine_bytes_short_place",
        "sixtynine_bytes",
        "narrow | unwritten / other element / left out / twice / whole range / race / tail",
        ("int to = col", "unsigned short to = col"),
    ),
    # The grid is that of the first call.
    Wrong(
        "sixtynine_bytes_first_grid",
        "sixtynine_bytes",
        "state | grid / unwritten / left out / tail / sides",
        ("dim3 grid((cols", "static dim3 grid((cols"),
    ),
    # Only threads beyond both sides stop.
    Wrong(
        "sixtynine_bytes_and_for_or",
        "sixtynine_bytes",
        "bounds / sides / other element / race | tail / twice",
        ("row >= rows || col >= cols", "row >= rows && col >= cols"),
    ),
    # Blocks are taken to have 32 rows.
    Wrong(
        "sixtynine_bytes_blocks_of_32_rows",
        "sixtynine_bytes",
        "grid / block size / unwritten / left out | tail / sides",
        ("(rows + 7) / 8", "(rows + 31) / 32"),
    ),
    # ---- product
    # The tiles of k are rounded down.
    Wrong(
        "sixtynine_product_whole_tiles",
        "sixtynine_product",
        "tail / left out | numbers / nan / sides / copy",
        ("int tiles = (k + BS - 1) / BS;", "int tiles = k / BS;"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "sixtynine_product_no_second_barrier",
        "sixtynine_product",
        "race | numbers / other element / left out / nan",
        (
            "            acc += As[ty][i] * Bs[i][tx];\n        __syncthreads();\n",
            "            acc += As[ty][i] * Bs[i][tx];\n",
        ),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "sixtynine_product_pitch_of_a",
        "sixtynine_product",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[kb * n + col]", "B[kb * k + col]"),
    ),
    # What lies beyond the matrices is not set to 0.
    Wrong(
        "sixtynine_product_no_zeros",
        "sixtynine_product",
        "unwritten / tail / other element / left out | numbers / nan / state / race / start",
        ("        As[ty][tx] = 0.0f;\n        Bs[ty][tx] = 0.0f;\n", ""),
    ),
    # The tile of B is read the other way.
    Wrong(
        "sixtynine_product_tile_turned",
        "sixtynine_product",
        "swapped / other element / sides | numbers / left out / nan",
        ("Bs[i][tx]", "Bs[tx][i]"),
    ),
    # ---- matvec
    # Pairs are taken of rows of an odd length, too.
    Wrong(
        "sixtynine_matvec_odd_rows",
        "sixtynine_matvec",
        "alignment / tail / left out | bounds / numbers / nan",
        ("bool pairs = cols % 2 == 0 && (uintptr_t)A", "bool pairs = (uintptr_t)A"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "sixtynine_matvec_half_the_lanes",
        "sixtynine_matvec",
        "left out | numbers / other element / nan / race",
        ("int off = 16; off > 0;", "int off = 8; off > 0;"),
    ),
    # Rows beyond the last are not stopped.
    Wrong(
        "sixtynine_matvec_no_test",
        "sixtynine_matvec",
        "bounds | tail",
        ("    if (row >= rows) return;\n", ""),
    ),
    # Products are halves.
    Wrong(
        "sixtynine_matvec_products_of_halves",
        "sixtynine_matvec",
        "precision / rounding / infinity | numbers",
        (
            "            float2 f = __half22float2(a2[j]);\n"
            "            dot += f.x * x2[j].x;\n"
            "            dot += f.y * x2[j].y;\n",
            "            float2 f = __half22float2(__hmul2(a2[j], __float22half2_rn(x2[j])));\n"
            "            dot += f.x + f.y;\n",
        ),
        ("__half2float(a[j]) * x[j]", "__half2float(__hmul(a[j], __float2half(x[j])))"),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtynine_matvec_no_stream",
        "sixtynine_matvec",
        "stream",
        ("matvec<<<grid, block, 0, stream>>>", "matvec<<<grid, block>>>"),
    ),
    # ---- softmax
    # The maximum is not taken away.
    Wrong(
        "sixtynine_softmax_no_maximum",
        "sixtynine_softmax",
        "infinity / nan | numbers / precision / subnormal / function / left out",
        ("sum += expf(in[i] - m);", "sum += expf(in[i]);"),
        ("out[i] = expf(in[i] - m) / sum;", "out[i] = expf(in[i]) / sum;"),
    ),
    # The maximum begins with 0.
    Wrong(
        "sixtynine_softmax_starts_at_0",
        "sixtynine_softmax",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # Sums are stored while others read the maxima.
    Wrong(
        "sixtynine_softmax_no_second_barrier",
        "sixtynine_softmax",
        "race | numbers / other element / nan / left out / infinity",
        ("m = fmaxf(m, part[w]);\n  __syncthreads();\n", "m = fmaxf(m, part[w]);\n"),
    ),
    # The last warp's sum is left out.
    Wrong(
        "sixtynine_softmax_three_warps",
        "sixtynine_softmax",
        "left out | numbers / tail / function",
        ("int w = 0; w < NWARPS; w++", "int w = 0; w < NWARPS - 1; w++"),
    ),
    # Exponentials are stored where the numbers were.
    Wrong(
        "sixtynine_softmax_in_x",
        "sixtynine_softmax",
        "input | state / numbers",
        ("softmax_rows(const float* x,", "softmax_rows(float* x,"),
        ("const float* in = x", "float* in = x"),
        (
            "i += THREADS) sum += expf(in[i] - m);",
            "i += THREADS) sum += in[i] = expf(in[i] - m);",
        ),
        ("out[i] = expf(in[i] - m) / sum;", "out[i] = in[i] / sum;"),
        ("stream>>>(x, y, n)", "stream>>>((float*)x, y, n)"),
    ),
    # ---- norm
    # The squares are divided by one less than the columns.
    Wrong(
        "sixtynine_norm_one_less",
        "sixtynine_norm",
        "function | numbers / precision / nan / infinity",
        ("warpSum(q) / cols;", "warpSum(q) / (cols - 1);"),
    ),
    # The small number is left out.
    Wrong(
        "sixtynine_norm_no_eps",
        "sixtynine_norm",
        "function / left out | nan / infinity / numbers / precision",
        ("sqrtf(var + eps)", "sqrtf(var)"),
    ),
    # Gain and bias are in the other order.
    Wrong(
        "sixtynine_norm_gain_for_bias",
        "sixtynine_norm",
        "swapped / function | numbers / other element",
        ("stream>>>(x, gain, bias,", "stream>>>(x, bias, gain,"),
    ),
    # A lane has one gain for all its columns.
    Wrong(
        "sixtynine_norm_gain_of_lane",
        "sixtynine_norm",
        "other element | numbers / left out",
        ("gain[c]", "gain[threadIdx.x]"),
    ),
    # The variance is the mean of the squares less the square of the mean.
    Wrong(
        "sixtynine_norm_squares_less_square",
        "sixtynine_norm",
        "precision | numbers / nan / infinity / function",
        (
            "        float d = xr[c] - mean;\n        q += d * d;\n",
            "        q += xr[c] * xr[c];\n",
        ),
        ("warpSum(q) / cols;", "warpSum(q) / cols - mean * mean;"),
    ),
)

RIGHT = (
    # There are blocks enough for all numbers, of which most have nothing to do.
    Right(
        "sixtynine_plus_idle_blocks",
        "sixtynine_plus",
        ("(n / 4 + block_size) / block_size", "n / block_size + 1"),
        ("    if (blocks > 32)\n        blocks = 32;\n", ""),
    ),
    # Halves are added as floats and rounded once.
    Right(
        "sixtynine_paired_as_floats",
        "sixtynine_paired",
        (
            "__hadd2(p, q)",
            "__floats2half2_rn(__low2float(p) + __low2float(q), "
            "__high2float(p) + __high2float(q))",
        ),
    ),
    # The result is the first argument.
    Right(
        "sixtynine_shrink_result_first",
        "sixtynine_shrink",
        (
            "launch(const float* in,  // [n]\n"
            "                       half* out,        // [n]\n",
            "launch(half* out,        // [n]\n"
            "                       const float* in,  // [n]\n",
        ),
    ),
    # Sizes have 64 bits, and the bytes of four come in one word.
    Right(
        "sixtynine_spread_word",
        "sixtynine_spread",
        ("int n) {\n  int i = (blockIdx.x", "int64_t n) {\n  int64_t i = ((int64_t)blockIdx.x"),
        (
            "char4 p = *(const char4*)(q + i);",
            "unsigned w = *(const unsigned*)(q + i);\n"
            "    char4 p = make_char4((int8_t)w, (int8_t)(w >> 8), (int8_t)(w >> 16),\n"
            "                         (int8_t)(w >> 24));",
        ),
        (
            "float hi, int n,\n                       int block_size",
            "float hi, int64_t n,\n                       int block_size",
        ),
        ("int per_block = 4 * block_size;", "int64_t per_block = 4 * block_size;"),
    ),
    # The quotient of a sigmoid, of which no exponential does harm.
    Right(
        "sixtynine_gelu_sigmoid",
        "sixtynine_gelu",
        (
            "        float t = tanhf(u);\n        y[idx] = 0.5f * v * (1.0f + t);\n",
            "        y[idx] = v / (1.0f + expf(-2.0f * u));\n",
        ),
    ),
    # A kernel of one thread sets the sum to 0, and blocks are larger.
    Right(
        "sixtynine_total_set_by_kernel",
        "sixtynine_total",
        ("constexpr int kThreads = 256;", "constexpr int kThreads = 512;"),
        (
            "__global__ void totalKernel",
            "__global__ void zero(float* p) { *p = 0.0f; }\n\n__global__ void totalKernel",
        ),
        (
            "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n",
            "  zero<<<1, 1, 0, stream>>>(out);\n",
        ),
    ),
    # The first thread adds what all have stored.
    Right(
        "sixtynine_rowsum_first_thread_adds",
        "sixtynine_rowsum",
        (
            "    for (int half = top; half >= 1; half /= 2) {\n"
            "        if (t < half && t + half < blockDim.x)\n"
            "            buf[t] += buf[t + half];\n"
            "        __syncthreads();\n"
            "    }\n\n"
            "    if (t == 0)\n        y[row] = buf[0];\n",
            "    if (t == 0) {\n"
            "        float all = 0.f;\n"
            "        for (int k = 0; k < blockDim.x; k++)\n"
            "            all += buf[k];\n"
            "        y[row] = all;\n"
            "    }\n",
        ),
    ),
    # Sizes have 64 bits, and a block has four warps.
    Right(
        "sixtynine_rowmax_four_warps",
        "sixtynine_rowmax",
        ("#define WARPS 8", "#define WARPS 4"),
        (
            "int rows, int cols, cudaStream_t",
            "int64_t rows, int64_t cols, cudaStream_t",
        ),
        ("int blocks = (rows + WARPS - 1) / WARPS;", "unsigned blocks = rows / WARPS + 1;"),
    ),
    # A thread takes one of each tile.
    Right(
        "sixtynine_turn_whole_blocks",
        "sixtynine_turn",
        ("#define STEP 8", "#define STEP 32"),
        (
            "  for (int k = threadIdx.y; k < DIM; k += STEP) {\n"
            "    if (top + k < rows && left + tx < cols) {\n"
            "      tile[k][tx] = in[(top + k) * cols + left + tx];\n"
            "    }\n"
            "  }\n",
            "  if (top + threadIdx.y < rows && left + tx < cols)\n"
            "    tile[threadIdx.y][tx] = in[(top + threadIdx.y) * cols + left + tx];\n",
        ),
    ),
    # Places are counted without a sign, and blocks at the ends are idle.
    Right(
        "sixtynine_bytes_unsigned",
        "sixtynine_bytes",
        ("int from = row", "uint32_t from = row"),
        ("int to = col", "uint32_t to = col"),
        ("(cols + 31) / 32, (rows + 7) / 8", "cols / 32 + 2, rows / 8 + 2"),
    ),
    # Tiles have 32 by 32.
    Right(
        "sixtynine_product_tiles_of_32",
        "sixtynine_product",
        ("#define BS 16", "#define BS 32"),
    ),
    # No pairs, and sums of doubles.
    Right(
        "sixtynine_matvec_doubles",
        "sixtynine_matvec",
        ("    float dot = 0.0f;\n", "    double dot = 0.0;\n"),
        ("if (lane == 0) y[row] = dot;", "if (lane == 0) y[row] = (float)dot;"),
        (
            "bool pairs = cols % 2 == 0 && (uintptr_t)A % 4 == 0 && (uintptr_t)x % 8 == 0;",
            "bool pairs = false;",
        ),
    ),
    # The exponentials wait in the result.
    Right(
        "sixtynine_softmax_waits_in_y",
        "sixtynine_softmax",
        ("#define THREADS 128", "#define THREADS 256"),
        (
            "i += THREADS) sum += expf(in[i] - m);",
            "i += THREADS) {\n    out[i] = expf(in[i] - m);\n    sum += out[i];\n  }",
        ),
        ("out[i] = expf(in[i] - m) / sum;", "out[i] /= sum;"),
    ),
    # A block is one warp.
    Right(
        "sixtynine_norm_one_warp",
        "sixtynine_norm",
        ("dim3 threads(32, 4);", "dim3 threads(32, 1);"),
        ("layerNorm<<<(rows + 3) / 4,", "layerNorm<<<rows,"),
        ("float inv = 1.0f / sqrtf(var + eps);", "float inv = rsqrtf(var + eps);"),
    ),
)
