"""Hold a ninety-seventh family: the plain operators of a course, as juniors write them.

Its bases are the sum of whole numbers, a factor for all, floats to signed bytes, whole numbers
to floats, the sigmoid of halves, hard swish, reciprocals, the sum of squares, the smallest of
each row, the largest of each column, log softmax, RMS norm, bytes turned, and a product of
matrices. They have 12 to 45 lines, and are of people in their first half year of CUDA. They use
int4 where all addresses allow it, a loop over a grid of at most 16 blocks, a number a thread,
four neighbours a thread, two numbers a block apart, float2 with a kernel for the odd one,
shuffles with an atomic a block, a warp a row, a tree that keeps NaN, one function for two
reductions, a tile of 32 and tiles of 16. Their mistakes are spread over alignment, sizes,
grids, block sizes, values, rounding, NaN, infinity, inputs that are written, sums, transposes,
products, order and streams. The causes were written before a member was judged.testing.cases`,
and the beginning of `kernel_cases`. HEADER is of `elementwise`, and `whole` of `twentysixth`.
There are 70 wrong members and 14 right ones. On the emulator each ran beside PyTorch, compared
as a case does, called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1
and 77 in others), with tensors at either end of their pages, the bytes behind them and their
inputs looked at afterwards, on a stream that is not the default one, with threads in order,
from the last to the first and in a random order, and in the slices that the cases name. Bases
and right ones ran all cases but those of more than 1,200,000 numbers; wrong ones until they
were wrong often enough. That blocks add without an atomic no order of theirs has shown here: it
is wrong by what is known of GPUs. nvcc 13.0 compiles each base and member for 8.0; none was run
on a GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    ninetyseven_plus_two_of_three           from 4 numbers on, by the address of b alone
    ninetyseven_plus_rest_too_short         unless 4 divides n and packs are taken
    ninetyseven_plus_packs_rounded_up       unless 4 divides n, where packs are taken
    ninetyseven_plus_third_again            from 4 numbers on, where packs are taken
    ninetyseven_plus_through_float          of sums that need more than 24 bits
    ninetyseven_times_stride_of_256         from 513 numbers on at 32
    ninetyseven_times_no_loop               from 513 numbers on at 32, from 4,097 at 256
    ninetyseven_times_one_too_many          of all sizes, by what lies behind the end
    ninetyseven_times_zero_is_zero          of NaN and infinities times 0
    ninetyseven_times_whole_factor          unless the factor is whole
    ninetyseven_small_truncated             of nearly all fractions
    ninetyseven_small_least_is_127          from -127.5 down
    ninetyseven_small_nan_is_least          of NaN
    ninetyseven_small_blocks_rounded_down   unless the block size divides n
    ninetyseven_small_no_test               unless the block size divides n
    ninetyseven_real_unsigned               of numbers below 0
    ninetyseven_real_toward_zero            of numbers that need more than 24 bits
    ninetyseven_real_whole_fours            unless 4 divides n
    ninetyseven_real_blocks_of_128          of smaller block sizes, from 129 numbers on at 32
    ninetyseven_real_no_stream              on another stream than the default one
    ninetyseven_sigmoid_overflows           from about 89 on
    ninetyseven_sigmoid_power_of_2          of nearly all but 0
    ninetyseven_sigmoid_nan_limited         of NaN
    ninetyseven_sigmoid_blocks_of_256       of other block sizes, from a second block on
    ninetyseven_sigmoid_at_most_64          from 2,049 numbers on at 32, from 16,385 at 256
    ninetyseven_swish_overflows             of very large numbers
    ninetyseven_swish_only_the_gate         of nearly all
    ninetyseven_swish_next_one              from a second number on
    ninetyseven_swish_whole_gate            between -3 and 3, unless the gate is a whole one
    ninetyseven_swish_half_the_blocks       from 257 numbers on at 128
    ninetyseven_flip_x_anywhere             from 2 numbers on, by the address of x
    ninetyseven_flip_odd_forgotten          of odd sizes
    ninetyseven_flip_last_no_stream         on another stream, of odd sizes
    ninetyseven_flip_first_again            from 2 numbers on
    ninetyseven_flip_zero_of_zero           of zeros
    ninetyseven_energy_not_set              unless the output is 0 before
    ninetyseven_energy_set_once             from a second call on
    ninetyseven_energy_no_atomic            from 1,024 numbers on, where blocks run at once
    ninetyseven_energy_seven_warps          from 225 numbers on
    ninetyseven_energy_from_8               from 17 numbers on
    ninetyseven_lowest_starts_at_0          of rows above 0
    ninetyseven_lowest_four_steps           from 17 columns on
    ninetyseven_lowest_pitch_of_rows        from 2 rows on, unless they are as many as columns
    ninetyseven_lowest_through_float        of numbers that need more than 24 bits
    ninetyseven_lowest_one_column_a_lane    from 33 columns on
    ninetyseven_peak_starts_at_flt_min      of columns that have nothing above 0
    ninetyseven_peak_nan_lost               of NaN
    ninetyseven_peak_last_step              from 2 rows on, if the largest is in an odd one
    ninetyseven_peak_rows_for_columns       of nearly all
    ninetyseven_peak_block_a_row            unless rows are as many as columns
    ninetyseven_logs_no_largest             of rows that are far from 0
    ninetyseven_logs_starts_at_0            of rows that are far below 0
    ninetyseven_logs_largest_forgotten      unless the largest is 0
    ninetyseven_logs_no_last_barrier        where threads do not wait for another
    ninetyseven_logs_less_in_place          unless the largest is 0: x is overwritten
    ninetyseven_rms_divided_by_rows         unless rows are as many as columns
    ninetyseven_rms_gain_of_row             unless the gains are alike
    ninetyseven_rms_shuffles_down           from 2 columns on
    ninetyseven_rms_no_eps                  of rows of zeros, and of small ones
    ninetyseven_rms_rows_rounded_down       unless 4 divides the rows
    ninetyseven_turn_no_barrier             where threads do not wait for another
    ninetyseven_turn_tile_as_it_is          of nearly all
    ninetyseven_turn_pitch_of_input         unless the matrix is square
    ninetyseven_turn_grid_swapped           unless the tiles are as many each way
    ninetyseven_turn_steps_of_16            from 9 columns on
    ninetyseven_product_pitch_of_a          unless n and k are alike
    ninetyseven_product_last_tile_left_out  unless 16 divides k
    ninetyseven_product_no_second_barrier   from k = 17 on, where threads do not wait
    ninetyseven_product_second_turned       of nearly all
    ninetyseven_product_added               unless c is 0 before
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.references import REFERENCES
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Sums of whole numbers, int4 where all three addresses allow it.
PLUS = (
    HEADER
    + """\
__device__ int sum_of(int p, int q) { return p + q; }

__device__ int4 sum_of4(int4 u, int4 v) {
  return make_int4(sum_of(u.x, v.x), sum_of(u.y, v.y), sum_of(u.z, v.z), sum_of(u.w, v.w));
}

__global__ void plus(const int* a, const int* b, int* c, int packs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < packs) ((int4*)c)[i] = sum_of4(((const int4*)a)[i], ((const int4*)b)[i]);
  int rest = 4 * packs + i;
  if (rest < n) c[rest] = sum_of(a[rest], b[rest]);
}

static bool round16(const void* p) { return (uintptr_t)p % 16 == 0; }

extern "C" void launch(const int* a,  // [n]
                       const int* b,  // [n]
                       int* c,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  if (n == 0) return;
  bool wide = round16(a) && round16(b) && round16(c);
  int packs = wide ? n / 4 : 0;
  int threads = wide ? packs + 1 : n;
  plus<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, c, packs, n);
}
"""
)

# A factor for all, a loop over a grid of at most 16 blocks.
TIMES = (
    HEADER
    + """\
__global__ void times(const float *x, float *y, float factor, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += stride)
        y[i] = factor * x[i];
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       float factor, int n, int block_size = 256,
                       cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > 16)
        blocks = 16;
    times<<<blocks, block_size, 0, stream>>>(x, y, factor, n);
}
"""
)

# Floats to signed bytes: the nearest, limits for what is beyond, 0 for NaN.
SMALL = (
    HEADER
    + """\
__device__ int8_t squeeze(float v) {
  if (isnan(v)) return 0;
  v = rintf(v);
  if (v > 127.0f) v = 127.0f;
  if (v < -128.0f) v = -128.0f;
  return (int8_t)(int)v;
}

__global__ void to_small(const float* in, int8_t* out, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    out[i] = squeeze(in[i]);
}

extern "C" void launch(const float* in,  // [n]
                       int8_t* out,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  to_small<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Whole numbers to floats, four neighbours a thread.
REAL = (
    HEADER
    + """\
#define EACH 4

__global__ void real(const int* x, float* y, int n) {
    int begin = EACH * (blockIdx.x * blockDim.x + threadIdx.x);
    int end = min(begin + EACH, n);
    for (int i = begin; i < end; ++i) {
        y[i] = (float)x[i];
    }
}

extern "C" void launch(const int* x,  // [n]
                       float* y,      // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
    int per_block = EACH * block_size;
    int blocks = (n + per_block - 1) / per_block;
    if (blocks > 0) {
        real<<<blocks, block_size, 0, stream>>>(x, y, n);
    }
}
"""
)

# The sigmoid of halves, with an exponential that cannot overflow.
SIGMOID = (
    HEADER
    + """\
__global__ void sigmoid(const half* __restrict__ x, half* __restrict__ y, int n)
{
  int t = threadIdx.x + blockDim.x * blockIdx.x;
  if (t >= n)
    return;
  float v = __half2float(x[t]);
  float e = expf(-fabsf(v));
  float s = v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e);
  y[t] = __float2half(s);
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
  if (n <= 0)
    return;
  int blocks = (n - 1) / block_size + 1;
  sigmoid<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Hard swish of floats, two numbers a thread, a block apart.
SWISH = (
    HEADER
    + """\
__device__ float hard_swish(float v)
{
    float c = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);
    return v * (c / 6.0f);
}

__global__ void swish_two(const float *src, float *dst, size_t count)
{
    size_t at = 2 * (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count)
        dst[at] = hard_swish(src[at]);
    at += blockDim.x;
    if (at < count)
        dst[at] = hard_swish(src[at]);
}

extern "C" void launch(const float *src,  // [n]
                       float *dst,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int share = 2 * block_size;
    int grid = (n + share - 1) / share;
    if (grid)
        swish_two<<<grid, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Reciprocals in float2, the odd one by a kernel of its own.
FLIP = (
    HEADER
    + """\
__device__ float one_over(float v) { return 1.0f / v; }

__global__ void flip_pairs(const float2* x, float2* y, int pairs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  float2 u = x[p];
  float2 r;
  r.x = one_over(u.x);
  r.y = one_over(u.y);
  y[p] = r;
}

__global__ void flip_last(const float* x, float* y) { *y = one_over(*x); }

extern "C" void launch(const float* x,  // [n] 8-byte aligned
                       float* y,        // [n] 8-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0) {
  int pairs = n / 2;
  int blocks = (pairs + block_size - 1) / block_size;
  if (pairs > 0)
    flip_pairs<<<blocks, block_size, 0, stream>>>((const float2*)x, (float2*)y, pairs);
  if (n % 2 == 1) flip_last<<<1, 1, 0, stream>>>(x + n - 1, y + n - 1);
}
"""
)

# The sum of squares: shuffles, a part a warp, an atomic a block.
ENERGY = (
    HEADER
    + """\
__global__ void set_zero(float* out) { out[0] = 0.0f; }

__global__ void energy(const float* x, float* out, int n) {
  __shared__ float part[8];
  float s = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    s += x[i] * x[i];
  for (int d = 16; d > 0; d /= 2)
    s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int w = 0; w < 8; w++)
      sum += part[w];
    atomicAdd(out, sum);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = n / 1024 + 1;
  if (blocks > 60)
    blocks = 60;
  set_zero<<<1, 1, 0, stream>>>(out);
  energy<<<blocks, 256, 0, stream>>>(x, out, n);
}
"""
)

# The smallest of each row, a warp a row, shuffles across.
LOWEST = (
    HEADER
    + """\
#define ROWS 4

__global__ void lowest(const int *m, int *low, int rows, int cols)
{
    int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= rows)
        return;
    int best = 0x7fffffff;
    for (int c = threadIdx.x; c < cols; c += 32)
        best = min(best, m[(size_t)row * cols + c]);
    for (int d = 1; d < 32; d *= 2)
        best = min(best, __shfl_xor_sync(0xffffffff, best, d));
    if (threadIdx.x == 0)
        low[row] = best;
}

extern "C" void launch(const int *m,  // [rows, cols]
                       int *low,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + ROWS - 1) / ROWS;
    lowest<<<blocks, dim3(32, ROWS), 0, stream>>>(m, low, rows, cols);
}
"""
)

# The largest of each column, a block a column, a tree that keeps NaN.
PEAK = (
    HEADER
    + """\
#define T 128

__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void peak(const float* x, float* y, int rows, int cols) {
  __shared__ float s[T];
  int col = blockIdx.x;
  int t = threadIdx.x;
  float best = -INFINITY;
  for (int r = t; r < rows; r += T) best = larger(best, x[(size_t)r * cols + col]);
  s[t] = best;
  __syncthreads();
  for (int h = T / 2; h > 0; h >>= 1) {
    if (t < h) s[t] = larger(s[t], s[t + h]);
    __syncthreads();
  }
  if (t == 0) y[col] = s[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  peak<<<cols, T, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Log softmax, a block a row, one function for both reductions.
LOGS = (
    HEADER
    + """\
#define N 128

__device__ float together(float v, float *s, bool largest)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int h = N / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] = largest ? fmaxf(s[t], s[t + h]) : s[t] + s[t + h];
        __syncthreads();
    }
    float all = s[0];
    __syncthreads();
    return all;
}

__global__ void logs(const float *x, float *y, int cols)
{
    __shared__ float s[N];
    const float *row = x + (size_t)blockIdx.x * cols;
    float m = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += N)
        m = fmaxf(m, row[c]);
    float top = together(m, s, true);
    for (int c = threadIdx.x; c < cols; c += N)
        sum += expf(row[c] - top);
    float log_sum = logf(together(sum, s, false));
    for (int c = threadIdx.x; c < cols; c += N)
        y[(size_t)blockIdx.x * cols + c] = row[c] - top - log_sum;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    logs<<<rows, N, 0, stream>>>(x, y, cols);
}
"""
)

# RMS norm of floats, a warp a row.
RMS = (
    HEADER
    + """\
constexpr int kWarps = 4;

__global__ void rms(const float* x, const float* g, float* y, float eps, int rows, int cols) {
  int lane = threadIdx.x;
  int row = blockIdx.x * kWarps + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float* out = y + (size_t)row * cols;
  float sq = 0.0f;
  for (int c = lane; c < cols; c += 32) sq += in[c] * in[c];
  for (int d = 16; d > 0; d >>= 1) sq += __shfl_xor_sync(0xffffffff, sq, d);
  float f = rsqrtf(sq / cols + eps);
  for (int c = lane; c < cols; c += 32) out[c] = in[c] * f * g[c];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       const float* g,  // [cols]
                       float* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, kWarps);
  int grid = (rows + kWarps - 1) / kWarps;
  rms<<<grid, block, 0, stream>>>(x, g, y, eps, rows, cols);
}
"""
)

# Bytes turned by a tile of 32, eight rows of threads.
TURN = (
    HEADER
    + """\
__global__ void turn(const uint8_t *in, uint8_t *out, int h, int w)
{
    __shared__ uint8_t tile[32][33];
    int x = threadIdx.x;
    int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        if (r0 + k < h && c0 + x < w)
            tile[k][x] = in[(size_t)(r0 + k) * w + c0 + x];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        if (c0 + j < w && r0 + x < h)
            out[(size_t)(c0 + j) * h + r0 + x] = tile[x][j];
    }
}

extern "C" void launch(const uint8_t *in,  // [h, w]
                       uint8_t *out,       // [w, h]
                       int h, int w, cudaStream_t stream = 0)
{
    dim3 grid((w + 31) / 32, (h + 31) / 32);
    turn<<<grid, dim3(32, 8), 0, stream>>>(in, out, h, w);
}
"""
)

# The product of matrices by tiles of 16, zeros beyond the sides.
PRODUCT = (
    HEADER
    + """\
#define S 16

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[S][S];
  __shared__ float tb[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty;
  int col = blockIdx.x * S + tx;
  float sum = 0.0f;
  for (int q = 0; q < k; q += S) {
    ta[ty][tx] = row < m && q + tx < k ? a[(size_t)row * k + q + tx] : 0.0f;
    tb[ty][tx] = q + ty < k && col < n ? b[(size_t)(q + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int j = 0; j < S && q + j < k; j++) sum += ta[ty][j] * tb[j][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  product<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512)
LENGTHS += (513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (2, 130), (1000, 3))
FLOAT = (torch.float32,)


def sums_of_whole(launcher: Launcher) -> Iterator[Case]:
    """Add as any operator is tried, and slices of which one is not at a round address."""
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 257, 1000, 4099):
        for offset in ((4, 8, 4), (1, 4, 4), (4, 1, 4), (4, 4, 1)):
            yield make.shifted(n, 8, offset)


def scalings(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers by exact factors: usual, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, p in (
            ("usual", x),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinities", torch.where(j % 3 == 1, -INF, torch.where(j % 3 == 2, INF, x))),
            ("NaN", torch.where(j % 3 == 0, NAN, x)),
        ):
            for factor in (2.5, -0.75, 0.0):
                for block_size in (256, 32):
                    scalars = {"factor": factor, "block_size": block_size}
                    right = p.double() * factor
                    words = f"n = {n:,}, {scalars}, {label}"
                    options = {"dtypes": FLOAT, "quick": n > 5000}
                    yield Case(words, (p,), (right,), scalars, **options)


def squeezes(launcher: Launcher) -> Iterator[Case]:
    """Squeeze quarters, ties, large numbers, infinities and NaN into bytes."""
    for n in (*LENGTHS, 9_001, 70_001):
        x, j = whole(-700, 700, n, n).float() / 4, torch.arange(n)
        for label, p in (
            ("quarters", x),
            ("ties", (x * 4).floor() / 4 + 0.5),
            ("about the limits", torch.where(j % 2 == 0, 126.0, -129.5) + j % 7 * 0.5),
            ("large", x * 1e30),
            ("infinities", torch.where(j % 2 == 0, INF, -INF)),
            ("NaN", torch.where(j % 3 == 0, NAN, x)),
        ):
            right = p.double().round().clamp(-128, 127).nan_to_num(0.0)
            for block_size in (128, 32):
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.int8,), "quick": n > 5000}
                scalars = {"block_size": block_size}
                yield Case(words, (p.float(),), (right,), scalars, **options)


def row_lows(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, all above 0, all below, large odd ones, the last alone."""
    for rows, cols in (*SIDES, *((7, c) for c in range(3, 70, 3))):
        x = whole(-9999, 10000, rows * cols, rows + cols).reshape(rows, cols)
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("large and odd", x.abs() * 2 + 2_000_000_001),
            ("far below 0", x.abs() * -2 - 2_000_000_001),
            ("the most", x * 0 + 0x7FFFFFFF),
            ("the last alone", torch.where(c == cols - 1, -20_000, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (y.amin(1),), dtypes=(torch.int32,))


def column_peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, all below 0, small, infinities, NaN, the last alone."""
    for rows, cols in (*SIDES, *((r, 5) for r in range(2, 70, 3)), (129, 4), (257, 3)):
        x = whole(-9999, 10000, rows * cols, rows + cols).reshape(rows, cols).float()
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("-infinity", x * 0 - INF),
            ("infinities", torch.where(r % 2 == 0, -INF, x)),
            ("NaN", torch.where((r + torch.arange(cols)) % 5 == 2, NAN, x)),
            ("the last alone", torch.where(r == rows - 1, 20_000.0, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(0),), dtypes=FLOAT)


def log_shares(launcher: Launcher) -> Iterator[Case]:
    """Take log softmax of quarters: any, zeros, far above and below 0, one that stands out."""
    for rows, cols in (*SIDES, (2, 257), (2, 300), *((3, c) for c in range(3, 70, 3))):
        x = whole(-40, 41, rows * cols, rows + cols).reshape(rows, cols).float() / 4
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("far above 0", x + 500),
            ("far below 0", x - 500),
            ("the last stands out", torch.where(c == cols - 1, 30.0, x)),
            ("NaN in the first row", torch.where(torch.arange(rows)[:, None] == 0, NAN, x)),
        ):
            right = y.double().log_softmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            off = (1e-5 + 1e-6 * right.abs()).nan_to_num(0.0)
            yield Case(words, (y,), (right,), dtypes=FLOAT, ulp=4, within=(off,))


def rms_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm quarters: any, zeros, small, large, all below 0, NaN in the first row."""
    for rows, cols in (*SIDES, *((7, c) for c in range(3, 70, 3))):
        x = whole(-40, 41, rows * cols, rows + cols).reshape(rows, cols).float() / 4
        g = whole(1, 9, cols, cols).float() / 4
        for label, y, eps in (
            ("any", x, 1e-5),
            ("a large eps", x, 2.0),
            ("zeros", x * 0, 1e-5),
            ("small", x / 1024, 1e-5),
            ("large", x * 1024, 1e-5),
            ("below 0", -x.abs() - 1, 1e-5),
            ("NaN", torch.where(torch.arange(rows)[:, None] == 0, NAN, x), 1e-5),
        ):
            z = y.double()
            right = z / (z.square().mean(1, keepdim=True) + eps).sqrt() * g.double()
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, (y, g), (right,), {"eps": eps}, dtypes=FLOAT, ulp=24)


def turned(launcher: Launcher) -> Iterator[Case]:
    """Turn bytes: any ones, and ones that tell their row."""
    for h, w in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15)):
        x = whole(0, 256, h * w, h + 3 * w).reshape(h, w)
        rows = (torch.arange(h)[:, None] + torch.zeros(1, w, dtype=torch.int64)) % 251
        for label, y in (("any", x), ("rows", rows)):
            words = f"h = {h:,}, w = {w:,}, {label}"
            inputs = (y.to(torch.uint8),)
            yield Case(words, inputs, (y.T.contiguous(),), dtypes=(torch.uint8,))


BASES = {
    "ninetyseven_plus": Base(PLUS, {"cases": sums_of_whole}),
    "ninetyseven_times": Base(TIMES, {"cases": scalings}),
    "ninetyseven_small": Base(SMALL, {"cases": squeezes}),
    "ninetyseven_real": Base(REAL, {"reference": "cast"}),
    "ninetyseven_sigmoid": Base(SIGMOID, {"reference": torch.sigmoid, "ulp": 1}),
    "ninetyseven_swish": Base(
        SWISH, {"reference": lambda x: x * ((x + 3).clamp(0, 6) / 6), "ulp": 2}
    ),
    "ninetyseven_flip": Base(FLIP, {"reference": lambda x: 1 / x, "ulp": 1}),
    "ninetyseven_energy": Base(
        ENERGY, cases="whole_array", function=lambda x: x.square().sum()
    ),
    "ninetyseven_lowest": Base(LOWEST, {"cases": row_lows}),
    "ninetyseven_peak": Base(PEAK, {"cases": column_peaks}),
    "ninetyseven_logs": Base(LOGS, {"cases": log_shares}),
    "ninetyseven_rms": Base(RMS, {"cases": rms_rows}),
    "ninetyseven_turn": Base(TURN, {"cases": turned}),
    "ninetyseven_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- plus
    # Two of three addresses are tested.
    Wrong(
        "ninetyseven_plus_two_of_three",
        "ninetyseven_plus",
        "alignment",
        ("round16(a) && round16(b) && round16(c)", "round16(a) && round16(c)"),
    ),
    # The rest ends one too early.
    Wrong(
        "ninetyseven_plus_rest_too_short",
        "ninetyseven_plus",
        "tail / unwritten | left out",
        ("if (rest < n)", "if (rest < n - 1)"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "ninetyseven_plus_packs_rounded_up",
        "ninetyseven_plus",
        "bounds / tail | alignment",
        ("wide ? n / 4 : 0", "wide ? (n + 3) / 4 : 0"),
    ),
    # The fourth sum takes the third of b.
    Wrong(
        "ninetyseven_plus_third_again",
        "ninetyseven_plus",
        "other element | numbers / twice / left out",
        ("sum_of(u.w, v.w)", "sum_of(u.w, v.z)"),
    ),
    # The sum is a float's.
    Wrong(
        "ninetyseven_plus_through_float",
        "ninetyseven_plus",
        "precision | rounding / whole range / numbers / narrow",
        ("return p + q;", "return (int)((float)p + (float)q);"),
    ),
    # ---- times
    # The stride is that of the usual block size.
    Wrong(
        "ninetyseven_times_stride_of_256",
        "ninetyseven_times",
        "block size | unwritten / left out / grid / nan",
        ("stride = gridDim.x * blockDim.x", "stride = gridDim.x * 256"),
    ),
    # One number a thread, though blocks are at most 16.
    Wrong(
        "ninetyseven_times_no_loop",
        "ninetyseven_times",
        "grid / left out / unwritten | tail / nan",
        (
            "    for (int i = first; i < n; i += stride)\n        y[i] =",
            "    int i = first;\n    if (i < n)\n        y[i] =",
        ),
    ),
    # One number too many.
    Wrong(
        "ninetyseven_times_one_too_many",
        "ninetyseven_times",
        "bounds",
        ("i < n; i += stride", "i <= n; i += stride"),
    ),
    # 0 times anything is taken for 0.
    Wrong(
        "ninetyseven_times_zero_is_zero",
        "ninetyseven_times",
        "nan / infinity | sign of zero / numbers",
        ("= factor * x[i]", "= factor == 0.0f ? 0.0f : factor * x[i]"),
    ),
    # The kernel takes the factor as an int.
    Wrong(
        "ninetyseven_times_whole_factor",
        "ninetyseven_times",
        "rounding / function | numbers / nan / precision",
        (
            "float *y, float factor, int n)\n{\n    const",
            "float *y, int factor, int n)\n{\n    const",
        ),
    ),
    # ---- small
    # Fractions are cut off.
    Wrong(
        "ninetyseven_small_truncated",
        "ninetyseven_small",
        "rounding | numbers",
        ("  v = rintf(v);\n", ""),
    ),
    # The lower limit is -127.
    Wrong(
        "ninetyseven_small_least_is_127",
        "ninetyseven_small",
        "whole range | numbers / infinity",
        ("if (v < -128.0f) v = -128.0f;", "if (v < -127.0f) v = -127.0f;"),
    ),
    # NaN runs into a limit.
    Wrong(
        "ninetyseven_small_nan_is_least",
        "ninetyseven_small",
        "nan",
        (
            "  if (isnan(v)) return 0;\n"
            "  v = rintf(v);\n"
            "  if (v > 127.0f) v = 127.0f;\n"
            "  if (v < -128.0f) v = -128.0f;\n",
            "  v = fminf(fmaxf(rintf(v), -128.0f), 127.0f);\n",
        ),
    ),
    # Blocks are rounded down.
    Wrong(
        "ninetyseven_small_blocks_rounded_down",
        "ninetyseven_small",
        "grid / tail / unwritten / refused / left out",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # No thread tests its index.
    Wrong(
        "ninetyseven_small_no_test",
        "ninetyseven_small",
        "bounds",
        ("  if (i < n)\n    out[i]", "  out[i]"),
    ),
    # ---- real
    # Numbers below 0 are read as large ones.
    Wrong(
        "ninetyseven_real_unsigned",
        "ninetyseven_real",
        "whole range | numbers",
        ("(float)x[i]", "(float)(unsigned)x[i]"),
    ),
    # Rounded toward 0.
    Wrong(
        "ninetyseven_real_toward_zero",
        "ninetyseven_real",
        "rounding | precision",
        ("(float)x[i]", "__int2float_rz(x[i])"),
    ),
    # Only whole fours are written.
    Wrong(
        "ninetyseven_real_whole_fours",
        "ninetyseven_real",
        "tail / unwritten / left out | nan",
        (
            "int end = min(begin + EACH, n);",
            "int end = begin + EACH <= n ? begin + EACH : begin;",
        ),
    ),
    # Blocks are counted for 128 threads.
    Wrong(
        "ninetyseven_real_blocks_of_128",
        "ninetyseven_real",
        "block size / grid | unwritten / left out / tail / nan",
        ("per_block = EACH * block_size", "per_block = EACH * 128"),
    ),
    # The stream is forgotten.
    Wrong(
        "ninetyseven_real_no_stream",
        "ninetyseven_real",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- sigmoid
    # The exponential of large numbers is infinite, and divided by itself.
    Wrong(
        "ninetyseven_sigmoid_overflows",
        "ninetyseven_sigmoid",
        "infinity | nan / numbers",
        ("expf(-fabsf(v))", "expf(v)"),
        ("v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e)", "e / (1.0f + e)"),
    ),
    # The power of 2 stands for that of e.
    Wrong(
        "ninetyseven_sigmoid_power_of_2",
        "ninetyseven_sigmoid",
        "function | numbers",
        ("expf(-fabsf(v))", "exp2f(-fabsf(v))"),
    ),
    # Limits swallow NaN.
    Wrong(
        "ninetyseven_sigmoid_nan_limited",
        "ninetyseven_sigmoid",
        "nan",
        ("= __half2float(x[t]);", "= fminf(fmaxf(__half2float(x[t]), -30.0f), 30.0f);"),
    ),
    # The index is that of blocks of 256.
    Wrong(
        "ninetyseven_sigmoid_blocks_of_256",
        "ninetyseven_sigmoid",
        "block size | unwritten / left out / tail / nan",
        ("threadIdx.x + blockDim.x * blockIdx.x", "threadIdx.x + 256 * blockIdx.x"),
    ),
    # At most 64 blocks, without a loop.
    Wrong(
        "ninetyseven_sigmoid_at_most_64",
        "ninetyseven_sigmoid",
        "grid / left out / unwritten | tail / nan",
        ("(n - 1) / block_size + 1;", "min((n - 1) / block_size + 1, 64);"),
    ),
    # ---- swish
    # The product is taken before the division.
    Wrong(
        "ninetyseven_swish_overflows",
        "ninetyseven_swish",
        "infinity | numbers",
        ("v * (c / 6.0f)", "v * c / 6.0f"),
    ),
    # The number itself is forgotten.
    Wrong(
        "ninetyseven_swish_only_the_gate",
        "ninetyseven_swish",
        "function / left out | numbers / nan / infinity",
        ("v * (c / 6.0f)", "c / 6.0f"),
    ),
    # The second number is the neighbour of the first.
    Wrong(
        "ninetyseven_swish_next_one",
        "ninetyseven_swish",
        "unwritten / left out | twice / other element / nan",
        ("at += blockDim.x;", "at += 1;"),
    ),
    # The gate is divided as an int.
    Wrong(
        "ninetyseven_swish_whole_gate",
        "ninetyseven_swish",
        "rounding | function / numbers / precision",
        ("v * (c / 6.0f)", "v * ((int)c / 6)"),
    ),
    # Blocks are counted for four numbers a thread.
    Wrong(
        "ninetyseven_swish_half_the_blocks",
        "ninetyseven_swish",
        "grid / left out / unwritten | tail / nan / block size",
        ("share = 2 * block_size", "share = 4 * block_size"),
    ),
    # ---- flip
    # x may lie anywhere.
    Wrong(
        "ninetyseven_flip_x_anywhere",
        "ninetyseven_flip",
        "alignment",
        ("const float* x,  // [n] 8-byte aligned", "const float* x,  // [n]"),
    ),
    # The odd one is forgotten.
    Wrong(
        "ninetyseven_flip_odd_forgotten",
        "ninetyseven_flip",
        "tail / unwritten / left out | nan",
        ("  if (n % 2 == 1) flip_last<<<1, 1, 0, stream>>>(x + n - 1, y + n - 1);\n", ""),
    ),
    # The odd one is launched on the default stream.
    Wrong(
        "ninetyseven_flip_last_no_stream",
        "ninetyseven_flip",
        "stream",
        ("flip_last<<<1, 1, 0, stream>>>", "flip_last<<<1, 1>>>"),
    ),
    # Both of a pair are made of its first.
    Wrong(
        "ninetyseven_flip_first_again",
        "ninetyseven_flip",
        "other element | numbers / twice / left out",
        ("one_over(u.y)", "one_over(u.x)"),
    ),
    # 0 is kept from being divided by.
    Wrong(
        "ninetyseven_flip_zero_of_zero",
        "ninetyseven_flip",
        "infinity | numbers / sign of zero",
        ("return 1.0f / v;", "return v == 0.0f ? 0.0f : 1.0f / v;"),
    ),
    # ---- energy
    # The output is not set to 0.
    Wrong(
        "ninetyseven_energy_not_set",
        "ninetyseven_energy",
        "zero before / state | numbers / nan / start",
        ("  set_zero<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # The output is set to 0 by the first call alone.
    Wrong(
        "ninetyseven_energy_set_once",
        "ninetyseven_energy",
        "state / zero before | numbers / nan / start",
        (
            "  set_zero<<<1, 1, 0, stream>>>(out);\n",
            "  static bool is_set = false;\n"
            "  if (!is_set) set_zero<<<1, 1, 0, stream>>>(out);\n"
            "  is_set = true;\n",
        ),
    ),
    # Blocks add without an atomic.
    Wrong(
        "ninetyseven_energy_no_atomic",
        "ninetyseven_energy",
        "race | left out / numbers",
        ("atomicAdd(out, sum);", "out[0] += sum;"),
    ),
    # The last warp is left out.
    Wrong(
        "ninetyseven_energy_seven_warps",
        "ninetyseven_energy",
        "left out | numbers",
        ("w < 8; w++", "w < 7; w++"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "ninetyseven_energy_from_8",
        "ninetyseven_energy",
        "left out | numbers",
        ("int d = 16; d > 0", "int d = 8; d > 0"),
    ),
    # ---- lowest
    # The smallest begins with 0.
    Wrong(
        "ninetyseven_lowest_starts_at_0",
        "ninetyseven_lowest",
        "start | numbers",
        ("int best = 0x7fffffff;", "int best = 0;"),
    ),
    # Half of the lanes are left out.
    Wrong(
        "ninetyseven_lowest_four_steps",
        "ninetyseven_lowest",
        "left out | numbers",
        ("d < 32; d *= 2", "d < 16; d *= 2"),
    ),
    # Rows have the pitch of columns.
    Wrong(
        "ninetyseven_lowest_pitch_of_rows",
        "ninetyseven_lowest",
        "sides / other element / bounds / swapped | numbers / left out",
        ("m[(size_t)row * cols + c]", "m[(size_t)row * rows + c]"),
    ),
    # Numbers are compared as floats.
    Wrong(
        "ninetyseven_lowest_through_float",
        "ninetyseven_lowest",
        "precision | rounding / numbers / whole range / narrow",
        (
            "min(best, m[(size_t)row * cols + c])",
            "(int)fminf((float)best, (float)m[(size_t)row * cols + c])",
        ),
    ),
    # A lane takes one column.
    Wrong(
        "ninetyseven_lowest_one_column_a_lane",
        "ninetyseven_lowest",
        "left out / tail | numbers",
        (
            "    for (int c = threadIdx.x; c < cols; c += 32)\n",
            "    int c = threadIdx.x;\n    if (c < cols)\n",
        ),
    ),
    # ---- peak
    # The largest begins with the smallest number above 0.
    Wrong(
        "ninetyseven_peak_starts_at_flt_min",
        "ninetyseven_peak",
        "start | numbers",
        ("float best = -INFINITY;", "float best = FLT_MIN;"),
    ),
    # fmaxf loses NaN.
    Wrong(
        "ninetyseven_peak_nan_lost",
        "ninetyseven_peak",
        "nan",
        ("return a > b || a != a ? a : b;", "return fmaxf(a, b);"),
    ),
    # The last step of the tree is left out.
    Wrong(
        "ninetyseven_peak_last_step",
        "ninetyseven_peak",
        "left out | numbers",
        ("h > 0; h >>= 1", "h > 1; h >>= 1"),
    ),
    # The matrix is read as if it were turned.
    Wrong(
        "ninetyseven_peak_rows_for_columns",
        "ninetyseven_peak",
        "sides / other element / swapped | numbers",
        ("x[(size_t)r * cols + col]", "x[(size_t)col * rows + r]"),
    ),
    # As many blocks as rows.
    Wrong(
        "ninetyseven_peak_block_a_row",
        "ninetyseven_peak",
        "sides / grid / bounds / unwritten | swapped / left out / nan / tail",
        ("peak<<<cols, T", "peak<<<rows, T"),
    ),
    # ---- logs
    # Nothing is taken away before the exponential.
    Wrong(
        "ninetyseven_logs_no_largest",
        "ninetyseven_logs",
        "infinity | numbers / nan / precision / subnormal",
        ("float top = together(m, s, true);", "float top = 0.0f;"),
    ),
    # The largest begins with 0.
    Wrong(
        "ninetyseven_logs_starts_at_0",
        "ninetyseven_logs",
        "start | numbers / infinity / nan / subnormal",
        ("float m = -INFINITY,", "float m = 0.0f,"),
    ),
    # The largest is not taken away from the result.
    Wrong(
        "ninetyseven_logs_largest_forgotten",
        "ninetyseven_logs",
        "function / left out | numbers",
        ("row[c] - top - log_sum", "row[c] - log_sum"),
    ),
    # The next reduction stores while others read the first.
    Wrong(
        "ninetyseven_logs_no_last_barrier",
        "ninetyseven_logs",
        "race | numbers / other element / nan / left out / infinity",
        ("float all = s[0];\n    __syncthreads();\n", "float all = s[0];\n"),
    ),
    # The largest is taken away where the row lies.
    Wrong(
        "ninetyseven_logs_less_in_place",
        "ninetyseven_logs",
        "input | state / numbers",
        ("__global__ void logs(const float *x,", "__global__ void logs(float *x,"),
        ("    const float *row = x", "    float *row = x"),
        (
            "        sum += expf(row[c] - top);",
            "    {\n        row[c] -= top;\n        sum += expf(row[c]);\n    }",
        ),
        ("row[c] - top - log_sum", "row[c] - log_sum"),
        ("stream>>>(x, y, cols)", "stream>>>((float *)x, y, cols)"),
    ),
    # ---- rms
    # The mean is over the rows.
    Wrong(
        "ninetyseven_rms_divided_by_rows",
        "ninetyseven_rms",
        "sides / function | numbers / swapped",
        ("rsqrtf(sq / cols + eps)", "rsqrtf(sq / rows + eps)"),
    ),
    # The gain is that of the row.
    Wrong(
        "ninetyseven_rms_gain_of_row",
        "ninetyseven_rms",
        "other element / bounds / sides | numbers",
        ("* f * g[c]", "* f * g[row]"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "ninetyseven_rms_shuffles_down",
        "ninetyseven_rms",
        "left out / twice / other element | numbers / function",
        ("__shfl_xor_sync(0xffffffff, sq, d)", "__shfl_down_sync(0xffffffff, sq, d)"),
    ),
    # The small number is forgotten.
    Wrong(
        "ninetyseven_rms_no_eps",
        "ninetyseven_rms",
        "function / left out / nan | numbers / infinity",
        ("rsqrtf(sq / cols + eps)", "rsqrtf(sq / cols)"),
    ),
    # Blocks are rounded down.
    Wrong(
        "ninetyseven_rms_rows_rounded_down",
        "ninetyseven_rms",
        "grid / tail / unwritten / refused / left out | nan",
        ("(rows + kWarps - 1) / kWarps", "rows / kWarps"),
    ),
    # ---- turn
    # The tile is read before it is full.
    Wrong(
        "ninetyseven_turn_no_barrier",
        "ninetyseven_turn",
        "race | numbers / unwritten / other element / left out / state",
        ("    __syncthreads();\n", ""),
    ),
    # Tiles change places but are not turned.
    Wrong(
        "ninetyseven_turn_tile_as_it_is",
        "ninetyseven_turn",
        "other element / swapped / sides | numbers / unwritten / copy / function",
        ("= tile[x][j];", "= tile[j][x];"),
    ),
    # Rows of the result have the pitch of the input.
    Wrong(
        "ninetyseven_turn_pitch_of_input",
        "ninetyseven_turn",
        "sides / other element / bounds / swapped | numbers / unwritten / left out / race",
        ("out[(size_t)(c0 + j) * h + r0", "out[(size_t)(c0 + j) * w + r0"),
    ),
    # The grid is that of the result.
    Wrong(
        "ninetyseven_turn_grid_swapped",
        "ninetyseven_turn",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        ("grid((w + 31) / 32, (h + 31) / 32)", "grid((h + 31) / 32, (w + 31) / 32)"),
    ),
    # Every other eight rows are not stored.
    Wrong(
        "ninetyseven_turn_steps_of_16",
        "ninetyseven_turn",
        "unwritten / left out | numbers / tail",
        ("j < 32; j += blockDim.y", "j < 32; j += 16"),
    ),
    # ---- product
    # Rows of b have the pitch of a.
    Wrong(
        "ninetyseven_product_pitch_of_a",
        "ninetyseven_product",
        "sides / other element / bounds / swapped | numbers",
        ("b[(size_t)(q + ty) * n + col]", "b[(size_t)(q + ty) * k + col]"),
    ),
    # Only whole tiles of k are taken.
    Wrong(
        "ninetyseven_product_last_tile_left_out",
        "ninetyseven_product",
        "tail / left out | numbers",
        ("q < k; q += S", "q + S <= k; q += S"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "ninetyseven_product_no_second_barrier",
        "ninetyseven_product",
        "race | numbers / other element / left out / nan",
        ("tb[j][tx];\n    __syncthreads();\n", "tb[j][tx];\n"),
    ),
    # The tile of b is read as if it were turned.
    Wrong(
        "ninetyseven_product_second_turned",
        "ninetyseven_product",
        "other element / swapped | numbers / sides",
        ("* tb[j][tx]", "* tb[tx][j]"),
    ),
    # The sum is added to what c holds.
    Wrong(
        "ninetyseven_product_added",
        "ninetyseven_product",
        "zero before / state | numbers / nan / start",
        ("+ col] = sum;", "+ col] += sum;"),
    ),
)

RIGHT = (
    # Sums wrap as unsigned numbers.
    Right(
        "ninetyseven_plus_unsigned",
        "ninetyseven_plus",
        ("return p + q;", "return (int)((uint32_t)p + (uint32_t)q);"),
    ),
    # Indices have 64 bits.
    Right(
        "ninetyseven_times_long",
        "ninetyseven_times",
        (
            "float factor, int n)\n{\n    const int first =",
            "float factor, int64_t n)\n{\n    const int64_t first = (int64_t)",
        ),
        ("const int stride = gridDim.x", "const int64_t stride = (int64_t)gridDim.x"),
        ("for (int i = first;", "for (int64_t i = first;"),
        ("float factor, int n, int block_size", "float factor, int64_t n, int block_size"),
        ("    int blocks =", "    int64_t blocks ="),
        ("<<<blocks, block", "<<<(unsigned)blocks, block"),
    ),
    # A block more than are needed may be idle.
    Right(
        "ninetyseven_small_idle_block",
        "ninetyseven_small",
        ("(n + block_size - 1) / block_size", "n / block_size + 1"),
    ),
    # Indices are unsigned.
    Right(
        "ninetyseven_real_unsigned_indices",
        "ninetyseven_real",
        ("    int begin =", "    uint32_t begin ="),
        ("int end = min(begin + EACH, n);", "uint32_t end = min(begin + EACH, (uint32_t)n);"),
        ("for (int i = begin;", "for (uint32_t i = begin;"),
        ("(float)x[i]", "__int2float_rn(x[i])"),
    ),
    # One formula, in which an infinite exponential makes 0.
    Right(
        "ninetyseven_sigmoid_one_formula",
        "ninetyseven_sigmoid",
        ("expf(-fabsf(v))", "expf(-v)"),
        ("v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e)", "1.0f / (1.0f + e)"),
    ),
    # The launcher takes 64 bits, and so do all indices.
    Right(
        "ninetyseven_swish_long",
        "ninetyseven_swish",
        ("float *dst, size_t count)", "float *dst, int64_t count)"),
        ("size_t at = 2 * (size_t)blockIdx.x", "int64_t at = 2 * (int64_t)blockIdx.x"),
        (
            "                       int n, int block",
            "                       int64_t n, int block",
        ),
        ("    int grid =", "    int64_t grid ="),
        ("<<<grid, block", "<<<(unsigned)grid, block"),
    ),
    # The division is one of doubles, in smaller blocks.
    Right(
        "ninetyseven_flip_doubles",
        "ninetyseven_flip",
        ("return 1.0f / v;", "return (float)(1.0 / v);"),
        ("int block_size = 192", "int block_size = 64"),
    ),
    # A memset sets the output to 0.
    Right(
        "ninetyseven_energy_memset",
        "ninetyseven_energy",
        ("__global__ void set_zero(float* out) { out[0] = 0.0f; }\n\n", ""),
        (
            "set_zero<<<1, 1, 0, stream>>>(out);",
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
        ),
    ),
    # Shuffles from far to near, and blocks of which the last may be idle.
    Right(
        "ninetyseven_lowest_idle_block",
        "ninetyseven_lowest",
        ("int d = 1; d < 32; d *= 2", "int d = 16; d > 0; d /= 2"),
        ("(rows + ROWS - 1) / ROWS", "rows / ROWS + 1"),
    ),
    # Blocks of two warps.
    Right(
        "ninetyseven_peak_two_warps",
        "ninetyseven_peak",
        ("#define T 128", "#define T 64"),
    ),
    # The logarithm is added to the largest, in a double.
    Right(
        "ninetyseven_logs_double",
        "ninetyseven_logs",
        (
            "float log_sum = logf(together(sum, s, false));",
            "double less = top + (double)logf(together(sum, s, false));",
        ),
        ("row[c] - top - log_sum", "(float)(row[c] - less)"),
    ),
    # Eight warps, and arguments of the kernel in another order.
    Right(
        "ninetyseven_rms_eight_warps",
        "ninetyseven_rms",
        ("kWarps = 4", "kWarps = 8"),
        (
            "rms(const float* x, const float* g, float* y, float eps, int rows, int cols)",
            "rms(int rows, int cols, float eps, const float* x, const float* g, float* y)",
        ),
        ("(x, g, y, eps, rows, cols)", "(rows, cols, eps, x, g, y)"),
    ),
    # Four rows of threads.
    Right(
        "ninetyseven_turn_four_rows",
        "ninetyseven_turn",
        ("dim3(32, 8)", "dim3(32, 4)"),
    ),
    # Tiles of 8.
    Right(
        "ninetyseven_product_tiles_of_8",
        "ninetyseven_product",
        ("#define S 16", "#define S 8"),
    ),
)
