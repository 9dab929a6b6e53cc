"""Hold a fifty-second family: kernels of half a year's practice, and their usual mistakes.

Its bases are a running average, ReLU of a sum of bfloat16, bfloat16 to half, float to samples
of 16 bits, the logarithm of sigmoid, the square of ReLU, dot products of rows, a sum of
integers in 64 bits, the largest of each row and where it was seen last, a sum with a transpose,
a matrix times its own transpose, a dense layer for one vector, softmax with a bias a column,
and layer norm of a sum that is stored as well. They have 15 to 43 lines, and are of people with
half a year of CUDA: one who trains networks, users of picture models and of checkpoints, an
amateur of sound, readers of papers and of a loss function, one who compares sentences, a
bookkeeper, a reader of measurements, a user of a library for matrices, a statistician, one who
learns how networks think, and one who joins steps of a model. They use float4 with threads for
the rest, pairs where all addresses allow it, words that are taken apart by shifts, a loop over
the grid with a rest for the first block, one number a thread, a warp a row with four rows a
block, two kernels with parts between them, trees in shared memory, a tile of 32 with 8 rows of
threads, tiles of 16 of which half is mirrored, two warps a row, a maximum and a sum that grow
together, and two passes. Their mistakes are spread over alignment, sizes, grids, values,
rounding, NaN and infinity, inputs that are written, sums, transposes, products, order, streams
and what is left of an earlier call. The causes were written before a member was judged. On the
emulator each ran beside PyTorch, compared as a case does, called twice on the same tensors,
once each with NaN and 1e3 in floating outputs and with tensors at either end of their pages, on
a stream that is not the default one, with the threads in order; bases and right ones also with
threads in a random order and, but for retype, sqrelu and gram, at a hundred other sizes or so.
nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was run on a GPU. Bases
and right ones are right, and all wrong ones wrong or refused by a fault:

    fiftytwo_ema_now_anywhere           of slices of now alone, from 4 numbers on
    fiftytwo_ema_rest_by_thread         unless 4 divides the count, or there are as many threads
    fiftytwo_ema_packs_alone            of 1 to 3 numbers; where the rest needs another block
    fiftytwo_ema_letter_stayed          from 4 numbers on, unless all is kept
    fiftytwo_ema_now_first              unless a half is kept, or both are equal
    fiftytwo_resid_one_address          of slices if a begins at an even number, another not
    fiftytwo_resid_fmaxf                of NaN
    fiftytwo_resid_cut_off              if the next bfloat16 is as near, or nearer
    fiftytwo_resid_pair_for_one         of odd counts, if all begin at even numbers
    fiftytwo_resid_one_of_two           from 2 numbers on, if one begins at an odd number
    fiftytwo_retype_upper_first         from 4 numbers on
    fiftytwo_retype_nan_infinite        of NaN, from 4 numbers on
    fiftytwo_retype_512_blocks          from 262,145 numbers on; of 32 threads a block, 65,537
    fiftytwo_retype_three_are_four      if 4 leaves 3 of the count
    fiftytwo_retype_whole_fours         of 1 to 3 numbers; if a block's numbers leave 1 to 3
    fiftytwo_sound_no_limits            from about 1 on, and below -1
    fiftytwo_sound_dropped              if half a step or more is behind the point
    fiftytwo_sound_factor               of numbers that are far enough from 0
    fiftytwo_sound_no_stream            on another stream than the default one
    fiftytwo_sound_always_four          if 4 does not divide the count
    fiftytwo_logsig_overflow            below -88.7
    fiftytwo_logsig_plain_log           far from 0, above all above it
    fiftytwo_logsig_no_loop             from 16,385 numbers on
    fiftytwo_logsig_limits_input        below -80
    fiftytwo_logsig_grows               unless the number is 0
    fiftytwo_sqrelu_256                 from 193 numbers on, in blocks of other than 256 threads
    fiftytwo_sqrelu_largest_half        from about 256 on, and of NaN
    fiftytwo_sqrelu_blocks_stay         if an earlier call had fewer blocks
    fiftytwo_sqrelu_last_block          always
    fiftytwo_sqrelu_small_are_zero      from about 0.00017 to 0.001
    fiftytwo_rowdot_four_steps          from 2 columns on
    fiftytwo_rowdot_half_sum            if a thread's sum is no half; beyond 65,504
    fiftytwo_rowdot_untested_row        unless 4 divides the rows
    fiftytwo_rowdot_added               unless 0 was there
    fiftytwo_rowdot_other_side          from 5 rows on
    fiftytwo_ledger_int_sum             from 8,193 numbers on, if a thread's sum has 33 bits
    fiftytwo_ledger_all_parts           if an earlier call had more blocks
    fiftytwo_ledger_more_blocks         from 8,193 numbers on
    fiftytwo_ledger_no_barrier_in_tree  where warps do not wait for another
    fiftytwo_ledger_second_stream       on another stream than the default one
    fiftytwo_lasttop_from_zero          of rows without a number from 0 on
    fiftytwo_lasttop_first_of_thread    if the largest comes again, 128 columns apart
    fiftytwo_lasttop_half_tree          if the largest is in columns 64 to 127 of 128
    fiftytwo_lasttop_short_places       from 32,769 columns on
    fiftytwo_lasttop_no_barrier         where warps do not wait for another
    fiftytwo_geam_grid_turned           unless both sides have as many tiles
    fiftytwo_geam_sixteen_on            from 9 columns on
    fiftytwo_geam_b_like_a              from 2 rows and columns on
    fiftytwo_geam_factor_for_both       unless the factor is 1
    fiftytwo_geam_leaves_early          if the last tiles have fewer columns than rows
    fiftytwo_gram_not_mirrored          from 17 rows on
    fiftytwo_gram_usual_product         from 2 rows or terms on
    fiftytwo_gram_second_barrier        from 17 terms on, where warps do not wait for another
    fiftytwo_gram_no_diagonal           always
    fiftytwo_gram_next_row              unless 16 divides the terms
    fiftytwo_dense_no_barrier           where the first warp does not wait for the second
    fiftytwo_dense_bias_of_thread       from 2 rows on
    fiftytwo_dense_bias_last            if the sum or the bias is below 0
    fiftytwo_dense_first_warp           from 33 columns on
    fiftytwo_dense_two_a_step           unless 128 divides the columns
    fiftytwo_biasoft_from_zero          of rows that are far below 0
    fiftytwo_biasoft_plain_sum          from 2 columns on, if maxima of lanes differ
    fiftytwo_biasoft_top_first          from 33 columns on, if a lane's maximum grows
    fiftytwo_biasoft_bias_once          unless the bias is 0
    fiftytwo_biasoft_eight_rows         from 5 rows on
    fiftytwo_addnorm_last_barrier       where warps do not wait for another
    fiftytwo_addnorm_sample             of one column; of others unless all are equal
    fiftytwo_addnorm_mean_of_squares    of rows that are far off 0
    fiftytwo_addnorm_adds_to_x          unless r is 0: the input is overwritten
    fiftytwo_addnorm_eps_outside        of equal numbers; unless the variance is far above eps
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, least_starts
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who trains networks: a running average of weights, a float4 a thread, the rest behind.
EMA = (
    HEADER
    + """\
__device__ float blend(float a, float b, float keep) { return keep * a + (1.0f - keep) * b; }

__global__ void average(const float* old, const float* now, float* out, float keep, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (i < packs) {
    float4 a = ((const float4*)old)[i];
    float4 b = ((const float4*)now)[i];
    float4 r;
    r.x = blend(a.x, b.x, keep);
    r.y = blend(a.y, b.y, keep);
    r.z = blend(a.z, b.z, keep);
    r.w = blend(a.w, b.w, keep);
    ((float4*)out)[i] = r;
  } else {
    int k = 4 * packs + (i - packs);
    if (k < n) out[k] = blend(old[k], now[k], keep);
  }
}

extern "C" void launch(const float* old,  // [n] 16-byte aligned
                       const float* now,  // [n] 16-byte aligned
                       float* out,        // [n] 16-byte aligned
                       float keep, int n, cudaStream_t stream = 0) {
  int threads = n / 4 + n % 4;
  average<<<(threads + 127) / 128, 128, 0, stream>>>(old, now, out, keep, n);
}
"""
)

# One who runs picture models: ReLU of a sum of bfloat16, in pairs where addresses allow it.
RESID = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf16x2;

__device__ bf16 add_relu(bf16 a, bf16 b)
{
    float s = __bfloat162float(a) + __bfloat162float(b);
    if (s < 0.0f)
        s = 0.0f;
    return __float2bfloat16(s);
}

__global__ void residual(const bf16 *a, const bf16 *b, bf16 *out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    bool even = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)out) % 4 == 0;
    if (even && i + 1 < n) {
        bf16x2 x = *(const bf16x2 *)(a + i);
        bf16x2 y = *(const bf16x2 *)(b + i);
        bf16x2 r;
        r.x = add_relu(x.x, y.x);
        r.y = add_relu(x.y, y.y);
        *(bf16x2 *)(out + i) = r;
    } else {
        for (int k = i; k < n && k < i + 2; k++)
            out[k] = add_relu(a[k], b[k]);
    }
}

extern "C" void launch(const __nv_bfloat16 *a,  // [n]
                       const __nv_bfloat16 *b,  // [n]
                       __nv_bfloat16 *out,      // [n]
                       int n, cudaStream_t stream = 0)
{
    residual<<<(n + 511) / 512, 256, 0, stream>>>(a, b, out, n);
}
"""
)

# One who moves weights between cards: bfloat16 to half, four numbers a thread.
RETYPE = (
    HEADER
    + """\
__device__ half retype(unsigned bits) {
    float f = __uint_as_float(bits << 16);
    return __float2half(f);
}

__global__ void retype_all(const __nv_bfloat16* x, half* y, int64_t n) {
    int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        uint2 v = *(const uint2*)(x + i);
        half2* to = (half2*)(y + i);
        to[0] = __halves2half2(retype(v.x & 0xffffu), retype(v.x >> 16));
        to[1] = __halves2half2(retype(v.y & 0xffffu), retype(v.y >> 16));
    } else {
        for (; i < n; i++) y[i] = __float2half(__bfloat162float(x[i]));
    }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n] 8-byte aligned
                       half* y,                 // [n] 4-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t threads = (n + 3) / 4;
    unsigned blocks = (threads + block_size - 1) / block_size;
    retype_all<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# An amateur of sound: floats from -1 to 1 become samples of 16 bits.
SOUND = (
    HEADER
    + """\
__device__ short sample(float x) {
  float v = rintf(x * 32768.0f);
  return (short)fminf(fmaxf(v, -32768.0f), 32767.0f);
}

__global__ void to_samples(const float* x, short* y, int n) {
  int quads = n / 4;
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += gridDim.x * blockDim.x) {
    float4 v = ((const float4*)x)[q];
    ((short4*)y)[q] = make_short4(sample(v.x), sample(v.y), sample(v.z), sample(v.w));
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) {
    int i = 4 * quads + threadIdx.x;
    y[i] = sample(x[i]);
  }
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       int16_t* y,      // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + 511) / 512;
  if (blocks > 48) blocks = 48;
  to_samples<<<blocks, 128, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a loss function: log(sigmoid(x)), by a loop over the grid.
LOGSIG = (
    HEADER
    + """\
__device__ float log_sigmoid(float x)
{
    return fminf(x, 0.0f) - log1pf(expf(-fabsf(x)));
}

__global__ void log_sigmoids(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        y[i] = log_sigmoid(x[i]);
        i += gridDim.x * blockDim.x;
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + 255) / 256;
    log_sigmoids<<<blocks < 64 ? blocks : 64, 256, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a paper on large models: the square of ReLU in half.
SQRELU = (
    HEADER
    + """\
__global__ void squared_relu(const half* x, half* y, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = __half2float(x[i]);
  if (v < 0.0f) v = 0.0f;
  y[i] = __float2half(v * v);
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int64_t n, int block_size = 192, cudaStream_t stream = 0) {
  unsigned blocks = (n + block_size - 1) / block_size;
  squared_relu<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who compares sentences: dot products of rows of halves, a warp a row, four rows a block.
ROWDOT = (
    HEADER
    + """\
__global__ void row_dots(const half* a, const half* b, float* out, int rows, int cols) {
    int lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const half* p = a + (size_t)row * cols;
    const half* q = b + (size_t)row * cols;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += __half2float(p[c]) * __half2float(q[c]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) out[row] = sum;
}

extern "C" void launch(const half* a,  // [rows, cols]
                       const half* b,  // [rows, cols]
                       float* out,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    row_dots<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(a, b, out, rows, cols);
}
"""
)

# A bookkeeper: the sum of integers, as one of 64 bits, by two kernels.
LEDGER = (
    HEADER
    + """\
#define MAX_BLOCKS 64
#define T 128

__device__ int64_t parts[MAX_BLOCKS];

__global__ void sum_parts(const int *x, int n)
{
    __shared__ int64_t s[T];
    int t = threadIdx.x;
    int64_t sum = 0;
    for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T)
        sum += x[i];
    s[t] = sum;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        parts[blockIdx.x] = s[0];
}

__global__ void sum_all(int64_t *out, int count)
{
    int64_t sum = 0;
    for (int k = 0; k < count; k++)
        sum += parts[k];
    *out = sum;
}

extern "C" void launch(const int *x,  // [n]
                       int64_t *out,  // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + T - 1) / T;
    blocks = blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
    sum_parts<<<blocks, T, 0, stream>>>(x, n);
    sum_all<<<1, 1, 0, stream>>>(out, blocks);
}
"""
)

# One who reads measurements: the largest of each row, and where it was seen last.
LASTTOP = (
    HEADER
    + """\
const int T = 128;

__global__ void last_top(const float* x, float* value, int* place, int cols) {
  __shared__ float v[T];
  __shared__ int p[T];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float best = -INFINITY;
  int at = -1;
  for (int c = t; c < cols; c += T) {
    if (row[c] >= best) {
      best = row[c];
      at = c;
    }
  }
  v[t] = best;
  p[t] = at;
  __syncthreads();
  for (int k = T / 2; k > 0; k /= 2) {
    if (t < k && (v[t + k] > v[t] || (v[t + k] == v[t] && p[t + k] > p[t]))) {
      v[t] = v[t + k];
      p[t] = p[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    value[blockIdx.x] = v[0];
    place[blockIdx.x] = p[0];
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* value,    // [rows]
                       int* place,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  last_top<<<rows, T, 0, stream>>>(x, value, place, cols);
}
"""
)

# A user of a library for matrices: b + alpha * the transpose of a, by tiles.
GEAM = (
    HEADER
    + """\
__global__ void add_turned(const float *a, const float *b, float *out, float alpha, int rows,
                           int cols)
{
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int r = blockIdx.y * 32 + j;
        if (r < rows && c < cols)
            tile[j][threadIdx.x] = a[(size_t)r * cols + c];
    }
    __syncthreads();
    int to = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int line = blockIdx.x * 32 + j;
        if (line < cols && to < rows) {
            size_t at = (size_t)line * rows + to;
            out[at] = alpha * tile[threadIdx.x][j] + b[at];
        }
    }
}

extern "C" void launch(const float *a,  // [rows, cols]
                       const float *b,  // [cols, rows]
                       float *out,      // [cols, rows]
                       float alpha, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + 31) / 32, (rows + 31) / 32);
    add_turned<<<grid, dim3(32, 8), 0, stream>>>(a, b, out, alpha, rows, cols);
}
"""
)

# A statistician: the product of a matrix and its transpose, of which half is mirrored.
GRAM = (
    HEADER
    + """\
#define S 16

__global__ void gram(const float* a, float* g, int n, int d) {
    if (blockIdx.y > blockIdx.x) return;  // mirrored
    __shared__ float p[S][S + 1], q[S][S + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * S + ty;
    int j = blockIdx.x * S + tx;
    int other = blockIdx.x * S + ty;
    float sum = 0.0f;
    for (int start = 0; start < d; start += S) {
        int c = start + tx;
        p[ty][tx] = i < n && c < d ? a[(size_t)i * d + c] : 0.0f;
        q[ty][tx] = other < n && c < d ? a[(size_t)other * d + c] : 0.0f;
        __syncthreads();
        for (int k = 0; k < S; k++) sum += p[ty][k] * q[tx][k];
        __syncthreads();
    }
    if (i >= n || j >= n) return;
    g[(size_t)i * n + j] = sum;
    if (blockIdx.y != blockIdx.x) g[(size_t)j * n + i] = sum;
}

extern "C" void launch(const float* a,  // [n, d]
                       float* g,        // [n, n]
                       int n, int d, cudaStream_t stream = 0) {
    int side = (n + S - 1) / S;
    gram<<<dim3(side, side), dim3(S, S), 0, stream>>>(a, g, n, d);
}
"""
)

# One who learns how networks think: ReLU of a matrix times a vector and a bias, a block a row.
DENSE = (
    HEADER
    + """\
__global__ void dense(const float* w, const float* x, const float* bias, float* y, int cols) {
  __shared__ float sums[2];
  int t = threadIdx.x;
  int row = blockIdx.x;
  float s = 0.0f;
  for (int c = t; c < cols; c += 64) s += w[(size_t)row * cols + c] * x[c];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (t % 32 == 0) sums[t / 32] = s;
  __syncthreads();
  if (t == 0) {
    float v = sums[0] + sums[1] + bias[row];
    y[row] = v < 0.0f ? 0.0f : v;
  }
}

extern "C" void launch(const float* w,     // [rows, cols]
                       const float* x,     // [cols]
                       const float* bias,  // [rows]
                       float* y,           // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dense<<<rows, 64, 0, stream>>>(w, x, bias, y, cols);
}
"""
)

# A reader of a paper on attention: softmax of scores with a bias a column, in one pass.
BIASOFT = (
    HEADER
    + """\
__global__ void softmax(const float *x, const float *bias, float *y, int rows, int cols)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * cols;
    float m = -FLT_MAX, s = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float v = in[c] + bias[c];
        if (v > m) {
            s *= expf(m - v);
            m = v;
        }
        s += expf(v - m);
    }
    for (int d = 16; d > 0; d /= 2) {
        float other_m = __shfl_xor_sync(0xffffffffu, m, d);
        float other_s = __shfl_xor_sync(0xffffffffu, s, d);
        float top = fmaxf(m, other_m);
        s = s * expf(m - top) + other_s * expf(other_m - top);
        m = top;
    }
    for (int c = lane; c < cols; c += 32)
        y[(size_t)row * cols + c] = expf(in[c] + bias[c] - m) / s;
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *bias,  // [cols]
                       float *y,           // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    softmax<<<(rows + 3) / 4, 128, 0, stream>>>(x, bias, y, rows, cols);
}
"""
)

# One who joins steps of a model: layer norm of a sum, which is stored too, in two passes.
ADDNORM = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float value, float* s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads();
    return sum;
}

__global__ void add_norm(const float* x, const float* r, const float* gamma, float* h, float* y,
                         float eps, int cols) {
    __shared__ float s[T];
    size_t start = (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T) {
        float v = x[start + c] + r[start + c];
        h[start + c] = v;
        sum += v;
    }
    float mean = block_sum(sum, s) / cols;
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = h[start + c] - mean;
        squares += d * d;
    }
    float factor = rsqrtf(block_sum(squares, s) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T)
        y[start + c] = (h[start + c] - mean) * factor * gamma[c];
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* r,      // [rows, cols]
                       const float* gamma,  // [cols]
                       float* h,            // [rows, cols]
                       float* y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
    add_norm<<<rows, T, 0, stream>>>(x, r, gamma, h, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 10), 15, 16, 17, *range(31, 36), *range(63, 71), 95, 96, 97, 127, 128, 129)
LENGTHS += (255, 256, 257, 258, 385, 511, 512, 514, 1000, 1023, 1026, 2048, 2051, 4097, 5003)
SIDES = ((1, 1), (1, 3), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 98))
SIDES += ((70, 2), (2, 1000), (1, 4099), (66, 70), (130, 5), (150, 40), (32, 32), (16, 48))


def same(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers themselves."""
    return x.clone()


def squared_relu(x: torch.Tensor) -> torch.Tensor:
    """Return the squares of what is above 0; else 0, or NaN."""
    return x.relu() ** 2


def averages(launcher: Launcher) -> Iterator[Case]:
    """Take averages of whole numbers by eighths, so that all is exact; also of NaN."""
    starts = least_starts(launcher)
    for n in (*LENGTHS, 12_003):
        a, b = (whole(-99, 100, n, 2 * n + k).float() for k in range(2))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, a)
        for keep in (0.0, 1.0, 0.875, 0.25):
            for label, p in (("whole", a), ("NaN", hole)):
                right = keep * p.double() + (1 - keep) * b.double() + 0.0
                options = {"dtypes": (torch.float32,), "quick": n > 5000}
                words = f"n = {n:,}, keep = {keep}, {label}"
                yield Case(words, (p, b), (right,), {"keep": keep}, **options)
                if n < 300 and keep == 0.25 and label == "whole":
                    words = f"n = {n:,}, keep = {keep}, slices from {starts}"
                    scalars = {"keep": keep}
                    yield Case(words, (p, b), (right,), scalars, offset=starts, **options)


def residuals(launcher: Launcher) -> Iterator[Case]:
    """Add bfloat16 numbers, whole ones and fine ones, NaN, infinities, and slices."""
    for n in LENGTHS:
        a, b = (whole(-999, 1000, n, 2 * n + k).float() / 8 for k in range(2))
        k = torch.arange(n)
        hole = torch.where(k % 3 == 1, NAN, torch.where(k % 5 == 1, INF, a))
        for label, p, q in (("usual", a, b), ("above 0", a.abs(), b.abs()), ("NaN", hole, b)):
            p, q = p.bfloat16(), q.bfloat16()
            right = (p.double() + q.double() + 0.0).relu()
            options = {"dtypes": (torch.bfloat16,)}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)
            if n > 300 or label != "above 0":
                continue
            for offsets in ((1, 1, 1), (2, 1, 2), (1, 2, 2), (2, 2, 1), (2, 2, 2)):
                words = f"n = {n:,}, slices from {offsets}"
                yield Case(words, (p, q), (right,), offset=offsets, **options)


def samples(launcher: Launcher) -> Iterator[Case]:
    """Make samples: usual ones, ties, around both limits, and far beyond."""
    for n in (300, *LENGTHS, 25_003, 5):
        x, k = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("usual", x / 1024),
            ("fine", x / 1009),
            ("ties", (x + 0.5) / 32768),
            ("around the limits", torch.sign(x) + x / 2**21),
            ("far beyond", x * 1e4),
            ("infinities", torch.where(k % 2 == 0, INF, -INF)),
        ):
            right = (y.double() * 32768).round().clamp(-32768, 32767) + 0.0
            options = {"dtypes": (torch.int16,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def log_sigmoids(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms: of usual numbers, around 0, far above and below, and of NaN."""
    for n in (*LENGTHS, 16_385, 40_001):
        x, k = whole(-999, 1000, n, n).float() / 100, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 20),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            z = y.double()
            right = z.clamp(max=0) - torch.log1p(torch.exp(-z.abs()))
            slack = (2.0**-20 * right.abs() + 2.0**-140).nan_to_num(0.0)
            options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def row_dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply rows of whole numbers, so that sums are exact; also far above half's range."""
    for rows, cols in (*SIDES, (1000, 7)):
        n = rows * cols
        a, b = (whole(-20, 21, n, n + k).reshape(rows, cols).float() for k in range(2))
        c = torch.arange(cols)
        for label, p, q in (
            ("whole", a, b),
            ("positive", a.abs() + 1, b.abs() + 1),
            ("large", a * 64, b.abs() * 64),
            ("the last column", torch.where(c == cols - 1, 9.0, 0.0) + 0 * a, b),
        ):
            p, q = (p + 0.0).half(), q.half()
            right = (p.double() * q.double()).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (p, q), (right,), dtypes=(torch.float32,))


def ledgers(launcher: Launcher) -> Iterator[Case]:
    """Add integers: small ones, of the whole range, all largest, and only the last."""
    for n in (*LENGTHS, 8193, 30_001, 7, 300, 1):
        x, k = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("small", x),
            ("the whole range", whole(-(2**31), 2**31, n, n)),
            ("largest", 0 * x + 2**31 - 1),
            ("least", 0 * x - 2**31),
            ("the last one", torch.where(k == n - 1, 9, 0)),
        ):
            options = {"dtypes": (torch.int64,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (y.sum().reshape(1),), **options)


def last_tops(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of rows: of usual numbers, few values, below 0, and one."""
    for rows, cols in (*SIDES, (9, 128), (17, 129), (3, 257), (1, 40_000)):
        n = rows * cols
        x = whole(-9999, 10_000, n, n).float().reshape(rows, cols) / 16
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("few values", (x * 16) % 3 - 1),
            ("all equal", x * 0 + 2),
            ("below 0", -x.abs() - 1),
            ("the last one", torch.where(c == cols - 1, 700.0, x)),
            ("one is largest", torch.where((r * 7 + 5 * c) % cols == cols // 2, 700.0, x)),
        ):
            y = y + 0.0
            top = y.amax(1, keepdim=True)
            last = torch.where(y == top, c, -1).amax(1)
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32, torch.int32), "quick": n > 20_000}
            yield Case(words, (y,), (top[:, 0], last), **options)


def turned_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers to a matrix that is turned: small, thin, long and square ones."""
    for rows, cols in (*SIDES, (33, 31), (48, 16), (64, 64)):
        n = rows * cols
        a = whole(-999, 1000, n, n).float().reshape(rows, cols)
        b = whole(-999, 1000, n, n + 1).float().reshape(cols, rows)
        rising = (torch.arange(n) + 1.0).reshape(rows, cols)
        for label, p in (("any", a), ("rising", rising)):
            for alpha in (1.0, -0.5, 3.0):
                right = alpha * p.double().t() + b.double() + 0.0
                words = f"rows = {rows}, cols = {cols:,}, alpha = {alpha}, {label}"
                scalars = {"alpha": alpha}
                yield Case(
                    words, (p, b), (right.contiguous(),), scalars, dtypes=(torch.float32,)
                )


def grams(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that sums are exact: thin, long and square matrices."""
    sides = ((1, 1), (3, 5), (16, 16), (33, 17), (2, 50), (70, 1), (1, 70), (15, 16), (17, 31))
    for n, d in (*sides, (9, 300), (48, 32), (50, 7), (31, 64), (5, 1025), (16, 33), (100, 20)):
        a = whole(-20, 21, n * d, n + d).reshape(n, d).float()
        k = torch.arange(d)
        for label, p in (
            ("whole", a),
            ("positive", a.abs() + 1),
            ("the last term", torch.where(k == d - 1, a + 30, 0.0)),
        ):
            right = p.double() @ p.double().t() + 0.0
            yield Case(f"n = {n}, d = {d:,}, {label}", (p,), (right,), dtypes=(torch.float32,))


def layers(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and add halves, so that sums are exact; also NaN."""
    for rows, cols in (*SIDES, (40, 63), (6, 65), (3, 127)):
        n = rows * cols
        w = whole(-20, 21, n, n).reshape(rows, cols).float()
        x = whole(-20, 21, cols, n + 1).float()
        bias = whole(-999, 1000, rows, n + 2).float() / 2 + 0.25
        c, r = torch.arange(cols), torch.arange(rows)
        for label, p, q in (
            ("whole", w, bias),
            ("the last column", torch.where(c == cols - 1, 9.0, 0.0) + 0 * w, bias),
            ("NaN", w, torch.where(r % 3 == 1, NAN, bias)),
        ):
            right = (p.double() @ x.double() + q.double()).relu() + 0.0
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (p + 0.0, x, q), (right,), dtypes=(torch.float32,))


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares: of usual rows, far off 0, far apart, rising, with some -infinity."""
    for rows, cols in (*SIDES, (1001, 2)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        bias = whole(-64, 65, cols, n + 1).float() / 16
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("all equal", x * 0 + 2),
            ("rising", x * 0 + c % 200 / 16),
            ("some -infinity", torch.where((c % 3 == 0) & (c < cols - 1), -INF, x)),
            ("one NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            right = (y.double() + bias.double()).softmax(1)
            slack = (2.0**-14 * right + 2.0**-40).nan_to_num(0.0)
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(), bias), (right,), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm sums: usual ones, far off 0, small beside eps, equal ones, and one that is not 0."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols) / 128
        rest = whole(-999, 1000, n, n + 3).float().reshape(rows, cols) / 128
        gamma = whole(8, 65, cols, n + 1).float() / 32
        c = torch.arange(cols)
        for label, p, q in (
            ("usual", x, rest),
            ("far off 0", x + 512, rest + 512),
            ("small", x / 256, rest / 256),
            ("equal", x * 0 + 3, x * 0 + 2),
            ("one number", torch.where(c == cols // 2, 3.0, 0.0) + x * 0, x * 0),
        ):
            for eps in (1e-5, 0.5):
                z = p.double() + q.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                right = (z - mean) / (var + eps).sqrt() * gamma.double()
                off = 2.0**-20 * z.abs().amax(1, keepdim=True) / (var + eps).sqrt()
                slack = 2.0**-16 * (right.abs() + 1) + off * gamma.double()
                options = {"dtypes": (torch.float32,) * 2, "within": (0 * z, slack)}
                words = f"rows = {rows}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (p.contiguous(), q.contiguous(), gamma)
                yield Case(words, inputs, (z + 0.0, right), {"eps": eps}, **options)


BASES = {
    "fiftytwo_ema": Base(EMA, {"cases": averages}),
    "fiftytwo_resid": Base(RESID, {"cases": residuals}),
    "fiftytwo_retype": Base(RETYPE, {"reference": same}),
    "fiftytwo_sound": Base(SOUND, {"cases": samples}),
    "fiftytwo_logsig": Base(LOGSIG, {"cases": log_sigmoids}),
    "fiftytwo_sqrelu": Base(SQRELU, {"reference": squared_relu}),
    "fiftytwo_rowdot": Base(ROWDOT, {"cases": row_dots}),
    "fiftytwo_ledger": Base(LEDGER, {"cases": ledgers}),
    "fiftytwo_lasttop": Base(LASTTOP, {"cases": last_tops}),
    "fiftytwo_geam": Base(GEAM, {"cases": turned_sums}),
    "fiftytwo_gram": Base(GRAM, {"cases": grams}),
    "fiftytwo_dense": Base(DENSE, {"cases": layers}),
    "fiftytwo_biasoft": Base(BIASOFT, {"cases": softmaxes}),
    "fiftytwo_addnorm": Base(ADDNORM, {"cases": norms}),
}

WRONG = (
    # ---- a running average
    # Weights of now may lie anywhere, and are read by packs.
    Wrong(
        "fiftytwo_ema_now_anywhere",
        "fiftytwo_ema",
        "alignment",
        ("const float* now,  // [n] 16-byte aligned", "const float* now,  // [n]"),
    ),
    # The rest is where the thread is.
    Wrong(
        "fiftytwo_ema_rest_by_thread",
        "fiftytwo_ema",
        "tail / unwritten / left out | race / twice",
        ("int k = 4 * packs + (i - packs);", "int k = i;"),
    ),
    # Threads for packs alone.
    Wrong(
        "fiftytwo_ema_packs_alone",
        "fiftytwo_ema",
        "tail / unwritten / left out / grid / refused",
        ("int threads = n / 4 + n % 4;", "int threads = n / 4;"),
    ),
    # A line was copied, and one letter stayed.
    Wrong(
        "fiftytwo_ema_letter_stayed",
        "fiftytwo_ema",
        "other element / neighbour | function / numbers / copy / tail",
        ("blend(a.w, b.w, keep);", "blend(a.w, b.z, keep);"),
    ),
    # What was and what is change places.
    Wrong(
        "fiftytwo_ema_now_first",
        "fiftytwo_ema",
        "swapped | function / numbers / nan / other element",
        ("stream>>>(old, now, out,", "stream>>>(now, old, out,"),
    ),
    # ---- ReLU of a sum
    # Only the address of a is asked.
    Wrong(
        "fiftytwo_resid_one_address",
        "fiftytwo_resid",
        "alignment",
        ("((uintptr_t)a | (uintptr_t)b | (uintptr_t)out) % 4", "(uintptr_t)a % 4"),
    ),
    # fmaxf makes 0 of NaN.
    Wrong(
        "fiftytwo_resid_fmaxf",
        "fiftytwo_resid",
        "nan | numbers / start",
        ("    if (s < 0.0f)\n        s = 0.0f;\n", "    s = fmaxf(s, 0.0f);\n"),
    ),
    # The lower bits are cut off.
    Wrong(
        "fiftytwo_resid_cut_off",
        "fiftytwo_resid",
        "rounding | precision / numbers / function / nan",
        ("return __float2bfloat16(s);", "return __float2bfloat16_rz(s);"),
    ),
    # A pair where one number is left.
    Wrong(
        "fiftytwo_resid_pair_for_one",
        "fiftytwo_resid",
        "bounds | tail",
        ("if (even && i + 1 < n) {", "if (even && i < n) {"),
    ),
    # Where addresses are odd, every other number is missing.
    Wrong(
        "fiftytwo_resid_one_of_two",
        "fiftytwo_resid",
        "unwritten / left out / alignment | tail",
        ("k < n && k < i + 2;", "k < n && k < i + 1;"),
    ),
    # ---- bfloat16 to half
    # The upper half of a word comes first.
    Wrong(
        "fiftytwo_retype_upper_first",
        "fiftytwo_retype",
        "neighbour / other element / swapped | numbers / function",
        (
            "retype(v.x & 0xffffu), retype(v.x >> 16)",
            "retype(v.x >> 16), retype(v.x & 0xffffu)",
        ),
    ),
    # NaN becomes an infinity.
    Wrong(
        "fiftytwo_retype_nan_infinite",
        "fiftytwo_retype",
        "nan | infinity / numbers",
        (
            "    return __float2half(f);\n",
            "    if (!(fabsf(f) < 65520.0f)) return __float2half(copysignf(INFINITY, f));\n"
            "    return __float2half(f);\n",
        ),
    ),
    # Never more than 512 blocks.
    Wrong(
        "fiftytwo_retype_512_blocks",
        "fiftytwo_retype",
        "grid / unwritten / left out | tail / block size",
        (
            "    retype_all<<<blocks,",
            "    if (blocks > 512) blocks = 512;\n    retype_all<<<blocks,",
        ),
    ),
    # Three and one that is not there.
    Wrong(
        "fiftytwo_retype_three_are_four",
        "fiftytwo_retype",
        "bounds | tail / alignment",
        ("if (i + 4 <= n) {", "if (i + 3 <= n) {"),
    ),
    # The fours are rounded down.
    Wrong(
        "fiftytwo_retype_whole_fours",
        "fiftytwo_retype",
        "tail / grid / unwritten / left out / refused",
        ("int64_t threads = (n + 3) / 4;", "int64_t threads = n / 4;"),
    ),
    # ---- samples
    # No limits: the upper bits are lost.
    Wrong(
        "fiftytwo_sound_no_limits",
        "fiftytwo_sound",
        "whole range / infinity | numbers / function",
        ("(short)fminf(fmaxf(v, -32768.0f), 32767.0f);", "(short)(int)v;"),
    ),
    # What is behind the point is dropped.
    Wrong(
        "fiftytwo_sound_dropped",
        "fiftytwo_sound",
        "rounding | precision / numbers / function",
        ("float v = rintf(x * 32768.0f);", "float v = x * 32768.0f;"),
    ),
    # The largest sample as the factor.
    Wrong(
        "fiftytwo_sound_factor",
        "fiftytwo_sound",
        "function / precision / rounding | numbers / whole range",
        ("rintf(x * 32768.0f)", "rintf(x * 32767.0f)"),
    ),
    # The launch goes without the stream.
    Wrong(
        "fiftytwo_sound_no_stream",
        "fiftytwo_sound",
        "stream",
        ("<<<blocks, 128, 0, stream>>>", "<<<blocks, 128>>>"),
    ),
    # If any numbers are left, there are four.
    Wrong(
        "fiftytwo_sound_always_four",
        "fiftytwo_sound",
        "bounds | tail",
        ("threadIdx.x < n % 4)", "n % 4 && threadIdx.x < 4)"),
    ),
    # ---- log(sigmoid(x))
    # exp of a large number is infinite.
    Wrong(
        "fiftytwo_logsig_overflow",
        "fiftytwo_logsig",
        "infinity | numbers",
        ("fminf(x, 0.0f) - log1pf(expf(-fabsf(x)));", "-log1pf(expf(-x));"),
    ),
    # A logarithm of a number that has been rounded.
    Wrong(
        "fiftytwo_logsig_plain_log",
        "fiftytwo_logsig",
        "precision / rounding | numbers / function / subnormal / sign of zero",
        ("log1pf(expf(-fabsf(x)));", "logf(1.0f + expf(-fabsf(x)));"),
    ),
    # One number a thread.
    Wrong(
        "fiftytwo_logsig_no_loop",
        "fiftytwo_logsig",
        "unwritten / grid / left out | tail",
        ("while (i < n) {", "if (i < n) {"),
    ),
    # The input is limited where it lies.
    Wrong(
        "fiftytwo_logsig_limits_input",
        "fiftytwo_logsig",
        "input | numbers / state / nan / function / infinity",
        ("log_sigmoids(const float *x,", "log_sigmoids(float *x,"),
        (
            "        y[i] = log_sigmoid(x[i]);\n",
            "        if (x[i] < -80.0f)\n            x[i] = -80.0f;\n"
            "        y[i] = log_sigmoid(x[i]);\n",
        ),
        ("stream>>>(x, y, n);", "stream>>>((float *)x, y, n);"),
    ),
    # The sign of the exponent is lost.
    Wrong(
        "fiftytwo_logsig_grows",
        "fiftytwo_logsig",
        "function / infinity | numbers / precision",
        ("expf(-fabsf(x))", "expf(fabsf(x))"),
    ),
    # ---- the square of ReLU
    # Blocks have 256 threads.
    Wrong(
        "fiftytwo_sqrelu_256",
        "fiftytwo_sqrelu",
        "block size / unwritten / left out | tail / grid / bounds / twice / race",
        ("(int64_t)blockIdx.x * blockDim.x", "(int64_t)blockIdx.x * 256"),
    ),
    # There are no infinite halves.
    Wrong(
        "fiftytwo_sqrelu_largest_half",
        "fiftytwo_sqrelu",
        "infinity / nan | numbers / whole range",
        ("__float2half(v * v);", "__float2half(fminf(v * v, 65504.0f));"),
    ),
    # The number of blocks of the first call stays.
    Wrong(
        "fiftytwo_sqrelu_blocks_stay",
        "fiftytwo_sqrelu",
        "state / unwritten / left out | tail / grid / block size",
        ("  unsigned blocks = (n +", "  static unsigned blocks = (n +"),
    ),
    # The last block does not begin.
    Wrong(
        "fiftytwo_sqrelu_last_block",
        "fiftytwo_sqrelu",
        "grid / tail / unwritten / left out / refused",
        ("(n + block_size - 1) / block_size;", "(n - 1) / block_size;"),
    ),
    # Small numbers are taken for 0.
    Wrong(
        "fiftytwo_sqrelu_small_are_zero",
        "fiftytwo_sqrelu",
        "subnormal / precision | numbers / rounding / function",
        ("if (v < 0.0f) v = 0.0f;", "if (v < 1e-3f) v = 0.0f;"),
    ),
    # ---- dot products of rows
    # One step of the tree is missing.
    Wrong(
        "fiftytwo_rowdot_four_steps",
        "fiftytwo_rowdot",
        "left out | numbers / tail / function / precision / race",
        ("for (int d = 16; d > 0; d /= 2)", "for (int d = 16; d > 1; d /= 2)"),
    ),
    # The sum is a half.
    Wrong(
        "fiftytwo_rowdot_half_sum",
        "fiftytwo_rowdot",
        "precision / infinity / rounding | numbers / nan",
        ("    float sum = 0.0f;\n", "    half part = __float2half(0.0f);\n"),
        (
            "        sum += __half2float(p[c]) * __half2float(q[c]);\n",
            "        part = __hfma(p[c], q[c], part);\n    float sum = __half2float(part);\n",
        ),
    ),
    # Rows behind the last one.
    Wrong(
        "fiftytwo_rowdot_untested_row",
        "fiftytwo_rowdot",
        "bounds",
        ("    if (row >= rows) return;\n", ""),
    ),
    # The sum is added to what is there.
    Wrong(
        "fiftytwo_rowdot_added",
        "fiftytwo_rowdot",
        "zero before / state / start | numbers / nan / twice / unwritten",
        ("out[row] = sum;", "out[row] += sum;"),
    ),
    # The other side of the block.
    Wrong(
        "fiftytwo_rowdot_other_side",
        "fiftytwo_rowdot",
        "unwritten / left out / grid / block size | tail / sides",
        ("blockIdx.x * blockDim.y + threadIdx.y", "blockIdx.x * blockDim.x + threadIdx.y"),
    ),
    # ---- a sum of integers
    # A thread's sum has 32 bits.
    Wrong(
        "fiftytwo_ledger_int_sum",
        "fiftytwo_ledger",
        "narrow / whole range / infinity | numbers",
        (
            "    int t = threadIdx.x;\n    int64_t sum = 0;\n",
            "    int t = threadIdx.x;\n    int sum = 0;\n",
        ),
    ),
    # Parts of all blocks that might be.
    Wrong(
        "fiftytwo_ledger_all_parts",
        "fiftytwo_ledger",
        "state | numbers / unwritten / twice",
        ("stream>>>(out, blocks);", "stream>>>(out, MAX_BLOCKS);"),
    ),
    # More blocks than parts.
    Wrong(
        "fiftytwo_ledger_more_blocks",
        "fiftytwo_ledger",
        "bounds | numbers / grid",
        ("    blocks = blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;\n", ""),
    ),
    # Nobody waits in the tree.
    Wrong(
        "fiftytwo_ledger_no_barrier_in_tree",
        "fiftytwo_ledger",
        "race | numbers / left out / state / other element",
        (
            "            s[t] += s[t + k];\n        __syncthreads();\n",
            "            s[t] += s[t + k];\n",
        ),
    ),
    # The second kernel is on the default stream.
    Wrong(
        "fiftytwo_ledger_second_stream",
        "fiftytwo_ledger",
        "stream",
        ("sum_all<<<1, 1, 0, stream>>>", "sum_all<<<1, 1>>>"),
    ),
    # ---- the largest, last seen
    # 0 as the least of all.
    Wrong(
        "fiftytwo_lasttop_from_zero",
        "fiftytwo_lasttop",
        "start | numbers / other element / left out / unwritten",
        ("float best = -INFINITY;", "float best = 0.0f;"),
    ),
    # A thread keeps its first one.
    Wrong(
        "fiftytwo_lasttop_first_of_thread",
        "fiftytwo_lasttop",
        "other element / numbers | left out / function / neighbour",
        ("if (row[c] >= best) {", "if (row[c] > best) {"),
    ),
    # The tree begins with half of the threads.
    Wrong(
        "fiftytwo_lasttop_half_tree",
        "fiftytwo_lasttop",
        "left out | numbers / other element / tail / function / sides",
        ("for (int k = T / 2; k > 0; k /= 2) {", "for (int k = T / 4; k > 0; k /= 2) {"),
    ),
    # Places have 16 bits.
    Wrong(
        "fiftytwo_lasttop_short_places",
        "fiftytwo_lasttop",
        "narrow / whole range | numbers / other element",
        ("  __shared__ int p[T];\n", "  __shared__ short p[T];\n"),
    ),
    # Nobody waits for the other threads.
    Wrong(
        "fiftytwo_lasttop_no_barrier",
        "fiftytwo_lasttop",
        "race / unwritten | numbers / left out / start / state / nan / other element",
        ("  p[t] = at;\n  __syncthreads();\n", "  p[t] = at;\n"),
    ),
    # ---- a sum with a transpose
    # Both sides of the grid change places.
    Wrong(
        "fiftytwo_geam_grid_turned",
        "fiftytwo_geam",
        "sides / grid / unwritten / left out | tail",
        (
            "grid((cols + 31) / 32, (rows + 31) / 32);",
            "grid((rows + 31) / 32, (cols + 31) / 32);",
        ),
    ),
    # Every other group of lines is written.
    Wrong(
        "fiftytwo_geam_sixteen_on",
        "fiftytwo_geam",
        "unwritten / left out | tail / sides",
        (
            "j += 8) {\n        int line = blockIdx.x * 32 + j;",
            "j += 16) {\n        int line = blockIdx.x * 32 + j;",
        ),
    ),
    # b is read as if it was like a.
    Wrong(
        "fiftytwo_geam_b_like_a",
        "fiftytwo_geam",
        "other element / sides / swapped | numbers / function",
        ("+ b[at];", "+ b[(size_t)to * cols + line];"),
    ),
    # The factor is for both.
    Wrong(
        "fiftytwo_geam_factor_for_both",
        "fiftytwo_geam",
        "function | numbers / twice / other element",
        ("alpha * tile[threadIdx.x][j] + b[at];", "alpha * (tile[threadIdx.x][j] + b[at]);"),
    ),
    # Who is outside of a leaves before the others wait.
    Wrong(
        "fiftytwo_geam_leaves_early",
        "fiftytwo_geam",
        "unwritten / left out / race | tail / sides / bounds",
        (
            "    int c = blockIdx.x * 32 + threadIdx.x;\n",
            "    int c = blockIdx.x * 32 + threadIdx.x;\n    if (c >= cols)\n        return;\n",
        ),
    ),
    # ---- a matrix times its transpose
    # The mirror is forgotten.
    Wrong(
        "fiftytwo_gram_not_mirrored",
        "fiftytwo_gram",
        "unwritten / left out | tail / sides",
        ("    if (blockIdx.y != blockIdx.x) g[(size_t)j * n + i] = sum;\n", ""),
    ),
    # The second tile is read as of a usual product.
    Wrong(
        "fiftytwo_gram_usual_product",
        "fiftytwo_gram",
        "other element / function / swapped / sides | numbers / neighbour",
        ("p[ty][k] * q[tx][k];", "p[ty][k] * q[k][tx];"),
    ),
    # Nobody waits before the tiles are overwritten.
    Wrong(
        "fiftytwo_gram_second_barrier",
        "fiftytwo_gram",
        "race | numbers / other element / left out / state",
        (
            "sum += p[ty][k] * q[tx][k];\n        __syncthreads();\n",
            "sum += p[ty][k] * q[tx][k];\n",
        ),
    ),
    # Blocks on the diagonal leave, too.
    Wrong(
        "fiftytwo_gram_no_diagonal",
        "fiftytwo_gram",
        "unwritten / left out | tail / sides",
        ("if (blockIdx.y > blockIdx.x) return;", "if (blockIdx.y >= blockIdx.x) return;"),
    ),
    # What is behind a row is the next row.
    Wrong(
        "fiftytwo_gram_next_row",
        "fiftytwo_gram",
        "bounds / other element | numbers / tail / sides / twice / function",
        ("p[ty][tx] = i < n && c < d ?", "p[ty][tx] = i < n ?"),
        ("q[ty][tx] = other < n && c < d ?", "q[ty][tx] = other < n ?"),
    ),
    # ---- a dense layer
    # Nobody waits for the second warp.
    Wrong(
        "fiftytwo_dense_no_barrier",
        "fiftytwo_dense",
        "race / unwritten | numbers / left out / start / state / nan",
        ("  __syncthreads();\n", ""),
    ),
    # The bias of the thread, not of the row.
    Wrong(
        "fiftytwo_dense_bias_of_thread",
        "fiftytwo_dense",
        "other element | numbers / function / left out / neighbour / nan / copy",
        ("+ bias[row];", "+ bias[t];"),
    ),
    # The bias comes after ReLU.
    Wrong(
        "fiftytwo_dense_bias_last",
        "fiftytwo_dense",
        "function | numbers / left out / nan / start",
        ("sums[1] + bias[row];", "sums[1];"),
        ("v < 0.0f ? 0.0f : v;", "(v < 0.0f ? 0.0f : v) + bias[row];"),
    ),
    # The second warp works for nothing.
    Wrong(
        "fiftytwo_dense_first_warp",
        "fiftytwo_dense",
        "left out | numbers / tail / function / sides",
        ("sums[0] + sums[1] + bias[row];", "sums[0] + bias[row];"),
    ),
    # Two terms a step, of which the second may not be there.
    Wrong(
        "fiftytwo_dense_two_a_step",
        "fiftytwo_dense",
        "bounds / other element | numbers / tail / sides / twice / function",
        (
            "  for (int c = t; c < cols; c += 64) s += w[(size_t)row * cols + c] * x[c];\n",
            "  for (int c = t; c < cols; c += 128)\n"
            "    s += w[(size_t)row * cols + c] * x[c] +\n"
            "         w[(size_t)row * cols + c + 64] * x[c + 64];\n",
        ),
    ),
    # ---- softmax with a bias
    # 0 as the least of all.
    Wrong(
        "fiftytwo_biasoft_from_zero",
        "fiftytwo_biasoft",
        "start / nan / infinity | numbers / precision / function / subnormal",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # Sums of several lanes, whatever their maxima.
    Wrong(
        "fiftytwo_biasoft_plain_sum",
        "fiftytwo_biasoft",
        "function / left out / numbers | precision / infinity",
        ("s = s * expf(m - top) + other_s * expf(other_m - top);", "s += other_s;"),
    ),
    # The maximum is replaced before it is used.
    Wrong(
        "fiftytwo_biasoft_top_first",
        "fiftytwo_biasoft",
        "function / left out / numbers | precision / infinity",
        (
            "            s *= expf(m - v);\n            m = v;\n",
            "            m = v;\n            s *= expf(m - v);\n",
        ),
    ),
    # No bias in the second pass.
    Wrong(
        "fiftytwo_biasoft_bias_once",
        "fiftytwo_biasoft",
        "left out / function / numbers | precision",
        ("expf(in[c] + bias[c] - m) / s;", "expf(in[c] - m) / s;"),
    ),
    # Blocks for eight rows each.
    Wrong(
        "fiftytwo_biasoft_eight_rows",
        "fiftytwo_biasoft",
        "grid / unwritten / left out | tail / sides",
        ("<<<(rows + 3) / 4, 128,", "<<<(rows + 7) / 8, 128,"),
    ),
    # ---- layer norm of a sum
    # The sum is not read before it is overwritten.
    Wrong(
        "fiftytwo_addnorm_last_barrier",
        "fiftytwo_addnorm",
        "race | numbers / other element / state / left out",
        ("    float sum = s[0];\n    __syncthreads();\n", "    float sum = s[0];\n"),
    ),
    # The variance of a sample.
    Wrong(
        "fiftytwo_addnorm_sample",
        "fiftytwo_addnorm",
        "function / nan / infinity | numbers / precision / sides / left out",
        ("block_sum(squares, s) / cols + eps", "block_sum(squares, s) / (cols - 1) + eps"),
    ),
    # The mean of squares less the square of the mean.
    Wrong(
        "fiftytwo_addnorm_mean_of_squares",
        "fiftytwo_addnorm",
        "precision / rounding / nan | numbers / function / infinity",
        (
            "        float d = h[start + c] - mean;\n        squares += d * d;\n",
            "        squares += h[start + c] * h[start + c];\n",
        ),
        (
            "rsqrtf(block_sum(squares, s) / cols + eps);",
            "rsqrtf(block_sum(squares, s) / cols - mean * mean + eps);",
        ),
    ),
    # The sum is kept in x as well.
    Wrong(
        "fiftytwo_addnorm_adds_to_x",
        "fiftytwo_addnorm",
        "input | numbers / state / twice",
        ("add_norm(const float* x,", "add_norm(float* x,"),
        ("float v = x[start + c] + r[start + c];", "float v = x[start + c] += r[start + c];"),
        ("stream>>>(x, r, gamma,", "stream>>>((float*)x, r, gamma,"),
    ),
    # eps is added to the wrong number.
    Wrong(
        "fiftytwo_addnorm_eps_outside",
        "fiftytwo_addnorm",
        "function / nan / infinity | numbers / precision",
        (
            "rsqrtf(block_sum(squares, s) / cols + eps);",
            "rsqrtf(block_sum(squares, s) / cols) + eps;",
        ),
    ),
)

RIGHT = (
    # From old to now by what is not kept, and blocks that find nothing to do.
    Right(
        "fiftytwo_ema_idle_blocks",
        "fiftytwo_ema",
        ("keep * a + (1.0f - keep) * b;", "b + keep * (a - b);"),
        ("<<<(threads + 127) / 128, 128,", "<<<n / 128 + 4, 128,"),
    ),
    # Instructions for pairs, of which one keeps NaN.
    Right(
        "fiftytwo_resid_pairs",
        "fiftytwo_resid",
        ("        bf16x2 r;\n", ""),
        (
            "        r.x = add_relu(x.x, y.x);\n        r.y = add_relu(x.y, y.y);\n",
            "        bf16x2 r = __hmax2_nan(__hadd2(x, y), __float2bfloat162_rn(0.0f));\n",
        ),
    ),
    # The last thread begins.
    Right(
        "fiftytwo_retype_from_the_end",
        "fiftytwo_retype",
        (
            "4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);",
            "4 * (((int64_t)gridDim.x - blockIdx.x) * blockDim.x - 1 - threadIdx.x);",
        ),
        ("for (; i < n; i++) y[i] =", "for (int64_t k = n - 1; k >= i; k--) y[k] ="),
        ("__float2half(__bfloat162float(x[i]));", "__float2half(__bfloat162float(x[k]));"),
    ),
    # An instruction with limits of its own; the launch is in a lambda.
    Right(
        "fiftytwo_sound_lambda",
        "fiftytwo_sound",
        ("  float v = rintf(x * 32768.0f);\n", ""),
        (
            "(short)fminf(fmaxf(v, -32768.0f), 32767.0f);",
            "(short)max(min(__float2int_rn(x * 32768.0f), 32767), -32768);",
        ),
        (
            "  to_samples<<<blocks, 128, 0, stream>>>(x, y, n);\n",
            "  auto go = [&](int width) { to_samples<<<blocks, width, 0, stream>>>(x, y, n); };\n"
            "  go(128);\n",
        ),
    ),
    # Two formulas; all of the grid is launched by the kernel's address.
    Right(
        "fiftytwo_logsig_by_address",
        "fiftytwo_logsig",
        (
            "fminf(x, 0.0f) - log1pf(expf(-fabsf(x)));",
            "x < 0.0f ? x - log1pf(expf(x)) : -log1pf(expf(-x));",
        ),
        (
            "    log_sigmoids<<<blocks < 64 ? blocks : 64, 256, 0, stream>>>(x, y, n);\n",
            "    void *arguments[] = {&x, &y, &n};\n"
            "    cudaLaunchKernel((const void *)log_sigmoids, dim3(blocks), dim3(256),\n"
            "                     arguments, 0, stream);\n",
        ),
    ),
    # A product of halves is rounded once.
    Right(
        "fiftytwo_sqrelu_half_product",
        "fiftytwo_sqrelu",
        ("  float v = __half2float(x[i]);\n", "  half v = x[i];\n"),
        (
            "  if (v < 0.0f) v = 0.0f;\n",
            "  if (__hlt(v, __float2half(0.0f))) v = __float2half(0.0f);\n",
        ),
        ("__float2half(v * v);", "__hmul(v, v);"),
    ),
    # All lanes have the sum, and the last one stores it.
    Right(
        "fiftytwo_rowdot_last_lane",
        "fiftytwo_rowdot",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (lane == 0)", "if (lane == 31)"),
        ("for (int c = lane;", "for (int c = 31 - lane;"),
    ),
    # A memset, and atomics without a sign.
    Right(
        "fiftytwo_ledger_memset",
        "fiftytwo_ledger",
        (
            "    int64_t sum = 0;\n    for (int k = 0; k < count; k++)\n"
            "        sum += parts[k];\n    *out = sum;\n",
            "    if (threadIdx.x < count)\n"
            "        atomicAdd((unsigned long long *)out,\n"
            "                  (unsigned long long)parts[threadIdx.x]);\n",
        ),
        (
            "    sum_all<<<1, 1, 0, stream>>>",
            "    cudaMemsetAsync(out, 0, sizeof(int64_t), stream);\n"
            "    sum_all<<<1, MAX_BLOCKS, 0, stream>>>",
        ),
    ),
    # From the last column to the first.
    Right(
        "fiftytwo_lasttop_backwards",
        "fiftytwo_lasttop",
        (
            "for (int c = t; c < cols; c += T) {",
            "for (int c = cols - 1 - t; c >= 0; c -= T) {",
        ),
        ("if (row[c] >= best) {", "if (at < 0 || row[c] > best) {"),
    ),
    # The tile is written across and read along.
    Right(
        "fiftytwo_geam_written_across",
        "fiftytwo_geam",
        ("tile[j][threadIdx.x] = a[", "tile[threadIdx.x][j] = a["),
        (
            "alpha * tile[threadIdx.x][j] + b[at];",
            "__fmaf_rn(alpha, tile[j][threadIdx.x], b[at]);",
        ),
    ),
    # The lower half, in double.
    Right(
        "fiftytwo_gram_lower_half",
        "fiftytwo_gram",
        ("if (blockIdx.y > blockIdx.x) return;", "if (blockIdx.y < blockIdx.x) return;"),
        ("    float sum = 0.0f;\n", "    double sum = 0.0;\n"),
        ("sum += p[ty][k] * q[tx][k];", "sum = fma((double)p[ty][k], (double)q[tx][k], sum);"),
    ),
    # Warps add to the bias in shared memory.
    Right(
        "fiftytwo_dense_shared_atomic",
        "fiftytwo_dense",
        ("  __shared__ float sums[2];\n", "  __shared__ float sum;\n"),
        ("  float s = 0.0f;\n", "  if (t == 0) sum = bias[row];\n  float s = 0.0f;\n"),
        (
            "  if (t % 32 == 0) sums[t / 32] = s;\n",
            "  __syncthreads();\n  if (t % 32 == 0) atomicAdd(&sum, s);\n",
        ),
        ("float v = sums[0] + sums[1] + bias[row];", "float v = sum;"),
    ),
    # Down to the first lane, which tells the others.
    Right(
        "fiftytwo_biasoft_first_tells",
        "fiftytwo_biasoft",
        ("__shfl_xor_sync(0xffffffffu, m, d);", "__shfl_down_sync(~0u, m, d);"),
        ("__shfl_xor_sync(0xffffffffu, s, d);", "__shfl_down_sync(~0u, s, d);"),
        (
            "        m = top;\n    }\n",
            "        m = top;\n    }\n    m = __shfl_sync(~0u, m, 0);\n"
            "    s = __shfl_sync(~0u, s, 0);\n",
        ),
    ),
    # Each thread adds up all of the block.
    Right(
        "fiftytwo_addnorm_all_by_all",
        "fiftytwo_addnorm",
        (
            "    for (int k = T / 2; k > 0; k /= 2) {\n"
            "        if (t < k) s[t] += s[t + k];\n        __syncthreads();\n    }\n"
            "    float sum = s[0];\n",
            "    float sum = 0.0f;\n    for (int k = 0; k < T; k++) sum += s[k];\n",
        ),
    ),
)
