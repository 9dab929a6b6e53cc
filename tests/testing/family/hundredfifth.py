"""Hold a hundred and fifth family: the plain operators of a first half year, and mistakes.

Its bases are a + s * b by float4, products of halves by half2, float to bfloat16, bytes to
floats from 0 to 1, GELU with tanh, softplus, ReLU of signed bytes in fours, a sum of squares of
doubles with a tree and an atomic, the smallest of each column, where the largest of each row
is, softmax of halves with a warp a row, RMS norm with a gain, a transpose of halves by tiles,
and a matrix times a vector with a warp a row. They have 20 to 45 lines. The causes were written
before a member was judged. There are 70 wrong members and 14 right ones. On the emulator each
ran beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and with
1e3 in floating outputs (-1, 7 and 77 in others), with tensors at either end of their pages, the
bytes behind them and the inputs looked at afterwards, on a stream that is not the default one,
with threads in order, from the last to the first and in a random order, and in the slices that
the cases name. Bases and right ones ran all cases; wrong ones until they were wrong three
times. Of those that lack a barrier not each is wrong in every order of threads, and the sum
without an atomic came out right, as blocks took turns. nvcc 13.0 compiles each base for 8.0;
none was run on a GPU. Bases and right ones are right, and all others wrong or refused by a
fault:

    hundredfive_scaled_b_anywhere           from 4 numbers on, by the address of b alone
    hundredfive_scaled_three_are_a_pack     if 3 numbers are left, at round addresses
    hundredfive_scaled_z_again              from 4 numbers on, at round addresses
    hundredfive_scaled_blocks_rounded_down  unless 4 block sizes divide n
    hundredfive_scaled_rest_swapped         unless 4 divides n, and in slices
    hundredfive_times_last_no_stream        of odd counts, on another stream
    hundredfive_times_one_pair_more         unless the block size divides the pairs
    hundredfive_times_always_256            of other block sizes, from a second block on
    hundredfive_times_plus_zero             of products that are -0
    hundredfive_times_last_squared          of odd counts
    hundredfive_narrow_cut_off              of half of all numbers, and of some NaNs
    hundredfive_narrow_over_half            beyond the range of halves, and near 0
    hundredfive_narrow_step_of_256          of blocks below 256, where the loop takes a step
    hundredfive_narrow_no_loop              from more than 64 blocks on
    hundredfive_narrow_kept_finite          of infinities and NaN
    hundredfive_unit_256                    of all but 0
    hundredfive_unit_signed                 of bytes from 128 on, from 4 numbers on
    hundredfive_unit_rest_not_scaled        unless 4 divides n
    hundredfive_unit_whole_division         of all but 0 and 255
    hundredfive_unit_x_anywhere             from 4 numbers on, by the address of x
    hundredfive_gelu_root_half              of nearly all
    hundredfive_gelu_exponentials           from about 10 on, and of infinity
    hundredfive_gelu_square                 of nearly all
    hundredfive_gelu_one_too_many           unless the block size divides n
    hundredfive_gelu_blocks_of_16_bits      from 65,536 blocks on: 2,097,121 numbers at 32
    hundredfive_softplus_overflows          from about 88.8 on
    hundredfive_softplus_log_of_sum         far below 0
    hundredfive_softplus_no_magnitude       of nearly all below 0
    hundredfive_softplus_nan_is_low         of NaN
    hundredfive_softplus_one_test           unless two block sizes divide n
    hundredfive_relu_packs_anywhere         from 4 numbers on, by either address
    hundredfive_relu_rest_without_loop      of long slices
    hundredfive_relu_unsigned               of bytes below 0, from 4 numbers on
    hundredfive_relu_in_x                   of bytes below 0, from 4 on: x is overwritten
    hundredfive_relu_no_stream              on another stream than the default one
    hundredfive_squares_not_set             unless 0 was there
    hundredfive_squares_no_atomic           from a second block on, where blocks run at once
    hundredfive_squares_half_a_tree         from 129 numbers on
    hundredfive_squares_no_barrier          where threads do not wait for another
    hundredfive_squares_floats              of sums beyond 24 bits
    hundredfive_lowest_starts_at_0          of columns that are above 0
    hundredfive_lowest_fminf                of NaN
    hundredfive_lowest_pitch_of_rows        of several rows, unless they are as many as columns
    hundredfive_lowest_no_barrier           where threads do not wait for another
    hundredfive_lowest_last_left_out        from 8 rows on
    hundredfive_largest_last_of_equal       from 129 columns on, of equal ones of a thread
    hundredfive_largest_tree_of_values      from 129 columns on, of equal ones of two threads
    hundredfive_largest_starts_at_0         of rows that are below 0
    hundredfive_largest_place_of_thread     from 129 columns on
    hundredfive_largest_no_barrier          where threads do not wait for another
    hundredfive_softmax_sum_in_half         of long rows in which one number stands out
    hundredfive_softmax_no_maximum          of rows far from 0
    hundredfive_softmax_half_a_warp         from 17 columns on
    hundredfive_softmax_starts_at_0         of rows far below 0
    hundredfive_softmax_one_row_more        unless 4 divides the rows
    hundredfive_rms_four_warps              from 129 columns on
    hundredfive_rms_gain_of_row             of nearly all
    hundredfive_rms_sum_for_mean            from 2 columns on
    hundredfive_rms_no_second_barrier       where threads do not wait for another
    hundredfive_rms_no_eps                  of zeros, and of small numbers
    hundredfive_turn_tile_not_turned        of nearly all
    hundredfive_turn_pitch_of_a             of several columns, unless they are as many as rows
    hundredfive_turn_no_barrier             where threads do not wait for another
    hundredfive_turn_every_other_strip      from 9 columns on
    hundredfive_turn_grid_swapped           unless the tiles are as many each way
    hundredfive_gemv_whole_steps            unless 32 divides the columns
    hundredfive_gemv_four_warps             of blocks below 128, from 2 rows on
    hundredfive_gemv_first_part_of_x        from 33 columns on
    hundredfive_gemv_adds                   unless 0 was there
    hundredfive_gemv_all_lanes_write        of nearly all
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# a + s * b: four numbers a thread, which looks at the addresses itself.
SCALED = (
    HEADER
    + """\
__device__ bool at16(const void* p) { return (uintptr_t)p % 16 == 0; }

__global__ void add_scaled(const float* a, const float* b, float* y, float s, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  if (i + 4 <= n && at16(a) && at16(b) && at16(y)) {
    float4 u = *(const float4*)(a + i);
    float4 v = *(const float4*)(b + i);
    u.x += s * v.x;
    u.y += s * v.y;
    u.z += s * v.z;
    u.w += s * v.w;
    *(float4*)(y + i) = u;
  } else {
    for (int k = i; k < i + 4 && k < n; k++) y[k] = a[k] + s * b[k];
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* y,        // [n]
                       float s, int n, int block_size = 256, cudaStream_t stream = 0) {
  int per_block = 4 * block_size;
  int blocks = (n + per_block - 1) / per_block;
  add_scaled<<<blocks, block_size, 0, stream>>>(a, b, y, s, n);
}
"""
)

# Products of halves by half2, and the last of an odd number by a kernel of one thread.
TIMES = (
    HEADER
    + """\
__global__ void times2(const __half2 *a, const __half2 *b, __half2 *c, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs)
        c[p] = __hmul2(a[p], b[p]);
}

__global__ void timesLast(const half *a, const half *b, half *c, int i)
{
    c[i] = __hmul(a[i], b[i]);
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       half *c,        // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int pairs = n / 2;
    if (pairs > 0)
        times2<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(
            (const __half2 *)a, (const __half2 *)b, (__half2 *)c, pairs);
    if (n % 2 != 0)
        timesLast<<<1, 1, 0, stream>>>(a, b, c, n - 1);
}
"""
)

# float to bfloat16 in a loop over the grid.
NARROW = (
    HEADER
    + """\
#define MAX_BLOCKS 64

__device__ __nv_bfloat16 narrowed(float v) {
    return __float2bfloat16(v);
}

__global__ void narrow(const float* src, __nv_bfloat16* dst, int count) {
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int at = start; at < count; at += step)
        dst[at] = narrowed(src[at]);
}

extern "C" void launch(const float* src,    // [n]
                       __nv_bfloat16* dst,  // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0)
        return;
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    narrow<<<blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Bytes to floats from 0 to 1: uchar4, and the first threads also take the rest.
UNIT = (
    HEADER
    + """\
__device__ float unit(uint8_t v)
{
    return v * (1.0f / 255.0f);
}

__global__ void bytesToFloats(const uint8_t *x, float *y, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (p < packs) {
        uchar4 q = ((const uchar4 *)x)[p];
        ((float4 *)y)[p] = make_float4(unit(q.x), unit(q.y), unit(q.z), unit(q.w));
    }
    int rest = 4 * packs + p;
    if (p < n % 4)
        y[rest] = unit(x[rest]);
}

extern "C" void launch(const uint8_t *x,  // [n] 4-byte aligned
                       float *y,          // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = n / 4 / block_size + 1;
    bytesToFloats<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# GELU with tanh, a number a thread.
GELU = (
    HEADER
    + """\
const float ROOT_2_PI = 0.7978845608f;
const float CUBIC = 0.044715f;

__device__ float gelu_of(float x) {
  float u = ROOT_2_PI * (x + CUBIC * x * x * x);
  float t = tanhf(u);
  return 0.5f * x * (1.0f + t);
}

__global__ void gelu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = gelu_of(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  gelu<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Softplus, two numbers a thread, a block apart.
SOFTPLUS = (
    HEADER
    + """\
__device__ float softplus(float x)
{
    float above = fmaxf(x, 0.0f);
    float e = expf(-fabsf(x));
    return above + log1pf(e);
}

__global__ void softplusKernel(const float *in, float *out, int n)
{
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    int j = i + blockDim.x;
    if (i < n)
        out[i] = softplus(in[i]);
    if (j < n)
        out[j] = softplus(in[j]);
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int each = 2 * block_size;
    if (n > 0)
        softplusKernel<<<(n + each - 1) / each, block_size, 0, stream>>>(in, out, n);
}
"""
)

# ReLU of signed bytes: char4 where both addresses allow it, single bytes elsewhere.
RELU = (
    HEADER
    + """\
__global__ void relu_bytes(const int8_t* x, int8_t* y, int packs, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  for (int p = t; p < packs; p += step) {
    char4 v = ((const char4*)x)[p];
    v.x = v.x > 0 ? v.x : 0;
    v.y = v.y > 0 ? v.y : 0;
    v.z = v.z > 0 ? v.z : 0;
    v.w = v.w > 0 ? v.w : 0;
    ((char4*)y)[p] = v;
  }
  for (int i = 4 * packs + t; i < n; i += step) y[i] = x[i] > 0 ? x[i] : 0;
}

extern "C" void launch(const int8_t* x,  // [n]
                       int8_t* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  bool even = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
  int packs = even ? n / 4 : 0;
  int blocks = n / 4 / block_size + 1;
  relu_bytes<<<blocks, block_size, 0, stream>>>(x, y, packs, n);
}
"""
)

# A sum of squares: a tree a block, and an atomic for what a block has.
SQUARES = (
    HEADER
    + """\
#define THREADS 256

__global__ void set_zero(double *out)
{
    *out = 0.0;
}

__global__ void squares(const double *x, double *out, int n)
{
    __shared__ double part[THREADS];
    int t = threadIdx.x;
    double mine = 0.0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        mine += x[i] * x[i];
    part[t] = mine;
    __syncthreads();
    for (int half_of = THREADS / 2; half_of > 0; half_of /= 2) {
        if (t < half_of)
            part[t] += part[t + half_of];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

extern "C" void launch(const double *x,  // [n]
                       double *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = min((n + THREADS - 1) / THREADS, 40);
    set_zero<<<1, 1, 0, stream>>>(out);
    squares<<<blocks, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The smallest of each column: 32 columns a block, eight threads share one.
LOWEST = (
    HEADER
    + """\
__device__ float lower(float a, float b) {
    if (a != a) return a;
    return b >= a ? a : b;
}

__global__ void column_min(const float* m, float* low, int rows, int cols) {
    __shared__ float part[8][32];
    int c = blockIdx.x * 32 + threadIdx.x;
    float best = INFINITY;
    if (c < cols)
        for (int r = threadIdx.y; r < rows; r += 8)
            best = lower(best, m[(size_t)r * cols + c]);
    part[threadIdx.y][threadIdx.x] = best;
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) {
        for (int k = 1; k < 8; k++)
            best = lower(best, part[k][threadIdx.x]);
        low[c] = best;
    }
}

extern "C" void launch(const float* m,  // [rows, cols]
                       float* low,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 threads(32, 8);
    column_min<<<(cols + 31) / 32, threads, 0, stream>>>(m, low, rows, cols);
}
"""
)

# Where the largest of a row is, the first of equal ones: a block a row.
LARGEST = (
    HEADER
    + """\
constexpr int T = 128;

__device__ bool better(float v, int at, float best, int best_at) {
  return v > best || (v == best && at < best_at);
}

__global__ void row_argmax(const float* x, int* index, int cols) {
  __shared__ float value[T];
  __shared__ int place[T];
  const float* row = x + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  float best = -INFINITY;
  int best_at = INT32_MAX;
  for (int c = t; c < cols; c += T) {
    if (better(row[c], c, best, best_at)) {
      best = row[c];
      best_at = c;
    }
  }
  value[t] = best;
  place[t] = best_at;
  __syncthreads();
  for (int d = T / 2; d > 0; d /= 2) {
    if (t < d && better(value[t + d], place[t + d], value[t], place[t])) {
      value[t] = value[t + d];
      place[t] = place[t + d];
    }
    __syncthreads();
  }
  if (t == 0) index[blockIdx.x] = place[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       int* index,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_argmax<<<rows, T, 0, stream>>>(x, index, cols);
}
"""
)

# Softmax of halves, a warp a row and four rows a block.
SOFTMAX = (
    HEADER
    + """\
#define FULL 0xffffffffu
#define ROWS 4

__global__ void softmaxRows(const half *x, half *y, int rows, int cols)
{
    int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= rows)
        return;
    const half *in = x + (size_t)row * cols;
    half *out = y + (size_t)row * cols;

    float top = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += 32)
        top = fmaxf(top, __half2float(in[c]));
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(FULL, top, d));

    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        sum += expf(__half2float(in[c]) - top);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(FULL, sum, d);

    for (int c = threadIdx.x; c < cols; c += 32)
        out[c] = __float2half(expf(__half2float(in[c]) - top) / sum);
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, ROWS);
    softmaxRows<<<(rows + ROWS - 1) / ROWS, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# RMS norm with a gain: a block a row, warps first and then the first warp.
RMS = (
    HEADER
    + """\
constexpr int kThreads = 256;

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void rms_norm(const float* x, const float* gain, float* y, float eps, int cols) {
    __shared__ float sums[kThreads / 32];
    __shared__ float scale;
    const float* in = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    float sq = 0.0f;
    for (int c = threadIdx.x; c < cols; c += kThreads) sq += in[c] * in[c];
    sq = warp_sum(sq);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sq;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int w = 0; w < kThreads / 32; w++) total += sums[w];
        scale = rsqrtf(total / cols + eps);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += kThreads) out[c] = in[c] * scale * gain[c];
}

extern "C" void launch(const float* x,     // [rows, cols]
                       const float* gain,  // [cols]
                       float* y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
    rms_norm<<<rows, kThreads, 0, stream>>>(x, gain, y, eps, cols);
}
"""
)

# Transpose of halves: a tile of 32 by 32, of which a thread moves four numbers.
TURN = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void turn(const half *a, half *b, int rows, int cols)
{
    __shared__ half tile[TILE][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += STEP)
        if (x < cols && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = a[(size_t)(y + k) * cols + x];
    __syncthreads();
    int u = blockIdx.y * TILE + threadIdx.x;
    int v = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += STEP)
        if (u < rows && v + k < cols)
            b[(size_t)(v + k) * rows + u] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void launch(const half *a,  // [rows, cols]
                       half *b,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    turn<<<grid, dim3(TILE, STEP), 0, stream>>>(a, b, rows, cols);
}
"""
)

# A matrix times a vector, a warp a row.
GEMV = (
    HEADER
    + """\
__global__ void matvec(const float* A, const float* x, float* y, int m, int k) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (warp >= m) return;
  const float* row = A + (size_t)warp * k;
  float dot = 0.0f;
  for (int c = lane; c < k; c += 32) dot += row[c] * x[c];
  for (int offset = 16; offset > 0; offset /= 2)
    dot += __shfl_down_sync(0xffffffff, dot, offset);
  if (lane == 0) y[warp] = dot;
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* x,  // [k]
                       float* y,        // [m]
                       int m, int k, int block_size = 128, cudaStream_t stream = 0) {
  int rows_per_block = block_size / 32;
  int blocks = (m + rows_per_block - 1) / rows_per_block;
  matvec<<<blocks, block_size, 0, stream>>>(A, x, y, m, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000)
LENGTHS += (1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 257), (5, 63), (65, 65), (6, 6), (7, 10), (1000, 5))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def scaled(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: usual, other factors, infinity, NaN; slices."""
    for n in (*LENGTHS, 9_001, 100_003):
        a, b = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q, s in (
            ("usual", a, b, 2.0),
            ("s = 0", a, b, 0.0),
            ("a negative s", a, b, -1.5),
            ("infinities", torch.where(j % 5 == 2, -INF, a), b, 0.5),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b), 0.25),
        ):
            right = p.double() + s * q.double()
            for block_size in (256, 32):
                scalars = {"s": s, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (p, q), (right,), scalars, **options)
            for offset in ((1, 1, 1), (4, 1, 4), (1, 4, 4), (4, 4, 1)) if s == 2.0 else ():
                if n < 300:
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, (p, q), (right,), {"s": s}, offset=offset, dtypes=FLOAT)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Take usual, small, large and negative numbers, zeros, infinity, NaN; many blocks."""
    for n in (*LENGTHS, 9_001, 70_003, 2_097_185):
        x, j = whole(-999, 1000, n, n).float() / 200, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x.abs() * 40),
            ("far below 0", -x.abs() * 4),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            u = (2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)
            right = 0.5 * v * (1 + u.tanh())
            slack = ((2.0**-20 * v.abs()).nan_to_num(0.0, 0.0),)
            for block_size in (256, 128, 32):
                if n > 100_000 and (label != "usual" or block_size > 32):
                    continue
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def squares(launcher: Launcher) -> Iterator[Case]:
    """Add squares of whole numbers: any, ones, large, zeros, the last alone, inf, NaN."""
    for n in (*LENGTHS, 9_001, 50_001):
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("large", x * 1001),
            ("beyond the range of floats", x * 2.0**100),
            ("zeros", x * 0),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("an infinity", torch.where(j == n // 2, -INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            y = y.double()
            right = (y * y).sum().reshape(1)
            options = {"dtypes": (torch.float64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def lowest(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, above 0, below 0, equal, falling, infinities, NaN."""
    for rows, cols in (*SIDES, (2_001, 3), (3, 513)):
        n = rows * cols
        x, r = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("equal", x * 0 + 3),
            ("falling", x * 0 + 5 - r),
            ("rising", x * 0 + 5 + r),
            ("one infinity", torch.where(r == rows // 2, INF, x)),
            ("one NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amin(0),), dtypes=FLOAT)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Look for the first of the largest: any, few values, equal, below 0, the last, -inf."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("equal", x * 0 + 4),
            ("below 0", -x.abs() - 1),
            ("the last", torch.where(c == cols - 1, 5000.0, x)),
            ("all -inf", x * 0 - INF),
            ("an infinity", torch.where(c == cols // 2, INF, x)),
        ):
            right = (y == y.amax(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.int32,))


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take any, equal, rows far from 0, one that stands out, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("the first stands out", torch.where(c == 0, 8.0, x * 0)),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            right = y.double().softmax(1)
            slack = ((2.0**-10 * right + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=HALF, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm any, small and large numbers, zeros with eps and NaN, with and without gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain = whole(-9, 10, cols, cols).double() / 4
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("gain 1", x, gain * 0 + 1, 0.001),
            ("small", x / 1024, gain, 0.25),
            ("large", x * 1024, gain, 0.5),
            ("zeros", x * 0, gain, 0.00001),
            ("the last alone", torch.where(c == cols - 1, 8, x * 0), gain, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, 1.0),
        ):
            v = y.double()
            right = v / ((v * v).mean(1, keepdim=True) + eps).sqrt() * g
            slack = ((2.0**-18 * right.abs()).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = (y.float(), g.float())
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose square, thin and odd matrices of any numbers and of special ones."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (1, 70), (33, 65), (16, 16), (3, 5003)):
        n = rows * cols
        x = whole(-2000, 2001, n, n).reshape(rows, cols).half()
        strange = torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -INF, x * -0.0))
        for label, y in (("any", x), ("special values", strange.half())):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().T.contiguous(),), dtypes=HALF)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN, zeros."""
    for m, k in (*SIDES, (3, 2_001), (513, 3), *((5, k) for k in range(2, 70, 3))):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        x, c = whole(-30, 31, k, k).double(), torch.arange(k)
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("the last of x alone", a, torch.where(c == k - 1, 3.0, 0.0)),
            ("zeros", a, x * 0),
            ("NaN in a column", torch.where(c == k // 2, NAN, a), x),
        ):
            for block_size in (128, 32, 256):
                scalars = {"block_size": block_size}
                words = f"m = {m:,}, k = {k:,}, {scalars}, {label}"
                right = p @ q.double()
                yield Case(words, (p.float(), q.float()), (right,), scalars, dtypes=FLOAT)


def _softplus(x: torch.Tensor) -> torch.Tensor:
    return torch.logaddexp(x, torch.zeros_like(x))


BASES = {
    "hundredfive_scaled": Base(SCALED, {"cases": scaled}),
    "hundredfive_times": Base(TIMES, {"reference": "multiply"}),
    "hundredfive_narrow": Base(NARROW, {"reference": "cast"}),
    "hundredfive_unit": Base(UNIT, {"reference": lambda x: x / 255, "ulp": 1}),
    "hundredfive_gelu": Base(GELU, {"cases": gelus}),
    "hundredfive_softplus": Base(SOFTPLUS, {"reference": _softplus, "ulp": 5}),
    "hundredfive_relu": Base(RELU, {"reference": lambda x: x.clamp(min=0)}),
    "hundredfive_squares": Base(SQUARES, {"cases": squares}),
    "hundredfive_lowest": Base(LOWEST, {"cases": lowest}),
    "hundredfive_largest": Base(LARGEST, {"cases": largest}),
    "hundredfive_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "hundredfive_rms": Base(RMS, {"cases": norms}),
    "hundredfive_turn": Base(TURN, {"cases": turns}),
    "hundredfive_gemv": Base(GEMV, {"cases": products}),
}

WRONG = (
    # ---- scaled
    # The address of b is not tested.
    Wrong(
        "hundredfive_scaled_b_anywhere",
        "hundredfive_scaled",
        "alignment",
        ("at16(a) && at16(b) && at16(y)", "at16(a) && at16(y)"),
    ),
    # Three numbers are enough for a pack.
    Wrong(
        "hundredfive_scaled_three_are_a_pack",
        "hundredfive_scaled",
        "bounds / tail | alignment",
        ("if (i + 4 <= n &&", "if (i + 3 <= n &&"),
    ),
    # The last of a pack takes the third of b.
    Wrong(
        "hundredfive_scaled_z_again",
        "hundredfive_scaled",
        "other element / neighbour | numbers / left out / twice",
        ("u.w += s * v.w;", "u.w += s * v.z;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredfive_scaled_blocks_rounded_down",
        "hundredfive_scaled",
        "tail / unwritten / grid | nan / left out / refused",
        ("(n + per_block - 1) / per_block", "n / per_block"),
    ),
    # What no pack takes has its operands swapped.
    Wrong(
        "hundredfive_scaled_rest_swapped",
        "hundredfive_scaled",
        "swapped / tail / function | numbers / alignment",
        ("y[k] = a[k] + s * b[k]", "y[k] = b[k] + s * a[k]"),
    ),
    # ---- times
    # The last of an odd number is launched on the default stream.
    Wrong(
        "hundredfive_times_last_no_stream",
        "hundredfive_times",
        "stream",
        ("timesLast<<<1, 1, 0, stream>>>", "timesLast<<<1, 1>>>"),
    ),
    # A pair too many is taken.
    Wrong(
        "hundredfive_times_one_pair_more",
        "hundredfive_times",
        "bounds | tail / race",
        ("if (p < pairs)", "if (p <= pairs)"),
    ),
    # The block size is typed in.
    Wrong(
        "hundredfive_times_always_256",
        "hundredfive_times",
        "block size | unwritten / left out / twice / nan",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # A zero is added.
    Wrong(
        "hundredfive_times_plus_zero",
        "hundredfive_times",
        "sign of zero | numbers",
        ("__hmul2(a[p], b[p])", "__hfma2(a[p], b[p], __float2half2_rn(0.0f))"),
    ),
    # The last is squared.
    Wrong(
        "hundredfive_times_last_squared",
        "hundredfive_times",
        "tail / left out / function | numbers / swapped / nan / infinity / sign of zero",
        ("__hmul(a[i], b[i])", "__hmul(a[i], a[i])"),
    ),
    # ---- narrow
    # The lower 16 bits are cut off.
    Wrong(
        "hundredfive_narrow_cut_off",
        "hundredfive_narrow",
        "rounding | nan / numbers / precision / infinity",
        (
            "return __float2bfloat16(v);",
            "return __ushort_as_bfloat16((unsigned short)(__float_as_uint(v) >> 16));",
        ),
    ),
    # The way leads over half.
    Wrong(
        "hundredfive_narrow_over_half",
        "hundredfive_narrow",
        "infinity / rounding / precision / whole range | subnormal / numbers",
        ("__float2bfloat16(v)", "__float2bfloat16(__half2float(__float2half(v)))"),
    ),
    # The step of the grid is that of blocks of 256.
    Wrong(
        "hundredfive_narrow_step_of_256",
        "hundredfive_narrow",
        "block size / unwritten / left out | grid / nan / tail / numbers",
        ("int step = gridDim.x * blockDim.x;", "int step = gridDim.x * 256;"),
    ),
    # A thread takes one number, but the number of blocks has a limit.
    Wrong(
        "hundredfive_narrow_no_loop",
        "hundredfive_narrow",
        "grid / unwritten / left out / tail | nan",
        (
            "for (int at = start; at < count; at += step)",
            "int at = start;\n    if (at < count)",
        ),
        ("    int step = gridDim.x * blockDim.x;\n", ""),
    ),
    # All is kept within the largest numbers.
    Wrong(
        "hundredfive_narrow_kept_finite",
        "hundredfive_narrow",
        "infinity / nan | whole range / numbers",
        ("__float2bfloat16(v)", "__float2bfloat16(fminf(fmaxf(v, -3.3895e38f), 3.3895e38f))"),
    ),
    # ---- unit
    # The range is taken for 256.
    Wrong(
        "hundredfive_unit_256",
        "hundredfive_unit",
        "function | numbers / precision",
        ("1.0f / 255.0f", "1.0f / 256.0f"),
    ),
    # Bytes of a pack are signed.
    Wrong(
        "hundredfive_unit_signed",
        "hundredfive_unit",
        "whole range | numbers / function",
        ("uchar4 q = ((const uchar4 *)x)[p];", "char4 q = ((const char4 *)x)[p];"),
        ("float unit(uint8_t v)", "float unit(int v)"),
    ),
    # The rest is not scaled.
    Wrong(
        "hundredfive_unit_rest_not_scaled",
        "hundredfive_unit",
        "tail / function / copy | numbers / left out",
        ("y[rest] = unit(x[rest]);", "y[rest] = x[rest];"),
    ),
    # The division is one of integers.
    Wrong(
        "hundredfive_unit_whole_division",
        "hundredfive_unit",
        "rounding / precision / function | numbers",
        ("return v * (1.0f / 255.0f);", "return v / 255;"),
    ),
    # Bytes may lie anywhere, and are read in fours.
    Wrong(
        "hundredfive_unit_x_anywhere",
        "hundredfive_unit",
        "alignment",
        ("const uint8_t *x,  // [n] 4-byte aligned", "const uint8_t *x,  // [n]"),
    ),
    # ---- gelu
    # The root of 1/2 is taken for that of 2/pi.
    Wrong(
        "hundredfive_gelu_root_half",
        "hundredfive_gelu",
        "function | numbers / precision",
        ("0.7978845608f", "0.7071067812f"),
    ),
    # tanh is made of exponentials.
    Wrong(
        "hundredfive_gelu_exponentials",
        "hundredfive_gelu",
        "nan / infinity | numbers / precision",
        (
            "float t = tanhf(u);",
            "float e = expf(2.0f * u);\n  float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # The cube is a square.
    Wrong(
        "hundredfive_gelu_square",
        "hundredfive_gelu",
        "function | numbers / precision / sign of zero",
        ("CUBIC * x * x * x", "CUBIC * x * x"),
    ),
    # One number too many is taken.
    Wrong(
        "hundredfive_gelu_one_too_many",
        "hundredfive_gelu",
        "bounds | tail",
        ("if (i >= n) return;", "if (i > n) return;"),
    ),
    # The number of blocks has 16 bits.
    Wrong(
        "hundredfive_gelu_blocks_of_16_bits",
        "hundredfive_gelu",
        "grid / narrow | unwritten / left out / tail / nan / whole range",
        ("int blocks = (n", "unsigned short blocks = (n"),
    ),
    # ---- softplus
    # The exponential overflows.
    Wrong(
        "hundredfive_softplus_overflows",
        "hundredfive_softplus",
        "infinity | numbers",
        ("    float above = fmaxf(x, 0.0f);\n", ""),
        ("expf(-fabsf(x))", "expf(x)"),
        ("above + log1pf(e)", "log1pf(e)"),
    ),
    # 1 is added before the logarithm.
    Wrong(
        "hundredfive_softplus_log_of_sum",
        "hundredfive_softplus",
        "precision | numbers / subnormal / function / rounding",
        ("log1pf(e)", "logf(1.0f + e)"),
    ),
    # The exponent has the sign of x.
    Wrong(
        "hundredfive_softplus_no_magnitude",
        "hundredfive_softplus",
        "function | numbers / infinity",
        ("expf(-fabsf(x))", "expf(-x)"),
    ),
    # NaN is taken for what lies far below 0.
    Wrong(
        "hundredfive_softplus_nan_is_low",
        "hundredfive_softplus",
        "nan",
        (
            "    float above = fmaxf",
            "    if (!(x > -104.0f))\n        return 0.0f;\n    float above = fmaxf",
        ),
    ),
    # One test is made for both numbers.
    Wrong(
        "hundredfive_softplus_one_test",
        "hundredfive_softplus",
        "bounds | tail",
        (
            "        out[i] = softplus(in[i]);\n    if (j < n)\n",
            "    {\n        out[i] = softplus(in[i]);\n",
        ),
        ("        out[j] = softplus(in[j]);\n", "        out[j] = softplus(in[j]);\n    }\n"),
    ),
    # ---- relu
    # No address is tested.
    Wrong(
        "hundredfive_relu_packs_anywhere",
        "hundredfive_relu",
        "alignment",
        ("  bool even = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;\n", ""),
        ("int packs = even ? n / 4 : 0;", "int packs = n / 4;"),
    ),
    # Each thread takes one byte of the rest, which may be all.
    Wrong(
        "hundredfive_relu_rest_without_loop",
        "hundredfive_relu",
        "unwritten / left out / tail / grid | alignment / numbers / other element",
        (
            "for (int i = 4 * packs + t; i < n; i += step) y[i]",
            "int i = 4 * packs + t;\n  if (i < n) y[i]",
        ),
    ),
    # Bytes of a pack have no sign.
    Wrong(
        "hundredfive_relu_unsigned",
        "hundredfive_relu",
        "whole range / copy / function | numbers",
        ("char4 v = ((const char4*)x)[p];", "uchar4 v = ((const uchar4*)x)[p];"),
        ("((char4*)y)[p] = v;", "((uchar4*)y)[p] = v;"),
    ),
    # Packs are written to x, too.
    Wrong(
        "hundredfive_relu_in_x",
        "hundredfive_relu",
        "input",
        ("((char4*)y)[p] = v;", "((char4*)x)[p] = v;\n    ((char4*)y)[p] = ((char4*)x)[p];"),
    ),
    # The launch names no stream.
    Wrong(
        "hundredfive_relu_no_stream",
        "hundredfive_relu",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- squares
    # The sum is not set before blocks add to it.
    Wrong(
        "hundredfive_squares_not_set",
        "hundredfive_squares",
        "zero before / state | nan / numbers / start",
        ("    set_zero<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # Blocks add without an atomic.
    Wrong(
        "hundredfive_squares_no_atomic",
        "hundredfive_squares",
        "race | numbers / left out",
        ("atomicAdd(out, part[0]);", "*out += part[0];"),
    ),
    # The tree starts with a quarter.
    Wrong(
        "hundredfive_squares_half_a_tree",
        "hundredfive_squares",
        "left out | numbers / start",
        ("int half_of = THREADS / 2;", "int half_of = THREADS / 4;"),
    ),
    # Steps of the tree do not wait for each other.
    Wrong(
        "hundredfive_squares_no_barrier",
        "hundredfive_squares",
        "race | numbers / left out",
        (
            "            part[t] += part[t + half_of];\n        __syncthreads();\n",
            "            part[t] += part[t + half_of];\n",
        ),
    ),
    # A thread adds up floats.
    Wrong(
        "hundredfive_squares_floats",
        "hundredfive_squares",
        "precision / infinity | numbers / rounding / whole range",
        ("double mine = 0.0;", "float mine = 0.0f;"),
    ),
    # ---- lowest
    # The smallest begins with 0.
    Wrong(
        "hundredfive_lowest_starts_at_0",
        "hundredfive_lowest",
        "start | numbers",
        ("float best = INFINITY;", "float best = 0.0f;"),
    ),
    # NaN is passed over.
    Wrong(
        "hundredfive_lowest_fminf",
        "hundredfive_lowest",
        "nan",
        (
            "    if (a != a) return a;\n    return b >= a ? a : b;\n",
            "    return fminf(a, b);\n",
        ),
    ),
    # The pitch is the number of rows.
    Wrong(
        "hundredfive_lowest_pitch_of_rows",
        "hundredfive_lowest",
        "sides / bounds / other element | numbers / left out",
        ("(size_t)r * cols + c", "(size_t)r * rows + c"),
    ),
    # The first eighth reads before others have stored.
    Wrong(
        "hundredfive_lowest_no_barrier",
        "hundredfive_lowest",
        "race | numbers / unwritten / other element / left out / nan / state",
        ("    __syncthreads();\n", ""),
    ),
    # The last eighth is not asked.
    Wrong(
        "hundredfive_lowest_last_left_out",
        "hundredfive_lowest",
        "left out | numbers / nan / tail / sides",
        ("k < 8; k++", "k < 7; k++"),
    ),
    # ---- largest
    # A thread keeps the last of equal ones.
    Wrong(
        "hundredfive_largest_last_of_equal",
        "hundredfive_largest",
        "other element | numbers",
        ("if (better(row[c], c, best, best_at))", "if (row[c] >= best)"),
    ),
    # The tree does not look at places.
    Wrong(
        "hundredfive_largest_tree_of_values",
        "hundredfive_largest",
        "other element | numbers",
        ("better(value[t + d], place[t + d], value[t], place[t])", "value[t + d] > value[t]"),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredfive_largest_starts_at_0",
        "hundredfive_largest",
        "start | numbers / other element",
        (
            "float best = -INFINITY;\n  int best_at = INT32_MAX;",
            "float best = 0.0f;\n  int best_at = 0;",
        ),
    ),
    # The place is that of the thread.
    Wrong(
        "hundredfive_largest_place_of_thread",
        "hundredfive_largest",
        "other element / function | numbers / block size / left out",
        ("place[t] = best_at;", "place[t] = t;"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "hundredfive_largest_no_barrier",
        "hundredfive_largest",
        "race | numbers / unwritten / other element / left out / state",
        ("place[t] = best_at;\n  __syncthreads();\n", "place[t] = best_at;\n"),
    ),
    # ---- softmax
    # The sum of a lane is a half.
    Wrong(
        "hundredfive_softmax_sum_in_half",
        "hundredfive_softmax",
        "precision | numbers / rounding",
        (
            "        sum += expf(__half2float(in[c]) - top);",
            "        sum = __half2float(__float2half(sum + expf(__half2float(in[c]) - top)));",
        ),
    ),
    # The largest is not taken away.
    Wrong(
        "hundredfive_softmax_no_maximum",
        "hundredfive_softmax",
        "infinity / nan | numbers / precision / function",
        ("sum += expf(__half2float(in[c]) - top);", "sum += expf(__half2float(in[c]));"),
        ("expf(__half2float(in[c]) - top) / sum", "expf(__half2float(in[c])) / sum"),
    ),
    # Sums are exchanged in half a warp.
    Wrong(
        "hundredfive_softmax_half_a_warp",
        "hundredfive_softmax",
        "left out | numbers / function / infinity / nan",
        (
            "    for (int d = 16; d > 0; d >>= 1)\n        sum +=",
            "    for (int d = 8; d > 0; d >>= 1)\n        sum +=",
        ),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredfive_softmax_starts_at_0",
        "hundredfive_softmax",
        "start | nan / numbers / infinity / precision",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # A row too many is taken.
    Wrong(
        "hundredfive_softmax_one_row_more",
        "hundredfive_softmax",
        "bounds | tail",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # ---- rms
    # Four of eight warps are added.
    Wrong(
        "hundredfive_rms_four_warps",
        "hundredfive_rms",
        "left out | numbers / infinity / nan",
        ("w < kThreads / 32; w++", "w < kThreads / 64; w++"),
    ),
    # The gain is that of the row.
    Wrong(
        "hundredfive_rms_gain_of_row",
        "hundredfive_rms",
        "other element / bounds / sides | numbers / left out",
        ("* gain[c];", "* gain[blockIdx.x];"),
    ),
    # The sum is not divided by the number of columns.
    Wrong(
        "hundredfive_rms_sum_for_mean",
        "hundredfive_rms",
        "function | numbers",
        ("rsqrtf(total / cols + eps)", "rsqrtf(total + eps)"),
    ),
    # The scale is read before it is there.
    Wrong(
        "hundredfive_rms_no_second_barrier",
        "hundredfive_rms",
        "race | numbers / unwritten / nan / state / other element / left out",
        ("+ eps);\n    }\n    __syncthreads();\n", "+ eps);\n    }\n"),
    ),
    # The small number is forgotten.
    Wrong(
        "hundredfive_rms_no_eps",
        "hundredfive_rms",
        "left out / nan / function | numbers / infinity",
        ("rsqrtf(total / cols + eps)", "rsqrtf(total / cols)"),
    ),
    # ---- turn
    # The tile is read as it was written.
    Wrong(
        "hundredfive_turn_tile_not_turned",
        "hundredfive_turn",
        "other element / swapped | numbers / unwritten / nan / sides / race / state",
        ("tile[threadIdx.x][threadIdx.y + k];", "tile[threadIdx.y + k][threadIdx.x];"),
    ),
    # The result has the pitch of the input.
    Wrong(
        "hundredfive_turn_pitch_of_a",
        "hundredfive_turn",
        "sides / bounds / other element | numbers / unwritten / twice / race / nan",
        ("(size_t)(v + k) * rows + u", "(size_t)(v + k) * cols + u"),
    ),
    # The tile is read while it is filled.
    Wrong(
        "hundredfive_turn_no_barrier",
        "hundredfive_turn",
        "race | numbers / unwritten / other element / nan / state",
        ("    __syncthreads();\n", ""),
    ),
    # Every other strip of a tile is written.
    Wrong(
        "hundredfive_turn_every_other_strip",
        "hundredfive_turn",
        "unwritten / left out | nan / numbers / sides",
        (
            "k += STEP)\n        if (u < rows",
            "k += 2 * STEP)\n        if (u < rows",
        ),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "hundredfive_turn_grid_swapped",
        "hundredfive_turn",
        "sides / grid / swapped / unwritten / left out | nan / tail",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # ---- gemv
    # Only whole steps of a warp are taken.
    Wrong(
        "hundredfive_gemv_whole_steps",
        "hundredfive_gemv",
        "tail / left out | numbers / nan",
        (
            "for (int c = lane; c < k; c += 32)",
            "for (int c = lane; c < k / 32 * 32; c += 32)",
        ),
    ),
    # A block is taken to have four warps.
    Wrong(
        "hundredfive_gemv_four_warps",
        "hundredfive_gemv",
        "block size / grid / unwritten | left out / tail / nan",
        ("int rows_per_block = block_size / 32;", "int rows_per_block = 4;"),
    ),
    # Each step takes the same part of x.
    Wrong(
        "hundredfive_gemv_first_part_of_x",
        "hundredfive_gemv",
        "other element / left out | numbers / nan",
        ("dot += row[c] * x[c];", "dot += row[c] * x[lane];"),
    ),
    # What was in y is added.
    Wrong(
        "hundredfive_gemv_adds",
        "hundredfive_gemv",
        "zero before / state | nan / numbers / start",
        ("y[warp] = dot;", "y[warp] += dot;"),
    ),
    # All lanes write.
    Wrong(
        "hundredfive_gemv_all_lanes_write",
        "hundredfive_gemv",
        "race | numbers / left out / other element",
        ("if (lane == 0) y[warp]", "y[warp]"),
    ),
)

RIGHT = (
    # Sizes and indices have 64 bits.
    Right(
        "hundredfive_scaled_64_bits",
        "hundredfive_scaled",
        (
            "float s, int n) {\n  int i = 4 * (blockIdx",
            "float s, int64_t n) {\n  int64_t i = 4 * ((int64_t)blockIdx",
        ),
        ("for (int k = i;", "for (int64_t k = i;"),
        ("float s, int n, int block_size", "float s, int64_t n, int block_size"),
        ("int per_block = 4 *", "int64_t per_block = 4 * (int64_t)"),
        ("int blocks =", "int64_t blocks ="),
    ),
    # The product is one of floats, which is exact.
    Right(
        "hundredfive_times_by_floats",
        "hundredfive_times",
        (
            "        c[p] = __hmul2(a[p], b[p]);",
            "    {\n        float2 u = __half22float2(a[p]), v = __half22float2(b[p]);\n"
            "        c[p] = __floats2half2_rn(u.x * v.x, u.y * v.y);\n    }",
        ),
    ),
    # Indices are unsigned.
    Right(
        "hundredfive_narrow_unsigned",
        "hundredfive_narrow",
        ("__nv_bfloat16* dst, int count)", "__nv_bfloat16* dst, uint32_t count)"),
        ("int start =", "uint32_t start ="),
        ("int step =", "uint32_t step ="),
        ("for (int at", "for (uint32_t at"),
    ),
    # The number is divided.
    Right(
        "hundredfive_unit_divided",
        "hundredfive_unit",
        ("v * (1.0f / 255.0f)", "v / 255.0f"),
    ),
    # 1 + tanh is a quotient that has no tanh.
    Right(
        "hundredfive_gelu_logistic",
        "hundredfive_gelu",
        ("  float t = tanhf(u);\n", ""),
        ("0.5f * x * (1.0f + t)", "x / (1.0f + expf(-2.0f * u))"),
    ),
    # From 20 on, x is what comes out.
    Right(
        "hundredfive_softplus_large_as_is",
        "hundredfive_softplus",
        ("    float above", "    if (x > 20.0f)\n        return x;\n    float above"),
    ),
    # The sign is a mask, and there are idle blocks.
    Right(
        "hundredfive_relu_masks",
        "hundredfive_relu",
        ("v.x > 0 ? v.x : 0", "v.x & ~(v.x >> 7)"),
        ("v.y > 0 ? v.y : 0", "v.y & ~(v.y >> 7)"),
        ("v.z > 0 ? v.z : 0", "v.z & ~(v.z >> 7)"),
        ("v.w > 0 ? v.w : 0", "v.w & ~(v.w >> 7)"),
        ("n / 4 / block_size + 1", "n / 4 / block_size + 3"),
    ),
    # The sum is set by a memset.
    Right(
        "hundredfive_squares_memset",
        "hundredfive_squares",
        (
            "set_zero<<<1, 1, 0, stream>>>(out);",
            "cudaMemsetAsync(out, 0, sizeof(double), stream);",
        ),
    ),
    # There are idle blocks.
    Right(
        "hundredfive_lowest_idle_blocks",
        "hundredfive_lowest",
        ("(cols + 31) / 32, threads", "cols / 32 + 2, threads"),
    ),
    # Blocks have 64 threads.
    Right(
        "hundredfive_largest_64_threads",
        "hundredfive_largest",
        ("constexpr int T = 128;", "constexpr int T = 64;"),
    ),
    # A block has 7 rows, and each number is multiplied by what the sum is divided into.
    Right(
        "hundredfive_softmax_seven_rows",
        "hundredfive_softmax",
        ("#define ROWS 4", "#define ROWS 7"),
        (
            "    for (int c = threadIdx.x; c < cols; c += 32)\n        out[c]",
            "    float part = 1.0f / sum;\n"
            "    for (int c = threadIdx.x; c < cols; c += 32)\n        out[c]",
        ),
        ("- top) / sum)", "- top) * part)"),
    ),
    # The root is taken first, and the gain is multiplied first.
    Right(
        "hundredfive_rms_root_divides",
        "hundredfive_rms",
        ("rsqrtf(total / cols + eps)", "1.0f / sqrtf(total / cols + eps)"),
        ("in[c] * scale * gain[c]", "gain[c] * (scale * in[c])"),
    ),
    # Rows of tiles are in x.
    Right(
        "hundredfive_turn_rows_in_x",
        "hundredfive_turn",
        ("int x = blockIdx.x * TILE", "int x = blockIdx.y * TILE"),
        ("int y = blockIdx.y * TILE", "int y = blockIdx.x * TILE"),
        ("int u = blockIdx.y * TILE", "int u = blockIdx.x * TILE"),
        ("int v = blockIdx.x * TILE", "int v = blockIdx.y * TILE"),
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid(rows / TILE + 1, cols / TILE + 1);",
        ),
    ),
    # All lanes have the sum, and the last one writes it.
    Right(
        "hundredfive_gemv_last_lane",
        "hundredfive_gemv",
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("if (lane == 0)", "if (lane == 31)"),
    ),
)
