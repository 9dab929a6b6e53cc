"""Hold a hundred-third family: the plain operators of a course, and their plainest mistakes.

Its bases are the sum of three arrays of floats, a product of doubles, halves to floats, whole
numbers to floats, tanh of floats, ELU of halves, floats between two numbers, a sum of floats,
the number of NaN, the largest of each row, softmax of doubles, layer norm without a gain, a
transpose, and a matrix times another that is transposed. They have 12 to 45 lines, as those
write who have had CUDA for half a year: a loop over a grid of 32 blocks at most, a number a
thread, half2 with the last by its own thread, four in a row a thread, float4 with the rest by
the first threads, a tree in shared memory for 1,024 numbers and a second kernel of one warp, a
count in shared memory and an atomic, a warp a row with shuffles, a thread a row, a tile of 32 x
32, and a thread an element. Their mistakes are spread over alignment, tails, grids, block
sizes, integers of 16 bits and signs, NaN and infinity, rounding and precision, formulas, inputs
that are written, totals that are not set, barriers and atomics, starts of a maximum, sides, and
streams. Five take the cases of elementwise operators, and two those of `kernel_cases` for sums
and transposes. The causes were written before a member was judged. On the emulator each ran
beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3
in floating outputs (-1 and 77 in others), with tensors at either end of their pages, the bytes
behind them and their inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name. Bases and right ones ran all cases; wrong ones until they were wrong often enough.
nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are right, and
all others wrong or refused by a fault, in the cases that the last column names; but for that
without an atomic, of which the emulator's blocks hide the race:

    hundredthree_add_step_of_256            of other block sizes: from 2,049 numbers on at 64
    hundredthree_add_one_a_thread           beyond 32 blocks: from 2,049 numbers on at 64
    hundredthree_add_one_too_far            unless the last round of threads ends with n
    hundredthree_add_second_again           of nearly all
    hundredthree_add_no_stream              on another stream than the default one
    hundredthree_times_as_floats            of numbers that are no floats
    hundredthree_times_blocks_rounded_down  unless 128 divides n
    hundredthree_times_in_place             of nearly all: a is overwritten
    hundredthree_times_short_index          from 65,537 numbers on
    hundredthree_times_no_test              unless 128 divides n
    hundredthree_widen_in_anywhere          from 2 numbers on, by the address of the halves
    hundredthree_widen_no_last              of odd counts
    hundredthree_widen_pair_turned          from 2 numbers on
    hundredthree_widen_kept_finite          of infinities and NaN, from 2 numbers on
    hundredthree_widen_pairs_rounded_down   if one number is left after blocks of 256
    hundredthree_floats_through_short       beyond 16 bits
    hundredthree_floats_cut_off             of every other number beyond 2^24
    hundredthree_floats_unsigned            of numbers below 0
    hundredthree_floats_threads_overlap     from 5 numbers on, by the number of blocks
    hundredthree_floats_blocks_of_fours     if one to three numbers are left after blocks
    hundredthree_tanh_by_exponentials       from about 44 on, and near 0
    hundredthree_tanh_nan_at_limit          of NaN
    hundredthree_tanh_two_terms             below 0.25, but not close to 0
    hundredthree_tanh_one_from_4            of magnitudes from 4 to about 9
    hundredthree_tanh_grid_of_256           of smaller block sizes
    hundredthree_elu_no_one                 of what is not above 0
    hundredthree_elu_nan_is_0               of NaN
    hundredthree_elu_exponential_is_half    below 0, mostly close to 0
    hundredthree_elu_zero_not_stored        of zeros and NaN
    hundredthree_elu_no_stream              on another stream than the default one
    hundredthree_clamp_nan_to_limit         of NaN
    hundredthree_clamp_no_rest              unless 4 divides n
    hundredthree_clamp_limits_swapped       of nearly all
    hundredthree_clamp_y_anywhere           from 4 numbers on, by the address of y
    hundredthree_clamp_fourth_forgotten     where every fourth number is beyond a limit
    hundredthree_sum_quarter_first          from 129 numbers on
    hundredthree_sum_no_barrier_in_tree     where threads do not wait for another
    hundredthree_sum_32_blocks              from 32,769 numbers on
    hundredthree_sum_added_to_total         unless the total is 0 before
    hundredthree_sum_blocks_overlap         from 1,025 numbers on
    hundredthree_nans_not_zeroed            unless the count is 0 before
    hundredthree_nans_compared              of NaN
    hundredthree_nans_no_atomic             from 2 blocks on, where they run at once
    hundredthree_nans_no_barrier            where the first thread is late
    hundredthree_nans_infinities_too        of infinities
    hundredthree_top_starts_at_0            of rows below 0
    hundredthree_top_nan_lost               of NaN
    hundredthree_top_four_steps             from 17 columns on
    hundredthree_top_first_32               from 33 columns on
    hundredthree_top_no_test                unless 4 divides the rows
    hundredthree_softmax_no_largest         of rows far above or far below 0
    hundredthree_softmax_sum_is_float       from 2 columns on
    hundredthree_softmax_starts_at_0        of rows far below 0
    hundredthree_softmax_pitch_of_rows      from 2 rows on, unless there are as many columns
    hundredthree_softmax_one_row_more       unless the block size divides the rows
    hundredthree_norm_of_sample             of nearly all
    hundredthree_norm_squares_less_square   of rows with a mean far from 0
    hundredthree_norm_no_eps                of nearly all
    hundredthree_norm_whole_mean            unless the mean is a whole number
    hundredthree_norm_first_twice           unless the first is 0
    hundredthree_turn_pitch_of_way_in       unless the sides are alike, or there is 1 column
    hundredthree_turn_no_barrier            where threads do not wait for another
    hundredthree_turn_tile_as_it_is         of nearly all
    hundredthree_turn_test_of_way_in        unless the sides are alike
    hundredthree_turn_no_stream             on another stream than the default one
    hundredthree_matmul_not_transposed      unless k or the other side is 1
    hundredthree_matmul_grid_swapped        unless the blocks are as many each way
    hundredthree_matmul_last_left_out       unless the last products are 0
    hundredthree_matmul_or_for_and          unless 16 divides both sides
    hundredthree_matmul_whole_sum           of products that are not whole numbers
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Three arrays added, by a loop over a grid of 32 blocks at most.
ADD = (
    HEADER
    + """\
__global__ void add_three(const float* a, const float* b, const float* c, float* y, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    y[i] = a[i] + b[i] + c[i];
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       const float* c,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 32) blocks = 32;
  add_three<<<blocks, block_size, 0, stream>>>(a, b, c, y, n);
}
"""
)

# A product of doubles, a number a thread.
TIMES = (
    HEADER
    + """\
#define BLOCK 128

__global__ void times(const double *a, const double *b, double *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = a[i] * b[i];
}

extern "C" void launch(const double *a,  // [n]
                       const double *b,  // [n]
                       double *out,      // [n]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > 0)
        times<<<blocks, BLOCK, 0, stream>>>(a, b, out, n);
}
"""
)

# Halves to floats, two a thread; the last one of an odd count by the thread it falls to.
WIDEN = (
    HEADER
    + """\
__global__ void widen(const half* in, float* out, int n)
{
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = 2 * tid;
  if (i + 1 < n) {
    half2 h = *reinterpret_cast<const half2*>(in + i);
    float lo = __low2float(h);
    float hi = __high2float(h);
    *reinterpret_cast<float2*>(out + i) = make_float2(lo, hi);
  } else if (i < n) {
    out[i] = __half2float(in[i]);
  }
}

extern "C" void launch(const half* in,  // [n] 4-byte aligned
                       float* out,      // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
  const int threads = 128;
  const int pairs = (n + 1) / 2;
  const int blocks = (pairs + threads - 1) / threads;
  if (blocks == 0) return;
  widen<<<blocks, threads, 0, stream>>>(in, out, n);
}
"""
)

# Whole numbers to floats, four in a row a thread.
FLOATS = (
    HEADER
    + """\
const int PER_THREAD = 4;

__global__ void to_floats(const int* __restrict__ numbers, float* __restrict__ result, int n)
{
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    for (int k = 0; k < PER_THREAD; ++k)
    {
        int i = begin + k;
        if (i < n)
        {
            result[i] = (float)numbers[i];
        }
    }
}

extern "C" void launch(const int* numbers,  // [n]
                       float* result,       // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int per_block = block_size * PER_THREAD;
    int blocks = (n + per_block - 1) / per_block;
    if (blocks == 0) return;
    to_floats<<<blocks, block_size, 0, stream>>>(numbers, result, n);
}
"""
)

# The tanh of floats, a number a thread; the result stands first.
TANH = (
    HEADER
    + """\
__global__ void tanh_kernel(float *y, const float *x, int n)
{
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx >= n)
        return;
    float v = x[idx];
    y[idx] = tanhf(v);
}

extern "C" void launch(float *y,        // [n]
                       const float *x,  // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    dim3 block(block_size);
    dim3 grid((n + block_size - 1) / block_size);
    if (n > 0)
        tanh_kernel<<<grid, block, 0, stream>>>(y, x, n);
}
"""
)

# ELU of halves, by way of float.
ELU = (
    HEADER
    + """\
__global__ void elu(const half* x, half* y, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        float v = __half2float(x[i]);
        float r;
        if (v > 0.0f) {
            r = v;
        } else {
            r = expm1f(v);
        }
        y[i] = __float2half(r);
    }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, cudaStream_t stream = 0) {
    if (n <= 0) return;
    elu<<<(n + 191) / 192, 192, 0, stream>>>(x, y, n);
}
"""
)

# Floats between two numbers: packs of four, and what is left by the first threads.
CLAMP = (
    HEADER
    + """\
__device__ __forceinline__ float between(float v, float lo, float hi)
{
    if (v < lo) return lo;
    if (v > hi) return hi;
    return v;
}

__global__ void clamp4(const float *x, float *y, float lo, float hi, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (t < packs) {
        float4 v = ((const float4 *)x)[t];
        v.x = between(v.x, lo, hi);
        v.y = between(v.y, lo, hi);
        v.z = between(v.z, lo, hi);
        v.w = between(v.w, lo, hi);
        ((float4 *)y)[t] = v;
    }
    if (t < n % 4) {
        int i = packs * 4 + t;
        y[i] = between(x[i], lo, hi);
    }
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       float *y,        // [n] 16-byte aligned
                       float lo, float hi, int n, int block_size = 64,
                       cudaStream_t stream = 0)
{
    int blocks = (n / 4 + block_size - 1) / block_size;
    if (blocks == 0)
        blocks = 1;
    clamp4<<<blocks, block_size, 0, stream>>>(x, y, lo, hi, n);
}
"""
)

# A sum: 1,024 elements a block, and the sums of the blocks by a second kernel of one warp.
SUM = (
    HEADER
    + """\
#define THREADS 256
#define PER_BLOCK 1024

__global__ void block_sums(const float* x, float* sums, int64_t n) {
  __shared__ float s[THREADS];
  int t = threadIdx.x;
  int64_t start = (int64_t)blockIdx.x * PER_BLOCK;
  float mine = 0.0f;
  for (int k = t; k < PER_BLOCK; k += THREADS)
    if (start + k < n) mine += x[start + k];
  s[t] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

__global__ void final_sum(const float* sums, float* total, int64_t count) {
  float mine = 0.0f;
  for (int64_t k = threadIdx.x; k < count; k += 32) mine += sums[k];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
  if (threadIdx.x == 0) total[0] = mine;
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = (n + PER_BLOCK - 1) / PER_BLOCK;
  float* sums;
  cudaMallocAsync((void**)&sums, (blocks + 1) * sizeof(float), stream);
  if (blocks > 0) block_sums<<<(unsigned)blocks, THREADS, 0, stream>>>(x, sums, n);
  final_sum<<<1, 32, 0, stream>>>(sums, total, blocks);
  cudaFreeAsync(sums, stream);
}
"""
)

# How many are NaN: a number in shared memory for a block, and one that all blocks add to.
NANS = (
    HEADER
    + """\
__global__ void count_nan(const float *x, int *count, int n)
{
    __shared__ int here;
    if (threadIdx.x == 0)
        here = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && isnan(x[i]))
        atomicAdd(&here, 1);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(count, here);
}

extern "C" void launch(const float *x,  // [n]
                       int *count,      // [1]
                       int n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    int blocks = (n + 127) / 128;
    count_nan<<<blocks, 128, 0, stream>>>(x, count, n);
}
"""
)

# The largest of each row, a warp a row, four warps a block; a NaN stays.
TOP = (
    HEADER
    + """\
__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void row_max(const float* x, float* best, int rows, int cols) {
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * 4 + warp;
  if (row >= rows) return;
  const float* p = x + (size_t)row * cols;
  float m = -INFINITY;
  for (int c = lane; c < cols; c += 32) {
    m = larger(p[c], m);
  }
  for (int d = 16; d > 0; d >>= 1) {
    m = larger(m, __shfl_down_sync(0xffffffffu, m, d));
  }
  if (lane == 0) best[row] = m;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* best,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_max<<<(rows + 3) / 4, 128, 0, stream>>>(x, best, rows, cols);
}
"""
)

# Softmax of doubles, a thread a row.
SOFTMAX = (
    HEADER
    + """\
__global__ void softmax(const double *in, double *out, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const double *src = in + (size_t)row * cols;
    double *dst = out + (size_t)row * cols;

    double top = src[0];
    for (int j = 1; j < cols; j++)
        if (src[j] > top)
            top = src[j];

    double sum = 0.0;
    for (int j = 0; j < cols; j++)
        sum += exp(src[j] - top);

    for (int j = 0; j < cols; j++)
        dst[j] = exp(src[j] - top) / sum;
}

extern "C" void launch(const double *in,  // [rows, cols]
                       double *out,       // [rows, cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = (rows + block_size - 1) / block_size;
    softmax<<<blocks, block_size, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Layer norm without a gain, a thread a row.
NORM = (
    HEADER
    + """\
__global__ void norm_rows(const float* x, float* y, float eps, int rows, int cols) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        const float* row = x + (size_t)r * cols;
        float total = 0.0f;
        for (int c = 0; c < cols; ++c) total += row[c];
        float mean = total / cols;

        float var = 0.0f;
        for (int c = 0; c < cols; ++c) {
            float d = row[c] - mean;
            var += d * d;
        }
        var /= cols;

        float scale = rsqrtf(var + eps);
        for (int c = 0; c < cols; ++c) y[(size_t)r * cols + c] = (row[c] - mean) * scale;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
    norm_rows<<<(rows + 31) / 32, 32, 0, stream>>>(x, y, eps, rows, cols);
}
"""
)

# Rows become columns by tiles of 32 x 32, a thread a number, all tiles in one line of blocks.
TURN = (
    HEADER
    + """\
#define SIDE 32

__global__ void turn(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[SIDE][SIDE];
    int across = (cols + SIDE - 1) / SIDE;
    int top = blockIdx.x / across * SIDE;
    int left = blockIdx.x % across * SIDE;
    int tx = threadIdx.x, ty = threadIdx.y;

    int r = top + ty, c = left + tx;
    if (r < rows && c < cols)
        tile[ty][tx] = in[(size_t)r * cols + c];
    __syncthreads();

    r = left + ty;
    c = top + tx;
    if (r < cols && c < rows)
        out[(size_t)r * rows + c] = tile[tx][ty];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int tiles = ((rows + SIDE - 1) / SIDE) * ((cols + SIDE - 1) / SIDE);
    turn<<<tiles, dim3(SIDE, SIDE), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A matrix times another that is transposed: rows with rows, a thread an element.
MATMUL = (
    HEADER
    + """\
__global__ void matmul_nt(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float acc = 0.0f;
    for (int p = 0; p < k; p++) {
      acc += a[row * k + p] * b[col * k + p];
    }
    c[row * n + col] = acc;
  }
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [n, k]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (m + 15) / 16);
  matmul_nt<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 384, 385, 511, 512)
LENGTHS += (513, 1000, 1023, 1024, 1025, 2047, 2049, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (128, 5), (6, 6), (513, 3))
FLOAT = (torch.float32,)


def three(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: usual, large, zeros, infinities, NaN."""
    for n in (*LENGTHS, 8_191, 8_193, 20_003, 100_003):
        a, b, c = (whole(-9999, 10000, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, p, q, r in (
            ("usual", a, b, c),
            ("quarters", a / 4, b * 64, c / 4),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), a * 0 - 0.0, -0.0 * b.abs()),
            (
                "infinities",
                torch.where(j % 5 == 2, -INF, a),
                b,
                torch.where(j % 7 == 1, INF, c),
            ),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b), c),
            ("NaN in the last", a, b, torch.where(j % 3 == 0, NAN, c)),
        ):
            right = p.double() + q.double() + r.double()
            for block_size in (256, 64, 1024):
                if n > 5000 and label != "usual":
                    continue
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                more = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (p, q, r), (right,), {"block_size": block_size}, **more)


def clamps(launcher: Launcher) -> Iterator[Case]:
    """Clamp: usual, narrow, all alike, zeros, infinities, no upper limit, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(-999, 1000, n, n).float() / 8, torch.arange(n)
        for label, y, lo, hi in (
            ("usual", x, -50.0, 70.0),
            ("narrow", x, -0.25, 0.5),
            ("above 0", x, 1.0, 8.0),
            ("below 0", x, -8.0, -1.0),
            ("infinities", torch.where(j % 2 == 1, INF * (1 - j % 4), x), -10.0, 10.0),
            ("no upper limit", torch.where(j % 3 == 1, INF, x), 0.0, INF),
            ("NaN", torch.where(j % 3 == 1, NAN, x), -4.0, 4.0),
        ):
            right = y.double().clamp(lo, hi)
            for block_size in (64, 32, 256):
                scalars = {"lo": lo, "hi": hi, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                more = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, **more)
            if n < 300 and label == "usual":
                for offset in (4, (4, 8)):
                    words = f"n = {n:,}, slices from {offset}"
                    more = {"dtypes": FLOAT, "offset": offset}
                    yield Case(words, (y,), (right,), {"lo": lo, "hi": hi}, **more)


def nan_counts(launcher: Launcher) -> Iterator[Case]:
    """Count: some, none, all, the last alone, beside infinities, with either sign."""
    for n in (*LENGTHS, 9_001, 20_003, 100_003):
        x, j = whole(-99, 100, n, n).float(), torch.arange(n)
        for label, y in (
            ("some", torch.where(x % 5 == 1, NAN, x)),
            ("none", x),
            ("all", x + NAN),
            ("the last alone", torch.where(j == n - 1, NAN, x)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("infinities and NaN", torch.where(j % 4 == 1, -NAN, torch.where(x > 0, INF, x))),
        ):
            right = y.isnan().sum().reshape(1)
            more = {"dtypes": (torch.int32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **more)


def tops(launcher: Launcher) -> Iterator[Case]:
    """Take the largest: any, below 0, zeros, the last, infinities, NaN in several places."""
    for rows, cols in (*SIDES, (3, 2_001), (1_000, 33)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0 + 0.0),
            ("the last", torch.where(c == cols - 1, 5000.0, x)),
            ("only -infinity", x * 0 - INF),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("a NaN", torch.where((c == cols // 2) & (x % 2 == 0), NAN, x)),
            ("NaN first", torch.where(c == 0, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(1),), dtypes=FLOAT)


def shares(launcher: Launcher) -> Iterator[Case]:
    """Share: any, equal, zeros, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001)):
        n = rows * cols
        x, c = whole(-80, 81, n, n).reshape(rows, cols).double() / 8, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("zeros", x * 0),
            ("far above 0", x + 2000),
            ("far below 0", x - 2000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            right = torch.softmax(y, 1)
            within = ((2.0**-40 * right + 2.0**-1022).nan_to_num(0.0),)
            for block_size in (64, 128):
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                more = {"dtypes": (torch.float64,), "within": within}
                yield Case(words, (y,), (right,), {"block_size": block_size}, **more)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, zeros, all alike, small, about a large mean, one apart, below 0, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y, eps in (
            ("any", x, 1.0),
            ("zeros", x * 0, 0.001),
            ("all alike", x * 0 + 7, 0.25),
            ("small", x / 1024, 0.001),
            ("about 4,096", 4096 + x // 10, 0.125),
            ("one apart", torch.where(c == cols // 3, 1032.0, x * 0 + 1024), 0.125),
            ("below 0", -x.abs() - 1, 0.5),
            ("a NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), 1.0),
        ):
            v = y.float().double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f
            slack = 2.0**-14 * right.abs() + 2.0**-19 * f * v.abs().amax(1, True) + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            more = {"dtypes": FLOAT, "within": (slack.nan_to_num(0.0),)}
            yield Case(words, (y.float(),), (right,), {"eps": eps}, **more)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and quarters, so that all is exact; zeros, below 0, NaN."""
    sides = [(1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33)]
    sides += [(15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32)]
    sides += [(20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (1, 1000, 4), (700, 1, 3)]
    sides += [(9, 7, k) for k in range(2, 40, 3)] + [(16, 48, 20), (32, 16, 9), (24, 24, 24)]
    for m, n, k in sides:
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        b = whole(-30, 31, n * k, n + 7).reshape(n, k).double()
        h = torch.arange(k)
        for label, s, t in (
            ("any", a, b),
            ("quarters", a / 4, b / 4),
            ("zeros", a * 0 + 0.0, b.abs()),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("the last alone", torch.where(h == k - 1, 3.0, a * 0), b.abs() + 1),
            (
                "NaN",
                torch.where((h == k // 2) & (torch.arange(m)[:, None] == m - 1), NAN, a),
                b,
            ),
        ):
            words = f"m = {m:,}, n = {n:,}, k = {k:,}, {label}"
            yield Case(words, (s.float(), t.float()), (s @ t.T,), dtypes=FLOAT)


BASES = {
    "hundredthree_add": Base(ADD, {"cases": three}),
    "hundredthree_times": Base(TIMES, {"reference": "multiply"}),
    "hundredthree_widen": Base(WIDEN, {"reference": "cast"}),
    "hundredthree_floats": Base(FLOATS, {"reference": "cast"}),
    "hundredthree_tanh": Base(TANH, {"reference": torch.tanh, "ulp": 4}),
    "hundredthree_elu": Base(
        ELU, {"reference": lambda x: torch.where(x > 0, x, torch.expm1(x)), "ulp": 1}
    ),
    "hundredthree_clamp": Base(CLAMP, {"cases": clamps}),
    "hundredthree_sum": Base(SUM, cases="sums"),
    "hundredthree_nans": Base(NANS, {"cases": nan_counts}),
    "hundredthree_top": Base(TOP, {"cases": tops}),
    "hundredthree_softmax": Base(SOFTMAX, {"cases": shares}),
    "hundredthree_norm": Base(NORM, {"cases": norms}),
    "hundredthree_turn": Base(TURN, cases="transpose"),
    "hundredthree_matmul": Base(MATMUL, {"cases": products}),
}

WRONG = (
    # ---- add
    # The step is that of blocks of 256.
    Wrong(
        "hundredthree_add_step_of_256",
        "hundredthree_add",
        "block size | unwritten / left out / nan / tail / grid",
        ("int stride = gridDim.x * blockDim.x;", "int stride = gridDim.x * 256;"),
    ),
    # A thread takes one number, though the grid is limited.
    Wrong(
        "hundredthree_add_one_a_thread",
        "hundredthree_add",
        "unwritten / left out / grid | nan / tail",
        ("  for (int i = blockIdx.x", "  int i = blockIdx.x"),
        ("threadIdx.x; i < n; i += stride) {", "threadIdx.x;\n  if (i < n) {"),
    ),
    # The loop goes one too far.
    Wrong(
        "hundredthree_add_one_too_far",
        "hundredthree_add",
        "bounds / tail",
        ("i < n; i += stride", "i <= n; i += stride"),
    ),
    # The second array is added twice, the third never.
    Wrong(
        "hundredthree_add_second_again",
        "hundredthree_add",
        "left out / twice / other element | function / numbers / nan / infinity",
        ("a[i] + b[i] + c[i]", "a[i] + b[i] + b[i]"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredthree_add_no_stream",
        "hundredthree_add",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- times
    # Factors are floats.
    Wrong(
        "hundredthree_times_as_floats",
        "hundredthree_times",
        "precision | numbers / infinity / nan / rounding / subnormal / sign of zero / narrow",
        ("a[i] * b[i]", "(float)a[i] * (float)b[i]"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredthree_times_blocks_rounded_down",
        "hundredthree_times",
        "tail / grid / unwritten / left out | nan",
        ("(n + BLOCK - 1) / BLOCK", "n / BLOCK"),
    ),
    # The product is stored in the first factor, too.
    Wrong(
        "hundredthree_times_in_place",
        "hundredthree_times",
        "input | state",
        ("times(const double *a,", "times(double *a,"),
        ("out[i] = a[i] * b[i];", "out[i] = a[i] *= b[i];"),
        ("stream>>>(a, b,", "stream>>>((double *)a, b,"),
    ),
    # The index has 16 bits.
    Wrong(
        "hundredthree_times_short_index",
        "hundredthree_times",
        "narrow | unwritten / left out / nan / tail / whole range",
        ("    int i = blockIdx.x", "    unsigned short i = blockIdx.x"),
    ),
    # No thread asks whether its number exists.
    Wrong(
        "hundredthree_times_no_test",
        "hundredthree_times",
        "bounds / tail",
        ("    if (i < n)\n        out[i]", "    out[i]"),
    ),
    # ---- widen
    # Halves may lie anywhere.
    Wrong(
        "hundredthree_widen_in_anywhere",
        "hundredthree_widen",
        "alignment",
        ("const half* in,  // [n] 4-byte aligned", "const half* in,  // [n]"),
    ),
    # The last of an odd count is forgotten.
    Wrong(
        "hundredthree_widen_no_last",
        "hundredthree_widen",
        "tail / unwritten / left out | nan",
        (" else if (i < n) {\n    out[i] = __half2float(in[i]);\n  }", ""),
    ),
    # The two of a pair are stored the other way round.
    Wrong(
        "hundredthree_widen_pair_turned",
        "hundredthree_widen",
        "swapped / neighbour / other element | numbers",
        ("make_float2(lo, hi)", "make_float2(hi, lo)"),
    ),
    # Numbers of pairs are kept within what a half holds.
    Wrong(
        "hundredthree_widen_kept_finite",
        "hundredthree_widen",
        "infinity / nan | numbers",
        (
            "float lo = __low2float(h);",
            "float lo = fmaxf(fminf(__low2float(h), 65504.0f), -65504.0f);",
        ),
        (
            "float hi = __high2float(h);",
            "float hi = fmaxf(fminf(__high2float(h), 65504.0f), -65504.0f);",
        ),
    ),
    # The half pair at the end is not counted.
    Wrong(
        "hundredthree_widen_pairs_rounded_down",
        "hundredthree_widen",
        "grid / tail / unwritten / left out | nan",
        ("const int pairs = (n + 1) / 2;", "const int pairs = n / 2;"),
    ),
    # ---- floats
    # Numbers go through 16 bits.
    Wrong(
        "hundredthree_floats_through_short",
        "hundredthree_floats",
        "whole range / narrow | numbers",
        ("(float)numbers[i]", "(float)(short)numbers[i]"),
    ),
    # What a float does not hold is cut off.
    Wrong(
        "hundredthree_floats_cut_off",
        "hundredthree_floats",
        "rounding | numbers / precision",
        ("(float)numbers[i]", "__int2float_rz(numbers[i])"),
    ),
    # Numbers have no sign.
    Wrong(
        "hundredthree_floats_unsigned",
        "hundredthree_floats",
        "whole range | numbers / function",
        ("(float)numbers[i]", "(float)(unsigned)numbers[i]"),
    ),
    # Threads begin one after another, though each takes four.
    Wrong(
        "hundredthree_floats_threads_overlap",
        "hundredthree_floats",
        "unwritten / left out / tail | twice / nan / grid / neighbour",
        (
            "(blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD",
            "blockIdx.x * blockDim.x + threadIdx.x",
        ),
    ),
    # Blocks are counted for whole fours.
    Wrong(
        "hundredthree_floats_blocks_of_fours",
        "hundredthree_floats",
        "grid / tail / unwritten / left out | nan",
        ("(n + per_block - 1) / per_block", "(n / PER_THREAD + block_size - 1) / block_size"),
    ),
    # ---- tanh
    # It is written with exponentials.
    Wrong(
        "hundredthree_tanh_by_exponentials",
        "hundredthree_tanh",
        "infinity / nan / precision | numbers / sign of zero / subnormal / function",
        (
            "    y[idx] = tanhf(v);",
            "    float e = expf(2.0f * v);\n    y[idx] = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # Beyond 10 all is alike, NaN as well.
    Wrong(
        "hundredthree_tanh_nan_at_limit",
        "hundredthree_tanh",
        "nan",
        ("tanhf(v)", "tanhf(fminf(fmaxf(v, -10.0f), 10.0f))"),
    ),
    # Near 0 two terms are taken.
    Wrong(
        "hundredthree_tanh_two_terms",
        "hundredthree_tanh",
        "precision / function / numbers",
        ("tanhf(v)", "fabsf(v) < 0.25f ? v - v * v * v / 3.0f : tanhf(v)"),
    ),
    # From 4 on it is 1.
    Wrong(
        "hundredthree_tanh_one_from_4",
        "hundredthree_tanh",
        "precision / function / numbers | infinity",
        ("tanhf(v)", "fabsf(v) > 4.0f ? copysignf(1.0f, v) : tanhf(v)"),
    ),
    # The grid is that of blocks of 256.
    Wrong(
        "hundredthree_tanh_grid_of_256",
        "hundredthree_tanh",
        "block size / grid | unwritten / tail / left out / nan",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # ---- elu
    # The 1 is not taken away.
    Wrong(
        "hundredthree_elu_no_one",
        "hundredthree_elu",
        "function | numbers / sign of zero / infinity",
        ("expm1f(v)", "expf(v)"),
    ),
    # Both parts are added, without NaN.
    Wrong(
        "hundredthree_elu_nan_is_0",
        "hundredthree_elu",
        "nan | sign of zero",
        (
            "        if (v > 0.0f) {\n            r = v;\n        } else {\n"
            "            r = expm1f(v);\n        }\n",
            "        r = fmaxf(v, 0.0f) + expm1f(fminf(v, 0.0f));\n",
        ),
    ),
    # The exponential is a half.
    Wrong(
        "hundredthree_elu_exponential_is_half",
        "hundredthree_elu",
        "precision / rounding | numbers / sign of zero / subnormal",
        ("expm1f(v)", "__half2float(__float2half(expf(v))) - 1.0f"),
    ),
    # What is neither above nor below 0 is not stored.
    Wrong(
        "hundredthree_elu_zero_not_stored",
        "hundredthree_elu",
        "unwritten / left out | nan / numbers / sign of zero",
        (
            "        } else {\n",
            "        } else if (!(v < 0.0f)) {\n            return;\n        } else {\n",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredthree_elu_no_stream",
        "hundredthree_elu",
        "stream",
        ("(n + 191) / 192, 192, 0, stream>>>", "(n + 191) / 192, 192>>>"),
    ),
    # ---- clamp
    # NaN becomes the lower limit.
    Wrong(
        "hundredthree_clamp_nan_to_limit",
        "hundredthree_clamp",
        "nan",
        (
            "    if (v < lo) return lo;\n    if (v > hi) return hi;\n    return v;\n",
            "    return fminf(fmaxf(v, lo), hi);\n",
        ),
    ),
    # What is left after the packs is forgotten.
    Wrong(
        "hundredthree_clamp_no_rest",
        "hundredthree_clamp",
        "tail / unwritten / left out | nan",
        (
            "    if (t < n % 4) {\n        int i = packs * 4 + t;\n"
            "        y[i] = between(x[i], lo, hi);\n    }\n",
            "",
        ),
    ),
    # The limits are passed in the other order.
    Wrong(
        "hundredthree_clamp_limits_swapped",
        "hundredthree_clamp",
        "swapped / function | numbers / infinity / copy",
        ("stream>>>(x, y, lo, hi, n)", "stream>>>(x, y, hi, lo, n)"),
    ),
    # The result may lie anywhere.
    Wrong(
        "hundredthree_clamp_y_anywhere",
        "hundredthree_clamp",
        "alignment",
        ("float *y,        // [n] 16-byte aligned", "float *y,        // [n]"),
    ),
    # The fourth of a pack is stored as it is.
    Wrong(
        "hundredthree_clamp_fourth_forgotten",
        "hundredthree_clamp",
        "left out | copy / numbers / function / infinity / other element",
        ("        v.w = between(v.w, lo, hi);\n", ""),
    ),
    # ---- sum
    # The tree begins with a quarter.
    Wrong(
        "hundredthree_sum_quarter_first",
        "hundredthree_sum",
        "left out | numbers / nan / infinity",
        ("int half = THREADS / 2;", "int half = THREADS / 4;"),
    ),
    # Steps of the tree do not wait.
    Wrong(
        "hundredthree_sum_no_barrier_in_tree",
        "hundredthree_sum",
        "race | left out / numbers / other element",
        ("s[t + half];\n    __syncthreads();\n", "s[t + half];\n"),
    ),
    # The second kernel takes 32 sums, a lane one.
    Wrong(
        "hundredthree_sum_32_blocks",
        "hundredthree_sum",
        "left out | numbers / grid / tail / nan",
        (
            "  for (int64_t k = threadIdx.x; k < count; k += 32) mine += sums[k];\n",
            "  int64_t k = threadIdx.x;\n  if (k < count) mine += sums[k];\n",
        ),
    ),
    # The sum is added to what is there.
    Wrong(
        "hundredthree_sum_added_to_total",
        "hundredthree_sum",
        "zero before / state | nan / numbers / unwritten",
        ("total[0] = mine;", "total[0] += mine;"),
    ),
    # Blocks begin a block's threads apart, not 1,024.
    Wrong(
        "hundredthree_sum_blocks_overlap",
        "hundredthree_sum",
        "twice / other element / left out | numbers",
        ("blockIdx.x * PER_BLOCK;", "blockIdx.x * THREADS;"),
    ),
    # ---- nans
    # The count is not set to 0.
    Wrong(
        "hundredthree_nans_not_zeroed",
        "hundredthree_nans",
        "zero before / state | numbers",
        ("    cudaMemsetAsync(count, 0, sizeof(int), stream);\n", ""),
    ),
    # Numbers are compared with NaN.
    Wrong(
        "hundredthree_nans_compared",
        "hundredthree_nans",
        "nan / function / left out / copy | numbers",
        ("isnan(x[i])", "x[i] == NAN"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "hundredthree_nans_no_atomic",
        "hundredthree_nans",
        "race | left out / numbers",
        ("atomicAdd(count, here);", "*count += here;"),
    ),
    # Threads count before the number of the block is 0.
    Wrong(
        "hundredthree_nans_no_barrier",
        "hundredthree_nans",
        "race | left out / numbers / unwritten / start / state",
        ("        here = 0;\n    __syncthreads();\n", "        here = 0;\n"),
    ),
    # Infinities are counted, too.
    Wrong(
        "hundredthree_nans_infinities_too",
        "hundredthree_nans",
        "infinity / function | numbers / nan",
        ("isnan(x[i])", "!isfinite(x[i])"),
    ),
    # ---- top
    # The largest begins with 0.
    Wrong(
        "hundredthree_top_starts_at_0",
        "hundredthree_top",
        "start | numbers / infinity",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # NaN is passed over.
    Wrong(
        "hundredthree_top_nan_lost",
        "hundredthree_top",
        "nan",
        ("return a > b || a != a ? a : b;", "return fmaxf(a, b);"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "hundredthree_top_four_steps",
        "hundredthree_top",
        "left out | numbers / nan / infinity / other element",
        ("int d = 16; d > 0;", "int d = 8; d > 0;"),
    ),
    # The lanes of a warp take its first 32 columns.
    Wrong(
        "hundredthree_top_first_32",
        "hundredthree_top",
        "left out | numbers / nan / infinity / tail",
        (
            "  for (int c = lane; c < cols; c += 32) {\n    m = larger(p[c], m);\n  }\n",
            "  if (lane < cols) m = larger(p[lane], m);\n",
        ),
    ),
    # Warps do not ask whether their row exists.
    Wrong(
        "hundredthree_top_no_test",
        "hundredthree_top",
        "bounds / tail",
        ("  if (row >= rows) return;\n", ""),
    ),
    # ---- softmax
    # The largest is not taken away.
    Wrong(
        "hundredthree_softmax_no_largest",
        "hundredthree_softmax",
        "infinity / nan | numbers / function / precision",
        ("sum += exp(src[j] - top);", "sum += exp(src[j]);"),
        ("dst[j] = exp(src[j] - top) / sum;", "dst[j] = exp(src[j]) / sum;"),
    ),
    # The sum is a float.
    Wrong(
        "hundredthree_softmax_sum_is_float",
        "hundredthree_softmax",
        "precision | numbers / narrow / rounding",
        ("double sum = 0.0;", "float sum = 0.0f;"),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredthree_softmax_starts_at_0",
        "hundredthree_softmax",
        "start | nan / numbers / infinity / precision / subnormal",
        (
            "    double top = src[0];\n    for (int j = 1;",
            "    double top = 0.0;\n    for (int j = 0;",
        ),
    ),
    # Rows are as far apart as there are rows.
    Wrong(
        "hundredthree_softmax_pitch_of_rows",
        "hundredthree_softmax",
        "sides / other element / bounds | numbers / nan / unwritten",
        ("in + (size_t)row * cols", "in + (size_t)row * rows"),
    ),
    # One row too many is taken.
    Wrong(
        "hundredthree_softmax_one_row_more",
        "hundredthree_softmax",
        "bounds / tail",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "hundredthree_norm_of_sample",
        "hundredthree_norm",
        "function | numbers / nan / infinity",
        ("var /= cols;", "var /= cols - 1;"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "hundredthree_norm_squares_less_square",
        "hundredthree_norm",
        "precision | numbers / nan / infinity / function",
        ("            float d = row[c] - mean;\n", "            float d = row[c];\n"),
        ("        var /= cols;\n", "        var = var / cols - mean * mean;\n"),
    ),
    # The small number is forgotten.
    Wrong(
        "hundredthree_norm_no_eps",
        "hundredthree_norm",
        "function / left out / nan / infinity | numbers",
        ("rsqrtf(var + eps)", "rsqrtf(var)"),
    ),
    # The mean is a whole number.
    Wrong(
        "hundredthree_norm_whole_mean",
        "hundredthree_norm",
        "rounding / precision | numbers / function / nan",
        ("float mean = total / cols;", "int mean = total / cols;"),
    ),
    # The first of a row is added twice.
    Wrong(
        "hundredthree_norm_first_twice",
        "hundredthree_norm",
        "twice / start | numbers / function",
        ("float total = 0.0f;", "float total = row[0];"),
    ),
    # ---- turn
    # Rows of the result have the pitch of the way in.
    Wrong(
        "hundredthree_turn_pitch_of_way_in",
        "hundredthree_turn",
        "sides / other element / bounds / unwritten | numbers / swapped / race / nan / twice",
        ("out[(size_t)r * rows + c]", "out[(size_t)r * cols + c]"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "hundredthree_turn_no_barrier",
        "hundredthree_turn",
        "race | numbers / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # The tile itself is not turned.
    Wrong(
        "hundredthree_turn_tile_as_it_is",
        "hundredthree_turn",
        "swapped / other element / sides | numbers / unwritten",
        ("= tile[tx][ty];", "= tile[ty][tx];"),
    ),
    # The second test is that of the way in.
    Wrong(
        "hundredthree_turn_test_of_way_in",
        "hundredthree_turn",
        "sides / unwritten / bounds / left out | numbers / nan / swapped / other element",
        ("if (r < cols && c < rows)", "if (r < rows && c < cols)"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredthree_turn_no_stream",
        "hundredthree_turn",
        "stream",
        ("dim3(SIDE, SIDE), 0, stream>>>", "dim3(SIDE, SIDE)>>>"),
    ),
    # ---- matmul
    # The second matrix is read as if it were not transposed.
    Wrong(
        "hundredthree_matmul_not_transposed",
        "hundredthree_matmul",
        "swapped / sides / other element | numbers / nan",
        ("b[col * k + p]", "b[p * n + col]"),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "hundredthree_matmul_grid_swapped",
        "hundredthree_matmul",
        "grid / sides / swapped / unwritten / left out | nan / tail / numbers",
        ("grid((n + 15) / 16, (m + 15) / 16)", "grid((m + 15) / 16, (n + 15) / 16)"),
    ),
    # The last of k is left out.
    Wrong(
        "hundredthree_matmul_last_left_out",
        "hundredthree_matmul",
        "left out / tail | numbers / nan",
        ("p < k; p++", "p < k - 1; p++"),
    ),
    # One of two tests is enough.
    Wrong(
        "hundredthree_matmul_or_for_and",
        "hundredthree_matmul",
        "bounds / sides / other element / race | numbers / tail",
        ("if (row < m && col < n)", "if (row < m || col < n)"),
    ),
    # The sum is a whole number.
    Wrong(
        "hundredthree_matmul_whole_sum",
        "hundredthree_matmul",
        "rounding / precision | numbers / nan / function / whole range",
        ("float acc = 0.0f;", "int acc = 0;"),
    ),
)

RIGHT = (
    # Indices have no sign.
    Right(
        "hundredthree_add_unsigned",
        "hundredthree_add",
        ("float* y, int n) {\n  int stride", "float* y, uint32_t n) {\n  uint32_t stride"),
        ("for (int i =", "for (uint32_t i ="),
    ),
    # The count has 64 bits, and so has the index.
    Right(
        "hundredthree_times_64_bits",
        "hundredthree_times",
        ("double *out, int n)", "double *out, int64_t n)"),
        ("    int i = blockIdx.x * BLOCK", "    int64_t i = (int64_t)blockIdx.x * BLOCK"),
        (" int n, cudaStream_t", " int64_t n, cudaStream_t"),
        ("int blocks = (n + BLOCK - 1)", "int64_t blocks = (n + BLOCK - 1)"),
        ("times<<<blocks, BLOCK", "times<<<(unsigned)blocks, BLOCK"),
    ),
    # Two blocks more than needed are launched.
    Right(
        "hundredthree_widen_idle_blocks",
        "hundredthree_widen",
        ("widen<<<blocks, threads", "widen<<<blocks + 2, threads"),
    ),
    # The result stands first.
    Right(
        "hundredthree_floats_result_first",
        "hundredthree_floats",
        (
            "launch(const int* numbers,  // [n]\n"
            "                       float* result,       // [n]\n",
            "launch(float* result,       // [n]\n"
            "                       const int* numbers,  // [n]\n",
        ),
    ),
    # Blocks are rounded up by hand.
    Right(
        "hundredthree_tanh_rounded_by_hand",
        "hundredthree_tanh",
        ("(n + block_size - 1) / block_size", "n / block_size + (n % block_size != 0)"),
    ),
    # Blocks of 1,024 walk over all.
    Right(
        "hundredthree_elu_walk",
        "hundredthree_elu",
        (
            "    int i = blockDim.x * blockIdx.x + threadIdx.x;\n    if (i < n) {\n",
            "    int i = blockDim.x * blockIdx.x + threadIdx.x;\n"
            "    for (; i < n; i += gridDim.x * blockDim.x) {\n",
        ),
        ("elu<<<(n + 191) / 192, 192,", "elu<<<8, 1024,"),
    ),
    # NaN is asked for first.
    Right(
        "hundredthree_clamp_nan_first",
        "hundredthree_clamp",
        (
            "    if (v < lo) return lo;\n    if (v > hi) return hi;\n    return v;\n",
            "    return isnan(v) ? v : fminf(fmaxf(v, lo), hi);\n",
        ),
    ),
    # The tree goes upwards.
    Right(
        "hundredthree_sum_upwards",
        "hundredthree_sum",
        (
            "int half = THREADS / 2; half > 0; half /= 2) {\n    if (t < half) s[t]",
            "int half = 1; half < THREADS; half *= 2) {\n    if (t % (2 * half) == 0) s[t]",
        ),
    ),
    # A kernel sets the count to 0.
    Right(
        "hundredthree_nans_zeroed_by_kernel",
        "hundredthree_nans",
        ('extern "C"', '__global__ void zero(int *count)\n{\n    *count = 0;\n}\n\nextern "C"'),
        (
            "    cudaMemsetAsync(count, 0, sizeof(int), stream);\n",
            "    zero<<<1, 1, 0, stream>>>(count);\n",
        ),
    ),
    # Eight warps make a block, and shuffles go across.
    Right(
        "hundredthree_top_eight_warps",
        "hundredthree_top",
        ("blockIdx.x * 4 + warp", "blockIdx.x * 8 + warp"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("<<<(rows + 3) / 4, 128,", "<<<(rows + 7) / 8, 256,"),
    ),
    # The exponentials are stored and then divided.
    Right(
        "hundredthree_softmax_stored",
        "hundredthree_softmax",
        ("        sum += exp(src[j] - top);\n", "        sum += dst[j] = exp(src[j] - top);\n"),
        ("dst[j] = exp(src[j] - top) / sum;", "dst[j] /= sum;"),
    ),
    # Mean and variance are doubles.
    Right(
        "hundredthree_norm_in_doubles",
        "hundredthree_norm",
        ("float total = 0.0f;", "double total = 0.0;"),
        ("float mean = total / cols;", "double mean = total / cols;"),
        ("float var = 0.0f;", "double var = 0.0;"),
        ("float d = row[c] - mean;", "double d = row[c] - mean;"),
        ("float scale = rsqrtf(var + eps);", "double scale = 1.0 / sqrt(var + eps);"),
    ),
    # Rows of the tile are 33 apart.
    Right(
        "hundredthree_turn_padded",
        "hundredthree_turn",
        ("tile[SIDE][SIDE];", "tile[SIDE][SIDE + 1];"),
    ),
    # Blocks have 32 columns and 8 rows.
    Right(
        "hundredthree_matmul_32_by_8",
        "hundredthree_matmul",
        ("dim3 block(16, 16);", "dim3 block(32, 8);"),
        ("grid((n + 15) / 16, (m + 15) / 16)", "grid((n + 31) / 32, (m + 7) / 8)"),
    ),
)
