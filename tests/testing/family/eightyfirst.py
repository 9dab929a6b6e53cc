"""Hold an eighty-first family: the plain operators of a course, with their plain mistakes.

Its bases are the sum of halves by half2, a * x + y of doubles, signed bytes to halves, float to
bfloat16, gelu by tanh, softplus with a threshold, magnitudes of int16 in packs, the sum of an
array, the largest of columns, the place of the smallest of rows, bytes transposed, a product
with a transposed matrix, softmax of columns, and layer norm with a bias only. They have 15 to
45 lines, and are what juniors write in their first half year, in two or three hands. They use
half2 with a kernel for the odd one, loops over the grid, packs where both addresses allow them,
two numbers a thread, a number a thread, float4 with a loop for the rest, packs of eight with
threads behind them, warp sums with an atomic a block, a tree of 32 columns by 8 threads, a warp
a row with shuffles across, tiles of 32 and of 16, a thread a column, and sums of four warps.
Their mistakes are spread over alignment, sizes, grids, integers, values, rounding, NaN,
infinity, inputs that are written, sums, transposes, products, barriers, streams and what is
left of an earlier call. The causes were written before a member was judged. Six bases take the
cases of elementwise operators or of `kernel_cases`, as learners do, and the others their own.
There are 70 wrong members and 14 right ones. On the emulator each ran beside PyTorch, compared
as a case does, called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1,
77 and 7 in others), with tensors at either end of their pages, the bytes behind them and their
inputs looked at afterwards, on a stream that is not the default one, with threads in order,
from the last to the first and in a random order, and in the slices that the cases name. Bases
and right ones ran all cases; wrong ones until they were wrong often enough. The one without an
atomic is a race that the emulator hid: its blocks did not meet; sums past 2^31 ended at a time
limit. nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are right,
and all others wrong or refused by a fault:

    eightyone_pair_odd_forgotten           if n is odd
    eightyone_pair_b_anywhere              from 2 numbers on, by the address of b
    eightyone_pair_one_too_many            unless the block size divides the pairs
    eightyone_pair_blocks_rounded_down     unless the block size divides the pairs
    eightyone_pair_saturated               of sums below 0 or above 1, but for the odd one
    eightyone_axpy_factor_is_float         of factors that are no floats
    eightyone_axpy_factor_of_y             of nearly all
    eightyone_axpy_made_in_y               of nearly all: y is overwritten
    eightyone_axpy_no_loop                 from 41 blocks on: 1,281 numbers at 32
    eightyone_axpy_zero_is_a_copy          of NaN and infinities times 0
    eightyone_wide_unsigned                of bytes below 0 in packs
    eightyone_wide_one_of_two              from 4 numbers on, by the address of x alone
    eightyone_wide_rest_from_packs         where packs are taken and the rest is far from them
    eightyone_wide_two_exchanged           of packs whose last two differ
    eightyone_wide_parts_of_127            of single bytes but 0
    eightyone_brain_cut_off                of what is nearer to the next number, in pairs
    eightyone_brain_through_half           beyond 65,504, of small ones and some ties, in pairs
    eightyone_brain_last_is_a_pair         if n is odd
    eightyone_brain_first_twice            of pairs that differ
    eightyone_brain_threads_for_pairs      if n is odd and the block size divides the pairs
    eightyone_gelu_zero_too_many           of nearly all
    eightyone_gelu_by_exponentials         from about 10 on
    eightyone_gelu_half_of_integers        of all but 0
    eightyone_gelu_always_256              of other block sizes, from a second block on
    eightyone_gelu_1024_blocks             from 1,025 blocks on: 32,769 numbers at 32
    eightyone_plus_log_of_sum              of what is below 0
    eightyone_plus_no_threshold            from 89 on
    eightyone_plus_flat_above              above 20
    eightyone_plus_not_below_0             of NaN
    eightyone_plus_last_left_out           unless 4 divides n
    eightyone_magnitude_x_anywhere         from 8 numbers on, by the address of x
    eightyone_magnitude_sign_bit           of what is below 0
    eightyone_magnitude_seven_of_eight     of a pack whose last number is below 0
    eightyone_magnitude_one_for_the_rest   if the rest begins at the end of a block
    eightyone_magnitude_through_half       from 2,049 on
    eightyone_total_not_set                unless 0 is in out
    eightyone_total_last_warp              from 225 numbers on
    eightyone_total_no_barrier             where threads do not wait for another
    eightyone_total_no_atomic              from 257 numbers on, where blocks meet
    eightyone_total_step_of_a_block        from 257 numbers on
    eightyone_largest_flt_min              of columns without a number above 0
    eightyone_largest_drops_nan            of NaN
    eightyone_largest_no_barrier           where threads do not wait for another
    eightyone_largest_pitch_of_rows        from 2 rows on, unless the sides are alike
    eightyone_largest_half_a_tree          from 5 rows on
    eightyone_argmin_starts_at_0           of rows without a number below 0
    eightyone_argmin_any_of_equal          of rows with equal ones
    eightyone_argmin_32_columns            from 33 columns on
    eightyone_argmin_own_place             from 2 columns on
    eightyone_argmin_no_stream             on another stream than the default one
    eightyone_flip_grid_swapped            unless the tiles are as many each way
    eightyone_flip_pitch_of_input          unless the sides are alike
    eightyone_flip_tile_not_turned         of nearly all
    eightyone_flip_blocks_stay             from a second tile on
    eightyone_flip_one_test                unless 32 divides the rows
    eightyone_cross_pitch_of_n             from 2 rows of b on, unless n and k are alike
    eightyone_cross_tile_not_turned        of nearly all
    eightyone_cross_whole_tiles            unless 16 divides k
    eightyone_cross_no_second_barrier      from k = 17 on, where threads do not wait
    eightyone_cross_sum_of_last_tile       from k = 17 on
    eightyone_columns_no_maximum           of numbers far above or below 0
    eightyone_columns_first_of_all         of columns far below the first number
    eightyone_columns_first_not_summed     of nearly all
    eightyone_columns_kept_in_x            of nearly all: x is overwritten
    eightyone_columns_first_blocks         if an earlier call had fewer blocks
    eightyone_norm_of_a_sample             of nearly all
    eightyone_norm_no_eps                  of rows that vary little, or not at all
    eightyone_norm_bias_of_row             of nearly all
    eightyone_norm_three_warps             from 97 columns on
    eightyone_norm_bias_is_scaled          of nearly all
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Sums of halves: half2 by one kernel, the odd one by another.
PAIR = (
    HEADER
    + """\
__global__ void add_pairs(const half2* a, const half2* b, half2* c, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) c[i] = __hadd2(a[i], b[i]);
}

__global__ void add_one(const half* a, const half* b, half* c, int i) {
  c[i] = __hadd(a[i], b[i]);
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       half* c,        // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int pairs = n / 2;
  int blocks = (pairs + block_size - 1) / block_size;
  if (blocks > 0)
    add_pairs<<<blocks, block_size, 0, stream>>>((const half2*)a, (const half2*)b,
                                                 (half2*)c, pairs);
  if (n % 2) add_one<<<1, 1, 0, stream>>>(a, b, c, n - 1);
}
"""
)

# a * x + y of doubles in a loop over the grid.
AXPY = (
    HEADER
    + """\
__global__ void axpy(double a, const double *x, const double *y, double *out, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = a * x[i] + y[i];
}

extern "C" void launch(double a,
                       const double *x,  // [n]
                       const double *y,  // [n]
                       double *out,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > 40)
        blocks = 40;
    axpy<<<blocks, block_size, 0, stream>>>(a, x, y, out, n);
}
"""
)

# Signed bytes to halves: four at a time where both addresses allow it, then one at a time.
WIDE = (
    HEADER
    + """\
static const int THREADS = 128;

__global__ void wide_four(const char4 *x, half2 *y, int fours)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= fours)
        return;
    const char4 v = x[i];
    y[2 * i] = __floats2half2_rn(v.x, v.y);
    y[2 * i + 1] = __floats2half2_rn(v.z, v.w);
}

__global__ void wide_one(const int8_t *x, half *y, int begin, int n)
{
    const int i = begin + blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[i] = __float2half((float)x[i]);
}

static int grid_of(int count) { return (count + THREADS - 1) / THREADS; }

extern "C" void launch(const int8_t *x,  // [n]
                       half *y,          // [n]
                       int n, cudaStream_t stream = 0)
{
    const bool aligned = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
    const int fours = aligned ? n / 4 : 0;
    if (fours > 0)
        wide_four<<<grid_of(fours), THREADS, 0, stream>>>((const char4 *)x, (half2 *)y, fours);
    const int rest = n - 4 * fours;
    if (rest > 0)
        wide_one<<<grid_of(rest), THREADS, 0, stream>>>(x, y, 4 * fours, n);
}
"""
)

# float to bfloat16, two a thread.
BRAIN = (
    HEADER
    + """\
__global__ void to_bf16(const float* in, __nv_bfloat16* out, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    float2 v = *reinterpret_cast<const float2*>(in + i);
    __nv_bfloat162 w;
    w.x = __float2bfloat16(v.x);
    w.y = __float2bfloat16(v.y);
    *reinterpret_cast<__nv_bfloat162*>(out + i) = w;
  } else if (i < n) {
    out[i] = __float2bfloat16(in[i]);
  }
}

extern "C" void launch(const float* in,     // [n] 8-byte aligned
                       __nv_bfloat16* out,  // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  int blocks = (threads + block_size - 1) / block_size;
  if (blocks == 0) return;
  to_bf16<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# GELU by tanh, a number a thread.
GELU = (
    HEADER
    + """\
// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
__device__ float gelu_of(float x)
{
    float u = 0.7978845608f * (x + 0.044715f * x * x * x);
    float t = tanhf(u);
    return 0.5f * x * (1.0f + t);
}

__global__ void gelu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = gelu_of(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;

    gelu_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Softplus, beyond 20 the number itself: float4 in a loop over the grid, then single numbers.
PLUS = (
    HEADER
    + """\
__device__ float softplus(float v) {
  return v > 20.0f ? v : log1pf(expf(v));
}

__global__ void softplus_all(const float* x, float* y, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = gridDim.x * blockDim.x;
  const int packs = n / 4;
  for (int p = id; p < packs; p += total) {
    float4 v = reinterpret_cast<const float4*>(x)[p];
    v.x = softplus(v.x);
    v.y = softplus(v.y);
    v.z = softplus(v.z);
    v.w = softplus(v.w);
    reinterpret_cast<float4*>(y)[p] = v;
  }
  for (int i = 4 * packs + id; i < n; i += total) y[i] = softplus(x[i]);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       int n, cudaStream_t stream = 0) {
  int blocks = n / 4 / 128 + 1;
  if (blocks > 48) blocks = 48;
  softplus_all<<<blocks, 128, 0, stream>>>(x, y, n);
}
"""
)

# Magnitudes of int16 in packs of eight; the threads behind take one each.
MAGNITUDE = (
    HEADER
    + """\
struct alignas(16) Eight {
    int16_t v[8];
};

__device__ int16_t magnitude(int v)
{
    return (int16_t)(v < 0 ? -v : v);
}

__global__ void abs16(const int16_t *x, int16_t *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 8;
    if (t < packs) {
        Eight e = ((const Eight *)x)[t];
        for (int k = 0; k < 8; k++)
            e.v[k] = magnitude(e.v[k]);
        ((Eight *)y)[t] = e;
        return;
    }
    int i = 8 * packs + (t - packs);
    if (i < n)
        y[i] = magnitude(x[i]);
}

extern "C" void launch(const int16_t *x,  // [n] 16-byte aligned
                       int16_t *y,        // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = n / 8 + n % 8;
    int blocks = (threads + block_size - 1) / block_size;
    if (blocks > 0)
        abs16<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of an array: a loop over the grid, warp sums, an atomic a block.
TOTAL = (
    HEADER
    + """\
__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(~0u, v, offset);
  return v;
}

__global__ void total(const float* x, float* out, int64_t n) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int warps = blockDim.x / 32;

  float s = 0.0f;
  int64_t first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += gridDim.x * blockDim.x) s += x[i];
  s = warp_sum(s);
  if (lane == 0) part[warp] = s;
  __syncthreads();

  if (warp == 0) {
    s = lane < warps ? part[lane] : 0.0f;
    s = warp_sum(s);
    if (lane == 0) atomicAdd(out, s);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = (n + 255) / 256;
  if (blocks > 64) blocks = 64;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  if (blocks > 0) total<<<blocks, 256, 0, stream>>>(x, out, n);
}
"""
)

# The largest of each column: 32 columns by 8 threads, a tree in shared memory.
LARGEST = (
    HEADER
    + """\
#define TX 32
#define TY 8

__device__ float larger(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

__global__ void largest(const float *x, float *out, int rows, int cols)
{
    __shared__ float best[TY][TX];
    int c = blockIdx.x * TX + threadIdx.x;
    float m = -INFINITY;
    if (c < cols)
        for (int r = threadIdx.y; r < rows; r += TY)
            m = larger(m, x[(size_t)r * cols + c]);
    best[threadIdx.y][threadIdx.x] = m;
    __syncthreads();
    for (int h = TY / 2; h > 0; h /= 2) {
        if (threadIdx.y < h) {
            float other = best[threadIdx.y + h][threadIdx.x];
            best[threadIdx.y][threadIdx.x] = larger(best[threadIdx.y][threadIdx.x], other);
        }
        __syncthreads();
    }
    if (threadIdx.y == 0 && c < cols)
        out[c] = best[0][threadIdx.x];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TX, TY);
    largest<<<(cols + TX - 1) / TX, block, 0, stream>>>(x, out, rows, cols);
}
"""
)

# The place of the smallest of each row, the first of equal ones: a warp a row.
ARGMIN = (
    HEADER
    + """\
__device__ bool comes_first(float v, int i, float w, int j) {
  if (v != w) return v < w;
  return i < j;
}

__global__ void argmin_rows(const float* x, int32_t* place, int rows, int cols) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (row >= rows) return;
  const float* values = x + (size_t)row * cols;

  float best = INFINITY;
  int at = INT32_MAX;
  for (int c = lane; c < cols; c += 32) {
    if (comes_first(values[c], c, best, at)) {
      best = values[c];
      at = c;
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    float v = __shfl_xor_sync(0xffffffff, best, d);
    int i = __shfl_xor_sync(0xffffffff, at, d);
    if (comes_first(v, i, best, at)) {
      best = v;
      at = i;
    }
  }
  if (lane == 0) place[row] = at;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       int32_t* place,  // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int warps = 4;
  argmin_rows<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(x, place, rows, cols);
}
"""
)

# Bytes transposed by tiles of 32, eight rows at a time.
FLIP = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void flip(const uint8_t *in, uint8_t *out, int rows, int cols)
{
    __shared__ uint8_t tile[TILE][TILE + 1];

    int col = blockIdx.x * TILE + threadIdx.x;
    for (int k = threadIdx.y; k < TILE; k += STEP) {
        int row = blockIdx.y * TILE + k;
        if (row < rows && col < cols)
            tile[k][threadIdx.x] = in[(size_t)row * cols + col];
    }
    __syncthreads();

    int out_col = blockIdx.y * TILE + threadIdx.x;
    for (int k = threadIdx.y; k < TILE; k += STEP) {
        int out_row = blockIdx.x * TILE + k;
        if (out_row < cols && out_col < rows)
            out[(size_t)out_row * rows + out_col] = tile[threadIdx.x][k];
    }
}

extern "C" void launch(const uint8_t *in,  // [rows, cols]
                       uint8_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TILE, STEP);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    flip<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# a times the transposed b, by tiles of 16.
CROSS = (
    HEADER
    + """\
constexpr int B = 16;

__global__ void matmul_nt(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[B][B];
  __shared__ float bs[B][B];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * B + ty;
  int col = blockIdx.x * B + tx;
  int b_row = blockIdx.x * B + ty;

  float sum = 0.0f;
  for (int start = 0; start < k; start += B) {
    int q = start + tx;
    as[ty][tx] = row < m && q < k ? a[(size_t)row * k + q] : 0.0f;
    bs[ty][tx] = b_row < n && q < k ? b[(size_t)b_row * k + q] : 0.0f;
    __syncthreads();
    for (int j = 0; j < B; ++j) sum += as[ty][j] * bs[tx][j];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [n, k]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 threads(B, B);
  dim3 blocks((n + B - 1) / B, (m + B - 1) / B);
  matmul_nt<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# Softmax of columns, a thread a column.
COLUMNS = (
    HEADER
    + """\
__global__ void softmax_columns(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;

    float most = x[c];
    for (int r = 1; r < rows; r++)
        most = fmaxf(most, x[(size_t)r * cols + c]);

    float sum = 0.0f;
    for (int r = 0; r < rows; r++) {
        float e = expf(x[(size_t)r * cols + c] - most);
        y[(size_t)r * cols + c] = e;
        sum += e;
    }

    for (int r = 0; r < rows; r++)
        y[(size_t)r * cols + c] /= sum;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = (cols + block_size - 1) / block_size;
    softmax_columns<<<blocks, block_size, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm with a bias and no gain, a block of four warps a row.
NORM = (
    HEADER
    + """\
#define WARPS 4

__device__ float over_block(float v, float* parts) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0.0f;
  for (int w = 0; w < WARPS; w++) sum += parts[w];
  return sum;
}

__global__ void norm(const float* x, const float* bias, float* y, float eps, int cols) {
  __shared__ float sums[WARPS], squares[WARPS];
  const float* row = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += row[c];
  float mean = over_block(s, sums) / cols;

  float q = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float d = row[c] - mean;
    q += d * d;
  }
  float scale = rsqrtf(over_block(q, squares) / cols + eps);

  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    out[c] = (row[c] - mean) * scale + bias[c];
}

extern "C" void launch(const float* x,     // [rows, cols]
                       const float* bias,  // [cols]
                       float* y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  norm<<<rows, 32 * WARPS, 0, stream>>>(x, bias, y, eps, cols);
}
"""
)

NAN, INF = math.nan, math.inf
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 5120, 5121)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64))
SIDES += ((65, 3), (9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50))
SIDES += ((32, 32), (301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (2, 130))
SIDES += ((1000, 5), (257, 1), (1, 257), (31, 33), (17, 15), (513, 3), (5, 513))
FLOAT, DOUBLE = (torch.float32,), (torch.float64,)


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: usual, fine factors, none, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, y = (whole(-99_999, 100_000, n, 2 * n + k).double() for k in range(2))
        j = torch.arange(n)
        for label, a, p, q in (
            ("usual", 3.0, x, y),
            ("a fine factor", 1.0 + 2.0**-30, x, y),
            ("minus 1", -1.0, x, y),
            ("no factor", 0.0, x, y),
            ("large numbers", 2.0**40, x, y * 2.0**35),
            ("no factor, infinities", 0.0, torch.where(j % 3 == 1, INF, x), y),
            ("infinities", 2.5, x, torch.where(j % 5 == 2, -INF, y)),
            ("NaN", 2.0, torch.where(j % 3 == 1, NAN, x), y),
        ):
            for block_size in (128, 32):
                scalars = {"a": a, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": DOUBLE, "quick": n > 5000}
                yield Case(words, (p, q), (a * p + q,), scalars, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Try usual, small, large and far numbers, zeros, infinity, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n).float() / 200, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 8),
            ("far from 0", x * 1e6),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinity", torch.where(j % 3 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            right = 0.5 * v * (1 + (math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)).tanh())
            slack = 2.0**-19 * right.abs() + 2.0**-22 * v.abs()
            for block_size in (256, 64, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"within": (slack.nan_to_num(0.0, 0.0),), "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, dtypes=FLOAT, **options)


def largests(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, negative only, alike, zeros, the last, infinities, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).reshape(rows, cols).double() / 8
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, y in (
            ("any", x),
            ("negative only", -x.abs() - 1),
            ("alike", x * 0 - 7),
            ("zeros", torch.zeros_like(x)),
            ("the last alone", torch.where(r == rows - 1, 500.0, x)),
            ("-infinity in columns", torch.where(c % 2 == 0, -INF, x)),
            ("infinity", torch.where(r == rows // 2, INF, x)),
            ("NaN", torch.where((r == rows // 2) & (c % 3 == 0), NAN, x)),
            ("NaN first", torch.where((r == 0) & (c % 2 == 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.amax(0),), dtypes=FLOAT)


def argmins(launcher: Launcher) -> Iterator[Case]:
    """Look for places: any, few values, positive, negative, alike, the last, infinities."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("positive", x.abs() + 1),
            ("negative", -x.abs() - 1),
            ("alike", x * 0 + 2.5),
            ("falling", x * 0 - c),
            ("the last", torch.where(c == cols - 1, -5000.0, x)),
            ("infinity beside one", torch.where(c == cols // 2, x, INF)),
            ("-infinity", torch.where(c % 40 == min(39, cols - 1), -INF, x)),
        ):
            place = (y == y.amin(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (place,), dtypes=(torch.int32,))


def flips(launcher: Launcher) -> Iterator[Case]:
    """Transpose any bytes, rows that count and columns that count."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (33, 65), (16, 16), (64, 64), (96, 32)):
        x = whole(0, 256, rows * cols, rows * cols).reshape(rows, cols)
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, y in (
            ("any", x),
            ("rows", (r + 0 * c) % 251),
            ("columns", (c + 0 * r) % 251),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = y.T.contiguous()
            yield Case(words, (y.to(torch.uint8),), (right,), dtypes=(torch.uint8,))


def crosses(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (32, 48, 64), (64, 16, 32))
    sides += ((300, 2, 5), (2, 300, 5), (33, 33, 33))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        b = whole(-30, 31, n * k, n + k + 1).reshape(n, k).double()
        h = torch.arange(k)
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + 0 * a, b + 50),
            ("NaN in a", torch.where(h == k // 2, NAN, a), b),
            ("NaN in a row of b", a, torch.where(torch.arange(n)[:, None] == n // 2, NAN, b)),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s.float(), t.float()), (s @ t.T,), dtypes=FLOAT)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Try any, equal, far above and below 0, columns far apart, rising, a mask, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-40, 41, n, n).reshape(rows, cols) / 8.0
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("columns far apart", x + 512 - 256.0 * (c % 5)),
            ("rising", x * 0 + r / 8.0),
            ("a mask", torch.where((r % 3 == 1) & (rows > 1), -INF, x)),
            ("NaN", torch.where((r == rows // 2) & (c % 2 == 0), NAN, x)),
        ):
            y = y.float()
            p = torch.exp(y.double() - y.double().amax(0, True))
            p = p / p.sum(0, keepdim=True)
            slack = ((2.0**-17 * p + 2.0**-126).nan_to_num(0.0),)
            for block_size in (64, 32):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (y,), (p,), scalars, dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, all alike, zeros, negative, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        bias = whole(-9, 10, cols, cols).double() / 4
        for label, y, b, eps in (
            ("any", x, bias, 1.0),
            ("no bias", x, bias * 0, 0.001),
            ("small", x / 1024, bias, 0.25),
            ("about 1,024", 1024 + x // 10, bias, 0.5),
            ("all alike", x * 0 + 5, bias, 0.125),
            ("zeros", x * 0, bias, 0.001),
            ("negative", -x.abs() - 1, bias * 8, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), bias, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f + b
            fine = 2.0**-14 * (d * f).abs() + 2.0**-20 * f * v.abs().amax(1, True)
            slack = 2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=within)


def softplus(x: torch.Tensor) -> torch.Tensor:
    """Compute log(1 + exp(x)), and beyond 20 x."""
    return torch.where(x > 20, x, x.exp().log1p())


BASES = {
    "eightyone_pair": Base(PAIR, {"reference": "add"}),
    "eightyone_axpy": Base(AXPY, {"cases": axpys}),
    "eightyone_wide": Base(WIDE, {"reference": "cast"}),
    "eightyone_brain": Base(BRAIN, {"reference": "cast"}),
    "eightyone_gelu": Base(GELU, {"cases": gelus}),
    "eightyone_plus": Base(PLUS, {"reference": softplus, "ulp": 4}),
    "eightyone_magnitude": Base(MAGNITUDE, {"reference": torch.abs}),
    "eightyone_total": Base(TOTAL, cases="sums"),
    "eightyone_largest": Base(LARGEST, {"cases": largests}),
    "eightyone_argmin": Base(ARGMIN, {"cases": argmins}),
    "eightyone_flip": Base(FLIP, {"cases": flips}),
    "eightyone_cross": Base(CROSS, {"cases": crosses}),
    "eightyone_columns": Base(COLUMNS, {"cases": columns}),
    "eightyone_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- pair
    # The odd one is forgotten.
    Wrong(
        "eightyone_pair_odd_forgotten",
        "eightyone_pair",
        "tail / unwritten / left out | nan",
        ("  if (n % 2) add_one<<<1, 1, 0, stream>>>(a, b, c, n - 1);\n", ""),
    ),
    # The second array may lie anywhere.
    Wrong(
        "eightyone_pair_b_anywhere",
        "eightyone_pair",
        "alignment",
        ("const half* b,  // [n] 4-byte aligned", "const half* b,  // [n]"),
    ),
    # One pair too many is allowed.
    Wrong(
        "eightyone_pair_one_too_many",
        "eightyone_pair",
        "bounds / tail",
        ("if (i < pairs)", "if (i <= pairs)"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "eightyone_pair_blocks_rounded_down",
        "eightyone_pair",
        "grid / unwritten / tail / left out | nan",
        ("(pairs + block_size - 1) / block_size", "pairs / block_size"),
    ),
    # The sum is kept between 0 and 1.
    Wrong(
        "eightyone_pair_saturated",
        "eightyone_pair",
        "infinity / whole range / function | numbers / nan / sign of zero",
        ("__hadd2(a[i], b[i])", "__hadd2_sat(a[i], b[i])"),
    ),
    # ---- axpy
    # The kernel takes the factor as a float.
    Wrong(
        "eightyone_axpy_factor_is_float",
        "eightyone_axpy",
        "precision | numbers / rounding",
        ("axpy(double a, const double *x", "axpy(float a, const double *x"),
    ),
    # The factor is that of the other one.
    Wrong(
        "eightyone_axpy_factor_of_y",
        "eightyone_axpy",
        "swapped / function | numbers / nan / infinity",
        ("a * x[i] + y[i]", "a * y[i] + x[i]"),
    ),
    # The sum is made in y, as BLAS does, and then copied.
    Wrong(
        "eightyone_axpy_made_in_y",
        "eightyone_axpy",
        "input | state / numbers",
        ("const double *y, double *out, int n)", "double *y, double *out, int n)"),
        ("out[i] = a * x[i] + y[i];", "out[i] = y[i] += a * x[i];"),
        ("(a, x, y, out, n);", "(a, x, (double *)y, out, n);"),
    ),
    # There is a limit of blocks and no loop.
    Wrong(
        "eightyone_axpy_no_loop",
        "eightyone_axpy",
        "grid / unwritten / left out | nan / tail",
        ("    for (int i = blockIdx.x", "    int i = blockIdx.x"),
        ("threadIdx.x; i < n; i += step)", "threadIdx.x;\n    if (i < n)"),
    ),
    # A factor of 0 is a copy.
    Wrong(
        "eightyone_axpy_zero_is_a_copy",
        "eightyone_axpy",
        "nan / infinity | numbers",
        ("out[i] = a * x[i] + y[i];", "out[i] = a == 0.0 ? y[i] : a * x[i] + y[i];"),
    ),
    # ---- wide
    # Bytes of a pack have no sign.
    Wrong(
        "eightyone_wide_unsigned",
        "eightyone_wide",
        "whole range | numbers / function",
        ("const char4 v = x[i];", "const uchar4 v = ((const uchar4 *)x)[i];"),
    ),
    # Only one of two addresses is asked.
    Wrong(
        "eightyone_wide_one_of_two",
        "eightyone_wide",
        "alignment",
        ("(uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0", "(uintptr_t)y % 4 == 0"),
    ),
    # The rest begins at the number of packs.
    Wrong(
        "eightyone_wide_rest_from_packs",
        "eightyone_wide",
        "tail / unwritten / left out | nan / other element",
        ("(x, y, 4 * fours, n);", "(x, y, fours, n);"),
    ),
    # Two of a pack are in the other order.
    Wrong(
        "eightyone_wide_two_exchanged",
        "eightyone_wide",
        "neighbour / other element / swapped | numbers",
        ("__floats2half2_rn(v.z, v.w)", "__floats2half2_rn(v.w, v.z)"),
    ),
    # Single bytes are a part of 127, as if they were quantised.
    Wrong(
        "eightyone_wide_parts_of_127",
        "eightyone_wide",
        "function / tail | numbers / alignment",
        ("__float2half((float)x[i])", "__float2half((float)x[i] / 127.0f)"),
    ),
    # ---- brain
    # What does not fit is cut off.
    Wrong(
        "eightyone_brain_cut_off",
        "eightyone_brain",
        "rounding | nan / infinity / numbers",
        (
            "    w.x = __float2bfloat16(v.x);\n    w.y = __float2bfloat16(v.y);\n",
            "    w.x = __ushort_as_bfloat16(__float_as_uint(v.x) >> 16);\n"
            "    w.y = __ushort_as_bfloat16(__float_as_uint(v.y) >> 16);\n",
        ),
    ),
    # The way goes through a half.
    Wrong(
        "eightyone_brain_through_half",
        "eightyone_brain",
        "infinity / rounding / precision | numbers / subnormal / sign of zero",
        (
            "w.x = __float2bfloat16(v.x);",
            "w.x = __float2bfloat16(__half2float(__float2half(v.x)));",
        ),
        (
            "w.y = __float2bfloat16(v.y);",
            "w.y = __float2bfloat16(__half2float(__float2half(v.y)));",
        ),
    ),
    # The last one is taken for a pair.
    Wrong(
        "eightyone_brain_last_is_a_pair",
        "eightyone_brain",
        "bounds / tail",
        ("if (i + 1 < n) {", "if (i < n) {"),
    ),
    # The first of a pair is stored twice.
    Wrong(
        "eightyone_brain_first_twice",
        "eightyone_brain",
        "neighbour / other element / twice / left out | numbers",
        ("w.y = __float2bfloat16(v.y);", "w.y = __float2bfloat16(v.x);"),
    ),
    # Threads are counted for whole pairs.
    Wrong(
        "eightyone_brain_threads_for_pairs",
        "eightyone_brain",
        "tail / grid / unwritten / left out | nan",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # ---- gelu
    # A zero too many stands behind the point.
    Wrong(
        "eightyone_gelu_zero_too_many",
        "eightyone_gelu",
        "function | numbers / precision",
        ("0.044715f * x", "0.0044715f * x"),
    ),
    # The tanh is written with exponentials.
    Wrong(
        "eightyone_gelu_by_exponentials",
        "eightyone_gelu",
        "infinity / nan | numbers / precision / function",
        (
            "    float t = tanhf(u);",
            "    float e = expf(2.0f * u);\n    float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # One half is a quotient of integers.
    Wrong(
        "eightyone_gelu_half_of_integers",
        "eightyone_gelu",
        "function / copy | numbers / nan / infinity",
        ("return 0.5f * x", "return 1 / 2 * x"),
    ),
    # The block size is typed in.
    Wrong(
        "eightyone_gelu_always_256",
        "eightyone_gelu",
        "block size | unwritten / left out / nan / tail / other element / bounds",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # No more than 1,024 blocks are launched.
    Wrong(
        "eightyone_gelu_1024_blocks",
        "eightyone_gelu",
        "grid / unwritten / left out | nan / tail",
        (
            "    gelu_kernel<<<blocks,",
            "    if (blocks > 1024)\n        blocks = 1024;\n    gelu_kernel<<<blocks,",
        ),
    ),
    # ---- plus
    # The 1 swallows small exponentials.
    Wrong(
        "eightyone_plus_log_of_sum",
        "eightyone_plus",
        "precision | numbers / subnormal / function",
        ("log1pf(expf(v))", "logf(1.0f + expf(v))"),
    ),
    # There is no threshold.
    Wrong(
        "eightyone_plus_no_threshold",
        "eightyone_plus",
        "infinity | numbers",
        ("return v > 20.0f ? v : log1pf(expf(v));", "return log1pf(expf(v));"),
    ),
    # Beyond the threshold all is 20.
    Wrong(
        "eightyone_plus_flat_above",
        "eightyone_plus",
        "infinity / function | numbers / whole range",
        ("v > 20.0f ? v :", "v > 20.0f ? 20.0f :"),
    ),
    # What is no number becomes 0.
    Wrong(
        "eightyone_plus_not_below_0",
        "eightyone_plus",
        "nan",
        (": log1pf(expf(v));", ": fmaxf(log1pf(expf(v)), 0.0f);"),
    ),
    # The last one is left to nobody.
    Wrong(
        "eightyone_plus_last_left_out",
        "eightyone_plus",
        "tail / unwritten / left out | nan",
        ("i = 4 * packs + id; i < n;", "i = 4 * packs + id; i < n - 1;"),
    ),
    # ---- magnitude
    # The input may lie anywhere.
    Wrong(
        "eightyone_magnitude_x_anywhere",
        "eightyone_magnitude",
        "alignment",
        ("const int16_t *x,  // [n] 16-byte aligned", "const int16_t *x,  // [n]"),
    ),
    # The sign is cleared as that of a float.
    Wrong(
        "eightyone_magnitude_sign_bit",
        "eightyone_magnitude",
        "function | whole range / numbers",
        ("(int16_t)(v < 0 ? -v : v)", "(int16_t)(v & 0x7fff)"),
    ),
    # Seven of eight are changed.
    Wrong(
        "eightyone_magnitude_seven_of_eight",
        "eightyone_magnitude",
        "left out / copy / other element | numbers / function / tail",
        ("k < 8; k++", "k < 7; k++"),
    ),
    # One thread is launched for the rest.
    Wrong(
        "eightyone_magnitude_one_for_the_rest",
        "eightyone_magnitude",
        "tail / unwritten / left out / grid | nan",
        ("n / 8 + n % 8;", "n / 8 + 1;"),
    ),
    # The way goes through a half.
    Wrong(
        "eightyone_magnitude_through_half",
        "eightyone_magnitude",
        "precision / rounding | numbers / whole range",
        (
            "    return (int16_t)(v < 0 ? -v : v);",
            "    return (int16_t)(int)__half2float(__float2half(fabsf((float)v)));",
        ),
    ),
    # ---- total
    # Nothing sets the sum to 0.
    Wrong(
        "eightyone_total_not_set",
        "eightyone_total",
        "zero before / state / start | numbers / nan / unwritten",
        ("  cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # The last warp is left out.
    Wrong(
        "eightyone_total_last_warp",
        "eightyone_total",
        "left out | numbers / tail / nan / infinity",
        ("lane < warps ?", "lane < warps - 1 ?"),
    ),
    # The first warp does not wait for others.
    Wrong(
        "eightyone_total_no_barrier",
        "eightyone_total",
        "race | numbers / left out / unwritten / state / nan",
        ("part[warp] = s;\n  __syncthreads();\n", "part[warp] = s;\n"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightyone_total_no_atomic",
        "eightyone_total",
        "race | numbers / left out",
        ("atomicAdd(out, s);", "*out += s;"),
    ),
    # The step is that of a block.
    Wrong(
        "eightyone_total_step_of_a_block",
        "eightyone_total",
        "twice | numbers / other element / grid",
        ("i += gridDim.x * blockDim.x)", "i += blockDim.x)"),
    ),
    # ---- largest
    # The start is the smallest number above 0.
    Wrong(
        "eightyone_largest_flt_min",
        "eightyone_largest",
        "start | numbers / infinity / subnormal",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # The function of the library drops NaN.
    Wrong(
        "eightyone_largest_drops_nan",
        "eightyone_largest",
        "nan",
        ("return a > b || isnan(a) ? a : b;", "return fmaxf(a, b);"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "eightyone_largest_no_barrier",
        "eightyone_largest",
        "race | numbers / left out / unwritten / state / nan / other element",
        ("[threadIdx.x] = m;\n    __syncthreads();\n", "[threadIdx.x] = m;\n"),
    ),
    # Rows have the pitch of the other side.
    Wrong(
        "eightyone_largest_pitch_of_rows",
        "eightyone_largest",
        "sides / other element / bounds | numbers / left out / nan / infinity",
        ("x[(size_t)r * cols + c]", "x[(size_t)r * rows + c]"),
    ),
    # The tree begins a step too late.
    Wrong(
        "eightyone_largest_half_a_tree",
        "eightyone_largest",
        "left out | numbers / start / tail / nan / infinity",
        ("int h = TY / 2; h > 0;", "int h = TY / 4; h > 0;"),
    ),
    # ---- argmin
    # The smallest begins with 0.
    Wrong(
        "eightyone_argmin_starts_at_0",
        "eightyone_argmin",
        "start | numbers / infinity / unwritten",
        ("float best = INFINITY;", "float best = 0.0f;"),
    ),
    # Lanes do not ask whose place is the first.
    Wrong(
        "eightyone_argmin_any_of_equal",
        "eightyone_argmin",
        "other element | numbers / left out",
        ("if (comes_first(v, i, best, at))", "if (v <= best)"),
    ),
    # A lane takes one column.
    Wrong(
        "eightyone_argmin_32_columns",
        "eightyone_argmin",
        "left out | numbers / tail / infinity / other element",
        ("  for (int c = lane; c < cols; c += 32) {", "  int c = lane;\n  if (c < cols) {"),
    ),
    # The place of the other lane is not asked for.
    Wrong(
        "eightyone_argmin_own_place",
        "eightyone_argmin",
        "other element | numbers / left out / infinity / start",
        ("int i = __shfl_xor_sync(0xffffffff, at, d);", "int i = at;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightyone_argmin_no_stream",
        "eightyone_argmin",
        "stream",
        ("32 * warps, 0, stream>>>", "32 * warps>>>"),
    ),
    # ---- flip
    # The sides of the grid are in the other order.
    Wrong(
        "eightyone_flip_grid_swapped",
        "eightyone_flip",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # The result has the pitch of the input.
    Wrong(
        "eightyone_flip_pitch_of_input",
        "eightyone_flip",
        "sides / bounds / other element / unwritten | numbers / left out / race",
        ("out[(size_t)out_row * rows + out_col]", "out[(size_t)out_row * cols + out_col]"),
    ),
    # The tile is read as it was written.
    Wrong(
        "eightyone_flip_tile_not_turned",
        "eightyone_flip",
        "other element / swapped / sides / unwritten | numbers / function / race",
        ("tile[threadIdx.x][k];", "tile[k][threadIdx.x];"),
    ),
    # The blocks are not exchanged.
    Wrong(
        "eightyone_flip_blocks_stay",
        "eightyone_flip",
        "sides / swapped / other element / unwritten | numbers / left out / race",
        ("int out_col = blockIdx.y * TILE", "int out_col = blockIdx.x * TILE"),
        ("int out_row = blockIdx.x * TILE", "int out_row = blockIdx.y * TILE"),
    ),
    # Columns of the result are not tested.
    Wrong(
        "eightyone_flip_one_test",
        "eightyone_flip",
        "bounds / tail / sides / other element / race | numbers",
        ("if (out_row < cols && out_col < rows)", "if (out_row < cols)"),
    ),
    # ---- cross
    # Rows of b have the pitch of a matrix that is not transposed.
    Wrong(
        "eightyone_cross_pitch_of_n",
        "eightyone_cross",
        "sides / other element / bounds | numbers / swapped / nan",
        ("b[(size_t)b_row * k + q]", "b[(size_t)b_row * n + q]"),
    ),
    # The tile of b is read as if it were not transposed.
    Wrong(
        "eightyone_cross_tile_not_turned",
        "eightyone_cross",
        "other element / swapped / sides / function | numbers / nan / left out",
        ("as[ty][j] * bs[tx][j]", "as[ty][j] * bs[j][tx]"),
    ),
    # The last tile must be a whole one.
    Wrong(
        "eightyone_cross_whole_tiles",
        "eightyone_cross",
        "tail / left out | numbers / nan / unwritten",
        ("start < k; start += B", "start + B <= k; start += B"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "eightyone_cross_no_second_barrier",
        "eightyone_cross",
        "race | numbers / other element / left out / nan",
        ("* bs[tx][j];\n    __syncthreads();\n", "* bs[tx][j];\n"),
    ),
    # The sum begins anew in each tile.
    Wrong(
        "eightyone_cross_sum_of_last_tile",
        "eightyone_cross",
        "left out | numbers / nan",
        ("  float sum = 0.0f;\n", "  float sum;\n"),
        ("    int q = start + tx;\n", "    int q = start + tx;\n    sum = 0.0f;\n"),
    ),
    # ---- columns
    # The largest is not taken away.
    Wrong(
        "eightyone_columns_no_maximum",
        "eightyone_columns",
        "infinity / nan | numbers / precision / subnormal",
        ("expf(x[(size_t)r * cols + c] - most)", "expf(x[(size_t)r * cols + c])"),
    ),
    # The largest begins with the first of all.
    Wrong(
        "eightyone_columns_first_of_all",
        "eightyone_columns",
        "start / other element | numbers / nan / infinity / precision / subnormal",
        ("float most = x[c];", "float most = x[0];"),
        ("for (int r = 1; r < rows; r++)", "for (int r = 0; r < rows; r++)"),
    ),
    # The first row is not in the sum.
    Wrong(
        "eightyone_columns_first_not_summed",
        "eightyone_columns",
        "left out | numbers / infinity / nan / function",
        ("        sum += e;", "        if (r > 0)\n            sum += e;"),
    ),
    # Exponentials are kept in x.
    Wrong(
        "eightyone_columns_kept_in_x",
        "eightyone_columns",
        "input | state / numbers",
        ("softmax_columns(const float *x,", "softmax_columns(float *x,"),
        ("        y[(size_t)r * cols + c] = e;", "        x[(size_t)r * cols + c] = e;"),
        (
            "y[(size_t)r * cols + c] /= sum;",
            "y[(size_t)r * cols + c] = x[(size_t)r * cols + c] / sum;",
        ),
        ("(x, y, rows, cols);", "((float *)x, y, rows, cols);"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "eightyone_columns_first_blocks",
        "eightyone_columns",
        "state / grid / unwritten / left out | nan / tail",
        ("    int blocks = (cols", "    static int blocks = (cols"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "eightyone_norm_of_a_sample",
        "eightyone_norm",
        "function | numbers / nan / infinity / precision",
        ("over_block(q, squares) / cols + eps", "over_block(q, squares) / (cols - 1) + eps"),
    ),
    # The small number is forgotten.
    Wrong(
        "eightyone_norm_no_eps",
        "eightyone_norm",
        "function / nan / infinity | numbers / precision",
        ("squares) / cols + eps)", "squares) / cols)"),
    ),
    # The bias is that of the row.
    Wrong(
        "eightyone_norm_bias_of_row",
        "eightyone_norm",
        "other element / bounds / sides | numbers",
        ("+ bias[c];", "+ bias[blockIdx.x];"),
    ),
    # One warp is not in the sums.
    Wrong(
        "eightyone_norm_three_warps",
        "eightyone_norm",
        "left out | numbers / tail / function",
        ("for (int w = 0; w < WARPS; w++)", "for (int w = 0; w < WARPS - 1; w++)"),
    ),
    # The bias is added before the scale is.
    Wrong(
        "eightyone_norm_bias_is_scaled",
        "eightyone_norm",
        "function | numbers",
        ("(row[c] - mean) * scale + bias[c]", "(row[c] - mean + bias[c]) * scale"),
    ),
)

RIGHT = (
    # n has 64 bits, and there may be an idle block.
    Right(
        "eightyone_pair_idle_block",
        "eightyone_pair",
        ("int n, int block_size = 256", "int64_t n, int block_size = 256"),
        ("int pairs = n / 2;", "int pairs = (int)(n / 2);"),
        ("(pairs + block_size - 1) / block_size;", "pairs / block_size + 1;"),
        ("(a, b, c, n - 1);", "(a, b, c, (int)n - 1);"),
    ),
    # The factor comes after the arrays, and the sum is fused.
    Right(
        "eightyone_axpy_factor_last",
        "eightyone_axpy",
        ("launch(double a,\n                       const", "launch(const"),
        (
            "                       int n, int block",
            "                       double a, int n, int block",
        ),
        ("a * x[i] + y[i]", "fma(a, x[i], y[i])"),
    ),
    # Bytes are cut out of a word.
    Right(
        "eightyone_wide_bytes_of_words",
        "eightyone_wide",
        (
            "    const char4 v = x[i];\n",
            "    const uint32_t w = ((const uint32_t *)x)[i];\n"
            "    const char4 v = make_char4((signed char)(w & 255), "
            "(signed char)(w >> 8 & 255),\n"
            "                               (signed char)(w >> 16 & 255), "
            "(signed char)(w >> 24));\n",
        ),
        ("THREADS = 128;", "THREADS = 96;"),
    ),
    # A function of the library takes both, and threads are as many as numbers.
    Right(
        "eightyone_brain_idle_threads",
        "eightyone_brain",
        (
            "    __nv_bfloat162 w;\n"
            "    w.x = __float2bfloat16(v.x);\n"
            "    w.y = __float2bfloat16(v.y);\n",
            "    __nv_bfloat162 w = __floats2bfloat162_rn(v.x, v.y);\n",
        ),
        ("int threads = (n + 1) / 2;", "int threads = n;"),
    ),
    # The index has no sign, and x is taken out of the sum.
    Right(
        "eightyone_gelu_unsigned",
        "eightyone_gelu",
        ("(x + 0.044715f * x * x * x)", "x * (1.0f + 0.044715f * x * x)"),
        ("    int i = blockIdx.x", "    uint32_t i = blockIdx.x"),
        ("    if (i < n)", "    if (i < (uint32_t)n)"),
    ),
    # The larger of x and 0, and what is missing.
    Right(
        "eightyone_plus_what_is_missing",
        "eightyone_plus",
        (
            "return v > 20.0f ? v : log1pf(expf(v));",
            "return fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)));",
        ),
    ),
    # The larger of both, and enough threads for a whole pack behind.
    Right(
        "eightyone_magnitude_larger_of_both",
        "eightyone_magnitude",
        ("(int16_t)(v < 0 ? -v : v)", "(int16_t)max(v, -v)"),
        ("n / 8 + n % 8;", "n / 8 + 7;"),
    ),
    # A kernel sets the sum to 0, and blocks have four warps.
    Right(
        "eightyone_total_set_by_a_kernel",
        "eightyone_total",
        (
            "__global__ void total(",
            "__global__ void clear(float* out) { *out = 0.0f; }\n\n__global__ void total(",
        ),
        (
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(out);",
        ),
        ("(n + 255) / 256;", "(n + 127) / 128;"),
        ("total<<<blocks, 256, 0", "total<<<blocks, 128, 0"),
    ),
    # Sixteen threads share a column, and there is an idle block at times.
    Right(
        "eightyone_largest_sixteen",
        "eightyone_largest",
        ("#define TY 8", "#define TY 16"),
        ("(cols + TX - 1) / TX, block", "cols / TX + 1, block"),
    ),
    # Each block has two warps, and only values from shuffles down are used.
    Right(
        "eightyone_argmin_down",
        "eightyone_argmin",
        ("__shfl_xor_sync(0xffffffff, best, d)", "__shfl_down_sync(0xffffffff, best, d)"),
        ("__shfl_xor_sync(0xffffffff, at, d)", "__shfl_down_sync(0xffffffff, at, d)"),
        ("const int warps = 4;", "const int warps = 2;"),
    ),
    # A thread moves two bytes, and the tile is turned on the way in.
    Right(
        "eightyone_flip_turned_on_the_way_in",
        "eightyone_flip",
        ("#define STEP 8", "#define STEP 16"),
        ("tile[k][threadIdx.x] = in", "tile[threadIdx.x][k] = in"),
        ("= tile[threadIdx.x][k];", "= tile[k][threadIdx.x];"),
    ),
    # The tile of b is turned on the way in, and has a column more.
    Right(
        "eightyone_cross_turned_on_the_way_in",
        "eightyone_cross",
        ("float bs[B][B];", "float bs[B][B + 1];"),
        ("    bs[ty][tx] = ", "    bs[tx][ty] = "),
        ("bs[tx][j];", "bs[j][tx];"),
    ),
    # The sum is found along with the largest.
    Right(
        "eightyone_columns_one_pass",
        "eightyone_columns",
        (
            "    float sum = 0.0f;\n    for (int r = 0; r < rows; r++) {\n",
            "    for (int r = 0; r < rows; r++) {\n",
        ),
        ("    float most = x[c];\n", "    float most = x[c];\n    float sum = 1.0f;\n"),
        (
            "r++)\n        most = fmaxf(most, x[(size_t)r * cols + c]);\n",
            "r++) {\n"
            "        float v = x[(size_t)r * cols + c];\n"
            "        if (v > most) {\n"
            "            sum = sum * expf(most - v) + 1.0f;\n"
            "            most = v;\n"
            "        } else {\n"
            "            sum += expf(v - most);\n"
            "        }\n"
            "    }\n",
        ),
        ("        sum += e;\n", ""),
    ),
    # Blocks have eight warps, and cols has 64 bits.
    Right(
        "eightyone_norm_eight_warps",
        "eightyone_norm",
        ("#define WARPS 4", "#define WARPS 8"),
        ("float eps, int rows, int cols, cuda", "float eps, int64_t rows, int64_t cols, cuda"),
        ("norm<<<rows, 32", "norm<<<(unsigned)rows, 32"),
        ("bias, y, eps, cols);", "bias, y, eps, (int)cols);"),
    ),
)
