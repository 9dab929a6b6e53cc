"""Hold a hundred and first family: plain operators of a first half year, and plain mistakes.

Its bases are the difference of int64 arrays, the product of three halves, float to bfloat16,
bfloat16 to half, leaky relu, logistic loss, the reciprocal square root of doubles, how many
numbers lie above a threshold, the smallest of an array, the sum of each row, log softmax of
halves, rms norm with a gain, a transpose of int64, and a vector times a matrix. They use a
number a thread, half2 with the last one apart, a loop over a grid of 40 blocks, pairs where
both addresses are even to 4, float4 with the rest for the first threads, four numbers a thread
a block apart, ballots with an atomic a warp, a tree in shared memory of one block, a thread a
row, a block a row with two trees, a tile of 16 with a filler, and pieces of a vector in shared
memory. Their mistakes are spread over alignment, sizes, grids, integers of 32 bits, values,
rounding, NaN, infinity, inputs that are written, outputs that are not set, sums, transposes,
products, order and streams. The causes were written before a member was judged. There are 70
wrong members and 14 right ones. On the emulator each was run and compared as a case does,
called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in
others), with tensors at either end of their pages, the bytes behind them and their inputs
looked at afterwards, on a stream that is not the default one, with threads in order, from the
last to the first and in a random order, and in the slices that the cases name. Bases and right
ones ran all cases; wrong ones until they were wrong often enough. Warps that add without an
atomic were wrong from 4,099 numbers on, and not each time. Of more than 2^31 numbers the
smallest was begun, not ended. nvcc 13.0 compiles the bases for 8.0; none was run on a GPU.
Bases and right ones are right, and all others wrong or refused by a fault:

    hundredone_minus_in_int                 of differences beyond 32 bits
    hundredone_minus_in_double              beyond 2^53
    hundredone_minus_other_way              unless both are alike
    hundredone_minus_blocks_rounded_down    from a second block on, unless it is a whole one
    hundredone_minus_always_256             of other block sizes, from a second block on
    hundredone_triple_in_half2              if two factors overflow or lose bits as a half
    hundredone_triple_no_last               of odd counts
    hundredone_triple_first_factor_again    from 2 numbers on
    hundredone_triple_one_is_a_pair         of odd counts
    hundredone_triple_c_anywhere            from 2 numbers on, by the address of c
    hundredone_shorten_cut_off              of half of all numbers
    hundredone_shorten_by_half              of nearly all that are large or small, and of ties
    hundredone_shorten_bits_of_nan          of NaN with many bits set, or with low ones only
    hundredone_shorten_one_step             from 40 blocks and a number on: 7,681 at 192
    hundredone_shorten_tiny_is_zero         of subnormal numbers
    hundredone_rebrand_tests_result_only    by the address of src alone
    hundredone_rebrand_saturates            from 65,520 on, in pairs
    hundredone_rebrand_odd_one_lost         of odd counts, in pairs
    hundredone_rebrand_pairs_toward_zero    of what is no half, in pairs
    hundredone_rebrand_pairs_no_stream      on another stream, in pairs
    hundredone_leaky_rest_copied            of a rest below 0
    hundredone_leaky_nan_in_no_half         of NaN, and of -0.0
    hundredone_leaky_steep                  below 0
    hundredone_leaky_third_again            from 4 numbers on
    hundredone_leaky_y_anywhere             from 4 numbers on, by the address of y
    hundredone_logistic_overflows           of scores from 89 on, and where terms cancel
    hundredone_logistic_adds_one            of scores that are far from 0 and right
    hundredone_logistic_targets_first       of nearly all
    hundredone_logistic_no_minus            of nearly all
    hundredone_logistic_launched_with_128   of block sizes above 128, from 129 numbers on
    hundredone_reciproot_of_float           of nearly all
    hundredone_reciproot_zero_for_others    of 0, of what is below, and of NaN
    hundredone_reciproot_is_root            of all but 1
    hundredone_reciproot_threads_overlap    from 68 numbers on at 64
    hundredone_reciproot_one_too_many       unless 4 times the block size divides n
    hundredone_above_not_set                unless 0 was there
    hundredone_above_or_equal               if a number is the threshold
    hundredone_above_no_atomic              where two warps add at once
    hundredone_above_first_warp             if others of the block have votes
    hundredone_above_nan_counts             of NaN
    hundredone_smallest_starts_at_0         if all are above 0
    hundredone_smallest_quarter_tree        if the smallest is a thread's from 128 on
    hundredone_smallest_no_barrier          where threads do not wait for another
    hundredone_smallest_last_left_out       if the last is the smallest
    hundredone_smallest_idle_store_nothing  below 256 numbers, by what lies there
    hundredone_rowsum_pitch_m               from 2 rows on, unless the matrix is square
    hundredone_rowsum_blocks_of_columns     if the columns need fewer blocks
    hundredone_rowsum_integer               of fractions
    hundredone_rowsum_first_twice           unless the first is 0
    hundredone_rowsum_adds_to_sums          unless 0 was there
    hundredone_logsoft_starts_at_0          of rows that are far below 0
    hundredone_logsoft_no_middle_barrier    where threads do not wait for another
    hundredone_logsoft_not_shifted          of rows that are far from 0
    hundredone_logsoft_sum_of_halves        of longer rows
    hundredone_logsoft_base_2               from 2 columns on
    hundredone_rmsrow_gain_of_row           of nearly all
    hundredone_rmsrow_no_mean               from 2 columns on
    hundredone_rmsrow_scaled_in_place       always: x is overwritten
    hundredone_rmsrow_last_column           always
    hundredone_rmsrow_no_eps                of rows of 0 (NaN), and of small ones
    hundredone_turn_tile_not_turned         of nearly all
    hundredone_turn_pitch_of_source         unless the matrix is square
    hundredone_turn_no_barrier              where threads do not wait for another
    hundredone_turn_grid_swapped            unless the tiles are as many each way
    hundredone_turn_tile_of_int             beyond 32 bits
    hundredone_vecmat_pitch_k               unless the matrix is square, or k is 1
    hundredone_vecmat_whole_pieces          unless 64 divides k
    hundredone_vecmat_idle_load_nothing     unless 64 divides n, or k is small
    hundredone_vecmat_last_piece_alone      from k = 65 on
    hundredone_vecmat_half_the_blocks       from 65 columns on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Difference of int64 arrays, one number a thread.
MINUS = (
    HEADER
    + """\
__global__ void minus_kernel(const int64_t* a, const int64_t* b, int64_t* out, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) {
    int64_t left = a[idx];
    int64_t right = b[idx];
    out[idx] = left - right;
  }
}

extern "C" void launch(const int64_t* a,  // [n]
                       const int64_t* b,  // [n]
                       int64_t* out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  minus_kernel<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Product of three halves, a pair a thread, computed in float.
TRIPLE = (
    HEADER
    + """\
__global__ void triple(const half *a, const half *b, const half *c, half *y, int n)
{
    int i = 2 * (blockDim.x * blockIdx.x + threadIdx.x);

    if (i + 1 < n) {
        float2 p = __half22float2(*(const half2 *)&a[i]);
        float2 q = __half22float2(*(const half2 *)&b[i]);
        float2 r = __half22float2(*(const half2 *)&c[i]);
        *(half2 *)&y[i] = __floats2half2_rn(p.x * q.x * r.x, p.y * q.y * r.y);
    } else if (i < n) {
        y[i] = __float2half(__half2float(a[i]) * __half2float(b[i]) * __half2float(c[i]));
    }
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       const half *c,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    if (pairs == 0)
        return;
    triple<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, c, y, n);
}
"""
)

# Float to bfloat16, in a loop over the grid.
SHORTEN = (
    HEADER
    + """\
#define MAX_BLOCKS 40

static __device__ __forceinline__ __nv_bfloat16 shorten(float v) {
  return __float2bfloat16(v);
}

__global__ void shorten_all(const float* __restrict__ in, __nv_bfloat16* __restrict__ out,
                            int count) {
  int first = threadIdx.x + blockIdx.x * blockDim.x;
  for (int k = first; k < count; k += gridDim.x * blockDim.x) {
    out[k] = shorten(in[k]);
  }
}

extern "C" void launch(const float* in,     // [count]
                       __nv_bfloat16* out,  // [count]
                       int count, int block_size = 192, cudaStream_t stream = 0) {
  if (count <= 0) return;
  int blocks = (count - 1) / block_size + 1;
  if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
  shorten_all<<<blocks, block_size, 0, stream>>>(in, out, count);
}
"""
)

# Bfloat16 to half, in pairs where both addresses allow it.
REBRAND = (
    HEADER
    + """\
__global__ void one_by_one(const __nv_bfloat16 *src, half *dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        dst[i] = __float2half(__bfloat162float(src[i]));
}

__global__ void two_by_two(const __nv_bfloat16 *src, half *dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float2 v = __bfloat1622float2(((const __nv_bfloat162 *)src)[i]);
        ((half2 *)dst)[i] = __floats2half2_rn(v.x, v.y);
    }
    if (i == 0 && n % 2 == 1)
        dst[n - 1] = __float2half(__bfloat162float(src[n - 1]));
}

static bool even(const void *p) { return ((uintptr_t)p & 3) == 0; }

extern "C" void launch(const __nv_bfloat16 *src,  // [n]
                       half *dst,                 // [n]
                       int n, cudaStream_t stream = 0)
{
    const int threads = 64;
    if (n == 0)
        return;
    if (even(src) && even(dst))
        two_by_two<<<n / 2 / threads + 1, threads, 0, stream>>>(src, dst, n);
    else
        one_by_one<<<n / threads + 1, threads, 0, stream>>>(src, dst, n);
}
"""
)

# Leaky relu in float4; the first threads take the rest.
LEAKY = (
    HEADER
    + """\
__device__ float leak(float v) { return v < 0.0f ? 0.01f * v : v; }

__global__ void leaky4(const float* x, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    float4 v = reinterpret_cast<const float4*>(x)[t];
    float4 r;
    r.x = leak(v.x);
    r.y = leak(v.y);
    r.z = leak(v.z);
    r.w = leak(v.w);
    reinterpret_cast<float4*>(y)[t] = r;
  }
  int i = 4 * packs + t;
  if (t < 4 && i < n) y[i] = leak(x[i]);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = n / 4 + 4;
  leaky4<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Logistic loss of scores and targets.
LOGISTIC = (
    HEADER
    + """\
__device__ float log_loss(float score, float target)
{
    float soft = log1pf(expf(-fabsf(score)));
    return fmaxf(score, 0.0f) - score * target + soft;
}

__global__ void losses(const float *score, const float *target, float *loss, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    loss[i] = log_loss(score[i], target[i]);
}

extern "C" void launch(const float *score,   // [n]
                       const float *target,  // [n]
                       float *loss,          // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    const int grid = (n + block_size - 1) / block_size;
    losses<<<grid, block_size, 0, stream>>>(score, target, loss, n);
}
"""
)

# Reciprocal square roots of doubles, four a thread.
RECIPROOT = (
    HEADER
    + """\
constexpr int PER_THREAD = 4;

__global__ void reciproot(const double* x, double* y, int n) {
  int base = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
#pragma unroll
  for (int j = 0; j < PER_THREAD; ++j) {
    int i = base + j * blockDim.x;
    if (i < n) y[i] = rsqrt(x[i]);
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
  int per_block = block_size * PER_THREAD;
  int blocks = (n + per_block - 1) / per_block;
  if (blocks != 0) reciproot<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# How many numbers lie above a threshold: ballots, and an atomic a warp.
ABOVE = (
    HEADER
    + """\
__global__ void count_above(const float *x, int *count, float threshold, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    bool hit = i < n && x[i] > threshold;
    unsigned votes = __ballot_sync(0xffffffffu, hit);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, __popc(votes));
}

extern "C" void launch(const float *x,  // [n]
                       int *count,      // [1]
                       float threshold, int n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    count_above<<<(n + 127) / 128, 128, 0, stream>>>(x, count, threshold, n);
}
"""
)

# The smallest of an array, by one block and a tree.
SMALLEST = (
    HEADER
    + """\
#define THREADS 256

__device__ float smaller(float a, float b) { return (a != a || a < b) ? a : b; }

__global__ void smallest(const float* x, float* out, int64_t n) {
  __shared__ float tree[THREADS];
  int t = threadIdx.x;
  float best = INFINITY;
  for (int64_t i = t; i < n; i += THREADS) best = smaller(best, x[i]);
  tree[t] = best;
  __syncthreads();
  for (int half_way = THREADS / 2; half_way >= 1; half_way /= 2) {
    if (t < half_way) tree[t] = smaller(tree[t], tree[t + half_way]);
    __syncthreads();
  }
  if (t == 0) *out = tree[0];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  smallest<<<1, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The sum of each row, a thread a row.
ROWSUM = (
    HEADER
    + """\
__global__ void row_sum(const float *x, float *sums, int m, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        float total = 0.0f;
        for (int col = 0; col < n; col++)
            total += x[row * n + col];
        sums[row] = total;
    }
}

extern "C" void launch(const float *x,  // [m, n]
                       float *sums,     // [m]
                       int m, int n, int block_size = 96, cudaStream_t stream = 0)
{
    int blocks = (m + block_size - 1) / block_size;
    row_sum<<<blocks, block_size, 0, stream>>>(x, sums, m, n);
}
"""
)

# Log softmax of halves, a block a row.
LOGSOFT = (
    HEADER
    + """\
#define NT 64

__global__ void logsoft(const half* x, half* y, int cols) {
  __shared__ float buf[NT];
  const half* in = x + (size_t)blockIdx.x * cols;
  half* out = y + (size_t)blockIdx.x * cols;
  int tid = threadIdx.x;

  float top = -INFINITY;
  for (int c = tid; c < cols; c += NT) top = fmaxf(top, __half2float(in[c]));
  buf[tid] = top;
  __syncthreads();
  for (int s = NT / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
    __syncthreads();
  }
  top = buf[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = tid; c < cols; c += NT) sum += expf(__half2float(in[c]) - top);
  buf[tid] = sum;
  __syncthreads();
  for (int s = NT / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] += buf[tid + s];
    __syncthreads();
  }
  float shift = top + logf(buf[0]);
  for (int c = tid; c < cols; c += NT) out[c] = __float2half(__half2float(in[c]) - shift);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  logsoft<<<rows, NT, 0, stream>>>(x, y, cols);
}
"""
)

# Rms norm with a gain, a thread a row.
RMSROW = (
    HEADER
    + """\
__global__ void rms_row(const float *x, const float *gain, float *y, float eps, int rows,
                        int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    const float *from = x + r * cols;
    float *to = y + r * cols;

    float squares = 0.0f;
    for (int c = 0; c < cols; ++c)
        squares += from[c] * from[c];
    float inv = rsqrtf(squares / cols + eps);

    for (int c = 0; c < cols; ++c)
        to[c] = from[c] * inv * gain[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, int block_size = 64,
                       cudaStream_t stream = 0)
{
    int blocks = (rows + block_size - 1) / block_size;
    rms_row<<<blocks, block_size, 0, stream>>>(x, gain, y, eps, rows, cols);
}
"""
)

# Transpose of int64 by a tile.
TURN = (
    HEADER
    + """\
#define TILE 16

__global__ void turn(const int64_t* src, int64_t* dst, int rows, int cols) {
  __shared__ int64_t tile[TILE][TILE + 1];

  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = src[row * cols + col];

  __syncthreads();

  int to_col = blockIdx.y * TILE + threadIdx.x;
  int to_row = blockIdx.x * TILE + threadIdx.y;
  if (to_row < cols && to_col < rows)
    dst[to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const int64_t* src,  // [rows, cols]
                       int64_t* dst,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 threads(TILE, TILE);
  dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  turn<<<blocks, threads, 0, stream>>>(src, dst, rows, cols);
}
"""
)

# Vector times matrix, a thread a column; the vector comes in pieces.
VECMAT = (
    HEADER
    + """\
#define PIECE 64

__global__ void vecmat(const float *v, const float *a, float *y, int k, int n)
{
    __shared__ float piece[PIECE];
    int col = blockIdx.x * PIECE + threadIdx.x;
    float dot = 0.0f;

    for (int start = 0; start < k; start += PIECE) {
        int mine = start + threadIdx.x;
        piece[threadIdx.x] = mine < k ? v[mine] : 0.0f;
        __syncthreads();
        int end = min(PIECE, k - start);
        if (col < n)
            for (int j = 0; j < end; j++)
                dot += piece[j] * a[(start + j) * n + col];
        __syncthreads();
    }
    if (col < n)
        y[col] = dot;
}

extern "C" void launch(const float *v,  // [k]
                       const float *a,  // [k, n]
                       float *y,        // [n]
                       int k, int n, cudaStream_t stream = 0)
{
    int blocks = (n + PIECE - 1) / PIECE;
    vecmat<<<blocks, PIECE, 0, stream>>>(v, a, y, k, n);
}
"""
)

COUNTS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512, 513)
LONG = (1000, 1023, 1024, 1025, 4099, 20_000, 65_537, 100_003)
SIDES = (
    *((1, 1), (1, 2), (2, 1), (3, 5), (5, 3), (7, 7), (15, 17), (16, 16), (17, 15), (31, 33)),
    *((32, 32), (33, 31), (64, 64), (63, 65), (65, 63), (1, 300), (300, 1), (3, 257), (257, 3)),
    *((64, 128), (128, 64), (100, 130), (130, 100), (2, 1025), (1025, 2), (5, 4099)),
)


def randoms(*shape: int, seed: int) -> torch.Tensor:
    """Draw random float32 numbers about 0."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def minuses(launcher: Launcher) -> Iterator[Case]:
    """Subtract small and large integers, and neighbours beyond 2^53."""

    def case(label: str, a: torch.Tensor, b: torch.Tensor, **more: int) -> Case:
        return Case(label, (a, b), (a - b,), more, dtypes=(torch.int64,))

    for n in (*COUNTS, *LONG):
        yield case(f"n = {n:,}", whole(-999, 999, n, n), whole(-999, 999, n, n + 1))
    for n in (5, 64, 1000, 4099):
        a, b = whole(-(2**61), 2**61, n, n), whole(-(2**61), 2**61, n, n + 1)
        yield case(f"n = {n:,}, of 62 bits", a, b)
        yield case(f"n = {n:,}, nearly equal", a, a - whole(-9, 10, n, n + 2))
    for block_size in (32, 64, 96, 128, 512, 1024):
        for n in (1, 70, 1000, 10_001):
            a, b = whole(-999, 999, n, 3), whole(-999, 999, n, 4)
            yield case(f"n = {n:,}, block_size = {block_size}", a, b, block_size=block_size)


def losses(launcher: Launcher) -> Iterator[Case]:
    """Take the loss of small, large and special scores, with targets of 0, 1 and between."""

    def case(label: str, x: torch.Tensor, t: torch.Tensor, **more: int) -> Case:
        s, u = x.double(), t.double()
        right = s.clamp(min=0) - s * u + torch.log1p(torch.exp(-s.abs()))
        near = 2.0**-22 * (s.abs() * ((u != 0) & (u != 1)) + 0 * s).nan_to_num(0.0, 0.0, 0.0)
        return Case(label, (x, t), (right,), more, 6, dtypes=(torch.float32,), within=(near,))

    for n in (*COUNTS, *LONG):
        yield case(f"n = {n:,}", randoms(n, seed=n) * 3, whole(0, 2, n, n).float())
    for n in (33, 257, 1000):
        some = whole(0, 2, n, n + 1).float()
        yield case(f"n = {n}, large scores", randoms(n, seed=n) * 60, some)
        sure = 10 + 8 * torch.rand(n, generator=torch.Generator().manual_seed(n))
        yield case(f"n = {n}, sure and right", sure * (2 * some - 1), some)
        share = torch.rand(n, generator=torch.Generator().manual_seed(n + 1))
        yield case(f"n = {n}, targets between", randoms(n, seed=n) * 3, share)
    odd = torch.tensor([0.0, -0.0, 88.0, -88.0, 100.0, -100.0, 1e4, -1e4, float("nan")])
    for target in (0.0, 1.0):
        yield case(f"special scores, targets {target}", odd, torch.full((9,), target))
    for block_size in (32, 64, 96, 256, 1024):
        for n in (1, 500, 3001):
            x, t = randoms(n, seed=n), whole(0, 2, n, 5).float()
            yield case(f"n = {n:,}, block_size = {block_size}", x, t, block_size=block_size)


def aboves(launcher: Launcher) -> Iterator[Case]:
    """Count whole, equal and special numbers above thresholds."""

    def case(label: str, x: torch.Tensor, threshold: float) -> Case:
        right = (x > threshold).sum().reshape(1)
        return Case(label, (x,), (right,), {"threshold": threshold}, dtypes=(torch.int32,))

    for n in (*COUNTS, *LONG):
        x = whole(-9, 10, n, n).float()
        for threshold in (0.0, 4.5, -3.0):
            yield case(f"n = {n:,}, threshold {threshold}", x, threshold)
    for n in (40, 129, 1000):
        yield case(f"n = {n}, all above", torch.ones(n), 0.5)
        yield case(f"n = {n}, all equal", torch.ones(n), 1.0)
        yield case(f"n = {n}, all below", -torch.ones(n), 0.0)
        x = randoms(n, seed=n)
        x[::7], x[3::7], x[5::7] = float("nan"), float("inf"), -float("inf")
        yield case(f"n = {n}, NaN and infinities", x, 0.25)


def log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take rows of every kind: random, far from 0, equal, a number alone, a NaN."""

    def case(label: str, x: torch.Tensor) -> Case:
        right = torch.log_softmax(x.double(), 1)
        near = torch.full_like(right, 2.0**-18)
        near += 2.0**-21 * x.double().abs().amax(dim=1, keepdim=True).nan_to_num(0.0, 0.0, 0.0)
        return Case(label, (x,), (right,), {}, 1, dtypes=(torch.float16,), within=(near,))

    for cols in (*range(1, 71), 127, 128, 129, 255, 256, 257, 1000, 4099):
        yield case(f"3 rows, {cols:,} columns", randoms(3, cols, seed=cols).half())
    for rows, cols in SIDES:
        x = (4 * randoms(rows, cols, seed=rows)).half()
        yield case(f"{rows:,} rows, {cols:,} columns", x)
    for cols in (5, 64, 100, 513):
        x = randoms(4, cols, seed=cols)
        yield case(f"{cols} columns, far above 0", (x + 200).half())
        yield case(f"{cols} columns, far below 0", (x - 200).half())
        yield case(f"{cols} columns, all 0", torch.zeros(4, cols).half())
        x[1, cols // 2] = float("nan")
        yield case(f"{cols} columns, one NaN", x.half())
    yield case("60,000 columns", torch.zeros(2, 60_000).half())


def rms_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of every kind: random, small, large, of zeros, with a NaN."""

    def case(label: str, x: torch.Tensor, g: torch.Tensor, eps: float, **more: int) -> Case:
        small = torch.tensor(eps).double()
        right = x.double() * (x.double().square().mean(1, keepdim=True) + small).rsqrt()
        ulp = 8 + x.shape[1] / 2
        scalars = {"eps": eps, **more}
        outputs = (right * g.double(),)
        return Case(label, (x, g), outputs, scalars, ulp, dtypes=(torch.float32,))

    shapes = [*SIDES, *((3, cols) for cols in range(1, 71)), *((n, 9) for n in range(1, 71))]
    for rows, cols in [*shapes, (1000, 17)]:
        x, g = randoms(rows, cols, seed=cols), randoms(cols, seed=cols + 1)
        yield case(f"{rows:,} rows, {cols:,} columns", x, g, 1e-5)
    for rows, cols in ((4, 7), (70, 33)):
        x, g = randoms(rows, cols, seed=rows), randoms(cols, seed=rows + 1)
        yield case(f"{rows} rows, {cols} columns, small", x * 1e-3, g, 1e-5)
        yield case(f"{rows} rows, {cols} columns, large", x * 1e4, g, 1e-5)
        yield case(f"{rows} rows, {cols} columns, eps 0.5", x, g, 0.5)
        yield case(f"{rows} rows, {cols} columns, below 0", -x.abs(), g, 1e-6)
        z = x.clone()
        z[1], z[2, cols // 2] = 0, float("nan")
        yield case(f"{rows} rows, {cols} columns, zeros and a NaN", z, g, 1e-5)
    for block_size in (32, 96, 256):
        x, g = randoms(300, 5, seed=1), randoms(5, seed=2)
        yield case(f"300 rows, block_size = {block_size}", x, g, 1e-5, block_size=block_size)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose numbers of 62 bits and small ones, of square, thin and odd sides."""

    def case(label: str, x: torch.Tensor) -> Case:
        return Case(label, (x,), (x.T.contiguous(),), dtypes=(torch.int64,))

    sides = [*SIDES, *((n, 20) for n in range(1, 71)), (1, 20_011), (20_011, 1), (200, 300)]
    for rows, cols in sides:
        n = rows * cols
        small = whole(-999, 999, n, n).reshape(rows, cols)
        yield case(f"{rows:,} rows, {cols:,} columns", small)
    for rows, cols in ((5, 7), (33, 50), (64, 32)):
        x = whole(-(2**61), 2**61, rows * cols, rows).reshape(rows, cols)
        yield case(f"{rows} rows, {cols} columns, of 62 bits", x)


def vecmats(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole and random numbers, of long, thin and odd sides; zeros and a NaN."""

    def case(label: str, v: torch.Tensor, a: torch.Tensor, ulp: float = 0) -> Case:
        right = v.double() @ a.double()
        return Case(label, (v, a), (right,), ulp=ulp, dtypes=(torch.float32,))

    sides = [*SIDES, *((n, 40) for n in range(1, 71)), *((40, n) for n in range(1, 71))]
    for k, n in [*sides, (20_011, 2), (2, 20_011), (200, 300)]:
        v, a = whole(-9, 10, k, k), whole(-9, 10, k * n, k + n).reshape(k, n)
        yield case(f"k = {k:,}, n = {n:,}", v.float(), a.float())
    for k, n in ((5, 7), (64, 100), (129, 33)):
        v, a = randoms(k, seed=k).abs() + 0.5, randoms(k, n, seed=n).abs() + 0.5
        yield case(f"k = {k}, n = {n}, fractions", v, a, k)
        yield case(f"k = {k}, n = {n}, zeros", torch.zeros(k), a)
        a, v = whole(-9, 10, k * n, 7).reshape(k, n).float(), whole(1, 9, k, 8).float()
        a[k - 1, n // 2] = float("nan")
        yield case(f"k = {k}, n = {n}, a NaN", v, a)


def leaky(x: torch.Tensor) -> torch.Tensor:
    """Return x, or 0.01f of it below 0."""
    return torch.where(x < 0, torch.tensor(0.01).double() * x, x)


BASES = {
    "hundredone_minus": Base(MINUS, {"cases": minuses}),
    "hundredone_triple": Base(TRIPLE, {"reference": lambda a, b, c: a * b * c, "ulp": 1}),
    "hundredone_shorten": Base(SHORTEN, {"reference": "cast"}),
    "hundredone_rebrand": Base(REBRAND, {"reference": "cast"}),
    "hundredone_leaky": Base(LEAKY, {"reference": leaky, "ulp": 1}),
    "hundredone_logistic": Base(LOGISTIC, {"cases": losses}),
    "hundredone_reciproot": Base(RECIPROOT, {"reference": torch.rsqrt, "ulp": 2}),
    "hundredone_above": Base(ABOVE, {"cases": aboves}),
    "hundredone_smallest": Base(SMALLEST, cases="whole_array", function=torch.min),
    "hundredone_rowsum": Base(ROWSUM, cases="promises"),
    "hundredone_logsoft": Base(LOGSOFT, {"cases": log_softmaxes}),
    "hundredone_rmsrow": Base(RMSROW, {"cases": rms_rows}),
    "hundredone_turn": Base(TURN, {"cases": turns}),
    "hundredone_vecmat": Base(VECMAT, {"cases": vecmats}),
}

WRONG = (
    # ---- minus
    # The difference goes through an int.
    Wrong(
        "hundredone_minus_in_int",
        "hundredone_minus",
        "narrow / whole range | numbers",
        ("out[idx] = left - right;", "int d = left - right;\n    out[idx] = d;"),
    ),
    # The difference goes through a double.
    Wrong(
        "hundredone_minus_in_double",
        "hundredone_minus",
        "precision | numbers / rounding / narrow",
        ("left - right;", "(int64_t)((double)left - (double)right);"),
    ),
    # The second is not taken from the first, but the first from the second.
    Wrong(
        "hundredone_minus_other_way",
        "hundredone_minus",
        "swapped | function / numbers",
        ("left - right;", "right - left;"),
    ),
    # The number of blocks is rounded down, to 1 at least.
    Wrong(
        "hundredone_minus_blocks_rounded_down",
        "hundredone_minus",
        "grid / tail / unwritten / left out",
        ("(n + block_size - 1) / block_size;", "n < block_size ? 1 : n / block_size;"),
    ),
    # The block size is a number.
    Wrong(
        "hundredone_minus_always_256",
        "hundredone_minus",
        "block size | unwritten / left out / bounds / tail / other element / twice",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # ---- triple
    # Pairs are multiplied as halves.
    Wrong(
        "hundredone_triple_in_half2",
        "hundredone_triple",
        "rounding / precision / infinity | numbers / subnormal / nan / sign of zero",
        (
            "__floats2half2_rn(p.x * q.x * r.x, p.y * q.y * r.y)",
            "__hmul2(__hmul2(__float22half2_rn(p), __float22half2_rn(q)), "
            "__float22half2_rn(r))",
        ),
    ),
    # The last of an odd number is forgotten.
    Wrong(
        "hundredone_triple_no_last",
        "hundredone_triple",
        "tail / unwritten / left out",
        (
            " else if (i < n) {\n"
            "        y[i] = __float2half(__half2float(a[i]) * __half2float(b[i]) * "
            "__half2float(c[i]));\n    }",
            "",
        ),
    ),
    # The second of a pair takes the first one's last factor.
    Wrong(
        "hundredone_triple_first_factor_again",
        "hundredone_triple",
        "neighbour / other element / twice | numbers / left out",
        ("p.y * q.y * r.y", "p.y * q.y * r.x"),
    ),
    # A pair is taken where one number is left.
    Wrong(
        "hundredone_triple_one_is_a_pair",
        "hundredone_triple",
        "bounds / tail",
        ("if (i + 1 < n) {", "if (i + 1 <= n) {"),
    ),
    # The third factor may lie anywhere.
    Wrong(
        "hundredone_triple_c_anywhere",
        "hundredone_triple",
        "alignment",
        ("const half *c,  // [n] 4-byte aligned", "const half *c,  // [n]"),
    ),
    # ---- shorten
    # What does not fit is cut off.
    Wrong(
        "hundredone_shorten_cut_off",
        "hundredone_shorten",
        "rounding | infinity / numbers",
        ("return __float2bfloat16(v);", "return __float2bfloat16_rz(v);"),
    ),
    # The float becomes a half on its way.
    Wrong(
        "hundredone_shorten_by_half",
        "hundredone_shorten",
        "infinity / rounding / precision / whole range | numbers / subnormal",
        ("__float2bfloat16(v)", "__float2bfloat16(__half2float(__float2half(v)))"),
    ),
    # The bits are rounded by hand, those of NaN, too.
    Wrong(
        "hundredone_shorten_bits_of_nan",
        "hundredone_shorten",
        "nan | sign of zero / infinity / numbers",
        (
            "  return __float2bfloat16(v);",
            "  unsigned u = __float_as_uint(v);\n"
            "  u += 0x7fff + (u >> 16 & 1);\n"
            "  return __ushort_as_bfloat16((unsigned short)(u >> 16));",
        ),
    ),
    # Of the loop over the grid one step is left.
    Wrong(
        "hundredone_shorten_one_step",
        "hundredone_shorten",
        "grid / unwritten / left out | tail",
        (
            "  for (int k = first; k < count; k += gridDim.x * blockDim.x) {",
            "  int k = first;\n  if (k < count) {",
        ),
    ),
    # What is smaller than a normal number becomes 0.
    Wrong(
        "hundredone_shorten_tiny_is_zero",
        "hundredone_shorten",
        "subnormal | numbers",
        ("(v);\n}", "(fabsf(v) < FLT_MIN ? copysignf(0.0f, v) : v);\n}"),
    ),
    # ---- rebrand
    # Of two addresses one is tested.
    Wrong(
        "hundredone_rebrand_tests_result_only",
        "hundredone_rebrand",
        "alignment",
        ("even(src) && even(dst)", "even(dst)"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "hundredone_rebrand_saturates",
        "hundredone_rebrand",
        "infinity / whole range | numbers",
        (
            "float2 v = __bfloat1622float2(((const __nv_bfloat162 *)src)[i]);",
            "float2 v = __bfloat1622float2(((const __nv_bfloat162 *)src)[i]);\n"
            "        v.x = v.x > 65504.0f ? 65504.0f : v.x < -65504.0f ? -65504.0f : v.x;\n"
            "        v.y = v.y > 65504.0f ? 65504.0f : v.y < -65504.0f ? -65504.0f : v.y;",
        ),
    ),
    # In pairs the last of an odd number is forgotten.
    Wrong(
        "hundredone_rebrand_odd_one_lost",
        "hundredone_rebrand",
        "tail / unwritten / left out",
        (
            "    if (i == 0 && n % 2 == 1)\n"
            "        dst[n - 1] = __float2half(__bfloat162float(src[n - 1]));\n",
            "",
        ),
    ),
    # Pairs are rounded toward zero.
    Wrong(
        "hundredone_rebrand_pairs_toward_zero",
        "hundredone_rebrand",
        "rounding | infinity / numbers / subnormal / sign of zero",
        (
            "__floats2half2_rn(v.x, v.y)",
            "__halves2half2(__float2half_rz(v.x), __float2half_rz(v.y))",
        ),
    ),
    # Pairs are launched on the default stream.
    Wrong(
        "hundredone_rebrand_pairs_no_stream",
        "hundredone_rebrand",
        "stream",
        (
            "two_by_two<<<n / 2 / threads + 1, threads, 0, stream>>>",
            "two_by_two<<<n / 2 / threads + 1, threads>>>",
        ),
    ),
    # ---- leaky
    # The rest is copied.
    Wrong(
        "hundredone_leaky_rest_copied",
        "hundredone_leaky",
        "tail / copy / left out | numbers / function",
        ("y[i] = leak(x[i]);", "y[i] = x[i];"),
    ),
    # Two halves are added, of which NaN is in neither.
    Wrong(
        "hundredone_leaky_nan_in_no_half",
        "hundredone_leaky",
        "nan | sign of zero",
        (
            "return v < 0.0f ? 0.01f * v : v;",
            "return fmaxf(v, 0.0f) + 0.01f * fminf(v, 0.0f);",
        ),
    ),
    # The slope is ten times as steep.
    Wrong(
        "hundredone_leaky_steep",
        "hundredone_leaky",
        "function | numbers / infinity",
        ("0.01f * v", "0.1f * v"),
    ),
    # The fourth is made of the third.
    Wrong(
        "hundredone_leaky_third_again",
        "hundredone_leaky",
        "neighbour / other element / twice / left out | numbers",
        ("leak(v.w)", "leak(v.z)"),
    ),
    # The result may lie anywhere.
    Wrong(
        "hundredone_leaky_y_anywhere",
        "hundredone_leaky",
        "alignment",
        ("float* y,        // [n] 16-byte aligned", "float* y,        // [n]"),
    ),
    # ---- logistic
    # The exponential of a large score overflows.
    Wrong(
        "hundredone_logistic_overflows",
        "hundredone_logistic",
        "infinity / precision | nan / numbers",
        ("log1pf(expf(-fabsf(score)));", "log1pf(expf(score));"),
        ("fmaxf(score, 0.0f) - score * target + soft", "soft - score * target"),
    ),
    # 1 is added before the logarithm, in which what is small is lost.
    Wrong(
        "hundredone_logistic_adds_one",
        "hundredone_logistic",
        "precision | numbers / function",
        ("log1pf(expf(-fabsf(score)))", "logf(1.0f + expf(-fabsf(score)))"),
    ),
    # Scores and targets change places in the call.
    Wrong(
        "hundredone_logistic_targets_first",
        "hundredone_logistic",
        "swapped | function / numbers / precision",
        ("stream>>>(score, target, loss, n)", "stream>>>(target, score, loss, n)"),
    ),
    # The magnitude has no minus.
    Wrong(
        "hundredone_logistic_no_minus",
        "hundredone_logistic",
        "function / infinity | numbers",
        ("expf(-fabsf(score))", "expf(fabsf(score))"),
    ),
    # Blocks have 128 threads, whatever their number was counted with.
    Wrong(
        "hundredone_logistic_launched_with_128",
        "hundredone_logistic",
        "block size / grid / unwritten / left out | tail",
        ("losses<<<grid, block_size, 0", "losses<<<grid, 128, 0"),
    ),
    # ---- reciproot
    # The root is that of a float.
    Wrong(
        "hundredone_reciproot_of_float",
        "hundredone_reciproot",
        "precision | infinity / numbers / subnormal",
        ("rsqrt(x[i])", "rsqrtf((float)x[i])"),
    ),
    # What is not above 0 has the root 0.
    Wrong(
        "hundredone_reciproot_zero_for_others",
        "hundredone_reciproot",
        "nan / infinity / function | numbers / sign of zero",
        ("rsqrt(x[i])", "x[i] > 0.0 ? rsqrt(x[i]) : 0.0"),
    ),
    # The root is not turned over.
    Wrong(
        "hundredone_reciproot_is_root",
        "hundredone_reciproot",
        "function | numbers / infinity",
        ("rsqrt(x[i])", "sqrt(x[i])"),
    ),
    # A thread's numbers lie side by side, though threads do, too.
    Wrong(
        "hundredone_reciproot_threads_overlap",
        "hundredone_reciproot",
        "unwritten / left out / other element / twice | tail / block size / grid / neighbour",
        ("base + j * blockDim.x", "base + j"),
    ),
    # One too many is allowed.
    Wrong(
        "hundredone_reciproot_one_too_many",
        "hundredone_reciproot",
        "bounds / tail",
        ("if (i < n) y", "if (i <= n) y"),
    ),
    # ---- above
    # The count is not set before all add to it.
    Wrong(
        "hundredone_above_not_set",
        "hundredone_above",
        "zero before | state / numbers",
        ("    cudaMemsetAsync(count, 0, sizeof(int), stream);\n", ""),
    ),
    # The threshold itself is counted.
    Wrong(
        "hundredone_above_or_equal",
        "hundredone_above",
        "function | numbers",
        ("x[i] > threshold", "x[i] >= threshold"),
    ),
    # Warps add without an atomic.
    Wrong(
        "hundredone_above_no_atomic",
        "hundredone_above",
        "race | numbers / left out",
        ("atomicAdd(count, __popc(votes));", "*count += __popc(votes);"),
    ),
    # Only the first warp of a block adds its votes.
    Wrong(
        "hundredone_above_first_warp",
        "hundredone_above",
        "left out | numbers",
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
    ),
    # What is not below is counted, and so is NaN.
    Wrong(
        "hundredone_above_nan_counts",
        "hundredone_above",
        "nan | numbers / function / twice",
        ("x[i] > threshold", "!(x[i] <= threshold)"),
    ),
    # ---- smallest
    # The smallest begins with 0.
    Wrong(
        "hundredone_smallest_starts_at_0",
        "hundredone_smallest",
        "start | numbers",
        ("float best = INFINITY;", "float best = 0.0f;"),
    ),
    # The tree begins with a quarter of the threads.
    Wrong(
        "hundredone_smallest_quarter_tree",
        "hundredone_smallest",
        "left out | numbers / tail",
        ("half_way = THREADS / 2;", "half_way = THREADS / 4;"),
    ),
    # Levels of the tree do not wait for each other.
    Wrong(
        "hundredone_smallest_no_barrier",
        "hundredone_smallest",
        "race | numbers / left out / other element",
        ("tree[t + half_way]);\n    __syncthreads();\n", "tree[t + half_way]);\n"),
    ),
    # The last number is not looked at.
    Wrong(
        "hundredone_smallest_last_left_out",
        "hundredone_smallest",
        "tail / left out | numbers / start / infinity",
        ("for (int64_t i = t; i < n; i", "for (int64_t i = t; i < n - 1; i"),
    ),
    # Threads without a number store nothing, and what lies there is compared.
    Wrong(
        "hundredone_smallest_idle_store_nothing",
        "hundredone_smallest",
        "unwritten / start / left out | numbers / race / tail / nan / state",
        ("  tree[t] = best;", "  if (t < n) tree[t] = best;"),
    ),
    # ---- rowsum
    # Rows have the pitch of columns.
    Wrong(
        "hundredone_rowsum_pitch_m",
        "hundredone_rowsum",
        "sides / other element / bounds | numbers / swapped",
        ("x[row * n + col]", "x[row * m + col]"),
    ),
    # Blocks are counted by columns.
    Wrong(
        "hundredone_rowsum_blocks_of_columns",
        "hundredone_rowsum",
        "grid / unwritten / sides / left out | tail",
        ("(m + block_size - 1) / block_size;", "(n + block_size - 1) / block_size;"),
    ),
    # The sum is an integer.
    Wrong(
        "hundredone_rowsum_integer",
        "hundredone_rowsum",
        "rounding / precision | numbers / whole range / left out / narrow",
        ("float total = 0.0f;", "int total = 0;"),
    ),
    # The sum begins with the first number, which is added again.
    Wrong(
        "hundredone_rowsum_first_twice",
        "hundredone_rowsum",
        "start / twice | numbers",
        ("float total = 0.0f;", "float total = x[row * n];"),
    ),
    # Sums are added to what was there.
    Wrong(
        "hundredone_rowsum_adds_to_sums",
        "hundredone_rowsum",
        "zero before / state | nan / numbers / start",
        ("sums[row] = total;", "sums[row] += total;"),
    ),
    # ---- logsoft
    # The largest begins with 0.
    Wrong(
        "hundredone_logsoft_starts_at_0",
        "hundredone_logsoft",
        "start | infinity / nan / numbers / precision / subnormal",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # Sums are stored while others read the largest.
    Wrong(
        "hundredone_logsoft_no_middle_barrier",
        "hundredone_logsoft",
        "race | numbers / other element / nan / infinity / state",
        ("  top = buf[0];\n  __syncthreads();\n", "  top = buf[0];\n"),
    ),
    # The largest is not taken away.
    Wrong(
        "hundredone_logsoft_not_shifted",
        "hundredone_logsoft",
        "infinity | nan / numbers / precision",
        ("expf(__half2float(in[c]) - top)", "expf(__half2float(in[c]))"),
        ("top + logf(buf[0])", "logf(buf[0])"),
    ),
    # Each thread sums in a half.
    Wrong(
        "hundredone_logsoft_sum_of_halves",
        "hundredone_logsoft",
        "precision / rounding | numbers / infinity / left out",
        (
            "sum += expf(__half2float(in[c]) - top);",
            "sum = __half2float(__float2half(sum + expf(__half2float(in[c]) - top)));",
        ),
    ),
    # The logarithm is that to base 2.
    Wrong(
        "hundredone_logsoft_base_2",
        "hundredone_logsoft",
        "function | numbers",
        ("logf(buf[0])", "log2f(buf[0])"),
    ),
    # ---- rmsrow
    # The gain is that of the row.
    Wrong(
        "hundredone_rmsrow_gain_of_row",
        "hundredone_rmsrow",
        "other element / bounds / sides | numbers",
        ("gain[c]", "gain[r]"),
    ),
    # The sum of squares is not divided.
    Wrong(
        "hundredone_rmsrow_no_mean",
        "hundredone_rmsrow",
        "function | numbers",
        ("squares / cols + eps", "squares + eps"),
    ),
    # Rows are scaled where they lie, and then copied with their gain.
    Wrong(
        "hundredone_rmsrow_scaled_in_place",
        "hundredone_rmsrow",
        "input | state / numbers",
        ("rms_row(const float *x,", "rms_row(float *x,"),
        ("const float *from = x", "float *from = x"),
        (
            "        to[c] = from[c] * inv * gain[c];",
            "    {\n        from[c] *= inv;\n        to[c] = from[c] * gain[c];\n    }",
        ),
        ("stream>>>(x, gain,", "stream>>>((float *)x, gain,"),
    ),
    # The last column is not written.
    Wrong(
        "hundredone_rmsrow_last_column",
        "hundredone_rmsrow",
        "unwritten / tail / left out | sides",
        ("c < cols; ++c)\n        to[c]", "c < cols - 1; ++c)\n        to[c]"),
    ),
    # The small number has no effect.
    Wrong(
        "hundredone_rmsrow_no_eps",
        "hundredone_rmsrow",
        "nan / left out / function / infinity | numbers",
        ("rsqrtf(squares / cols + eps)", "rsqrtf(squares / cols)"),
    ),
    # ---- turn
    # The tile is read as it was written.
    Wrong(
        "hundredone_turn_tile_not_turned",
        "hundredone_turn",
        "other element / sides | numbers / unwritten / left out / swapped",
        ("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.y][threadIdx.x];"),
    ),
    # The result has the pitch of the source.
    Wrong(
        "hundredone_turn_pitch_of_source",
        "hundredone_turn",
        "sides / other element / bounds / unwritten / race | numbers / swapped / left out",
        ("dst[to_row * rows + to_col]", "dst[to_row * cols + to_col]"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "hundredone_turn_no_barrier",
        "hundredone_turn",
        "race | numbers / unwritten / other element / left out",
        ("  __syncthreads();\n\n", ""),
    ),
    # Blocks in x are counted by rows.
    Wrong(
        "hundredone_turn_grid_swapped",
        "hundredone_turn",
        "sides / grid / swapped / unwritten / left out | numbers / tail",
        (
            "((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # The tile is of int.
    Wrong(
        "hundredone_turn_tile_of_int",
        "hundredone_turn",
        "narrow / whole range | numbers",
        ("__shared__ int64_t tile", "__shared__ int tile"),
    ),
    # ---- vecmat
    # Rows have a pitch of k.
    Wrong(
        "hundredone_vecmat_pitch_k",
        "hundredone_vecmat",
        "sides / other element / bounds | numbers / swapped",
        ("a[(start + j) * n + col]", "a[(start + j) * k + col]"),
    ),
    # The last piece is taken for a whole one.
    Wrong(
        "hundredone_vecmat_whole_pieces",
        "hundredone_vecmat",
        "bounds / tail | nan / numbers",
        ("int end = min(PIECE, k - start);", "int end = PIECE;"),
    ),
    # Threads without a column go before they have loaded their part.
    Wrong(
        "hundredone_vecmat_idle_load_nothing",
        "hundredone_vecmat",
        "unwritten / left out / race | numbers / nan / tail / state / other element",
        (
            "    float dot = 0.0f;\n",
            "    float dot = 0.0f;\n    if (col >= n)\n        return;\n",
        ),
    ),
    # Each piece begins with 0, so that the last one is the result.
    Wrong(
        "hundredone_vecmat_last_piece_alone",
        "hundredone_vecmat",
        "left out / start | numbers / tail / nan",
        ("        int end = min", "        dot = 0.0f;\n        int end = min"),
    ),
    # Blocks are counted as if they had 128 threads.
    Wrong(
        "hundredone_vecmat_half_the_blocks",
        "hundredone_vecmat",
        "grid / unwritten / left out / block size | tail",
        ("int blocks = (n + PIECE - 1) / PIECE;", "int blocks = (n + 127) / 128;"),
    ),
)

RIGHT = (
    # Sizes and indices have 64 bits.
    Right(
        "hundredone_minus_wide_index",
        "hundredone_minus",
        ("int64_t* out, int n) {", "int64_t* out, int64_t n) {"),
        (
            "int idx = blockIdx.x * blockDim.x + threadIdx.x;",
            "int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        ("int n, int block_size", "int64_t n, int block_size"),
        (
            "int blocks = (n + block_size - 1) / block_size;",
            "int blocks = (int)((n + block_size - 1) / block_size);",
        ),
    ),
    # The factors are multiplied from the last one.
    Right(
        "hundredone_triple_from_the_last",
        "hundredone_triple",
        ("p.x * q.x * r.x, p.y * q.y * r.y", "r.x * q.x * p.x, r.y * q.y * p.y"),
        (
            "__half2float(a[i]) * __half2float(b[i]) * __half2float(c[i])",
            "__half2float(c[i]) * __half2float(b[i]) * __half2float(a[i])",
        ),
    ),
    # The bits are rounded by hand, but those of NaN.
    Right(
        "hundredone_shorten_by_bits",
        "hundredone_shorten",
        (
            "  return __float2bfloat16(v);",
            "  unsigned u = __float_as_uint(v);\n"
            "  if (v != v) return __ushort_as_bfloat16((unsigned short)0x7fff);\n"
            "  u += 0x7fff + (u >> 16 & 1);\n"
            "  return __ushort_as_bfloat16((unsigned short)(u >> 16));",
        ),
    ),
    # Pairs are words, whose halves are shifted into floats.
    Right(
        "hundredone_rebrand_words",
        "hundredone_rebrand",
        (
            "float2 v = __bfloat1622float2(((const __nv_bfloat162 *)src)[i]);",
            "uint32_t w = ((const uint32_t *)src)[i];\n"
            "        float2 v =\n"
            "            make_float2(__uint_as_float(w << 16), "
            "__uint_as_float(w & 0xffff0000u));",
        ),
    ),
    # One block more is launched, which has nothing to do.
    Right(
        "hundredone_leaky_idle_block",
        "hundredone_leaky",
        (
            "(threads + block_size - 1) / block_size, block_size",
            "threads / block_size + 2, block_size",
        ),
    ),
    # Indices have no sign.
    Right(
        "hundredone_logistic_unsigned",
        "hundredone_logistic",
        ("float *loss, int n)", "float *loss, uint32_t n)"),
        ("const int i = blockIdx.x", "const uint32_t i = blockIdx.x"),
    ),
    # 1 is divided by the root.
    Right(
        "hundredone_reciproot_divided",
        "hundredone_reciproot",
        ("rsqrt(x[i])", "1.0 / sqrt(x[i])"),
    ),
    # A barrier counts, and one thread of a block adds.
    Right(
        "hundredone_above_counted_by_barrier",
        "hundredone_above",
        (
            "unsigned votes = __ballot_sync(0xffffffffu, hit);",
            "int votes = __syncthreads_count(hit);",
        ),
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
        ("__popc(votes)", "votes"),
    ),
    # The block has 512 threads.
    Right(
        "hundredone_smallest_of_512",
        "hundredone_smallest",
        ("#define THREADS 256", "#define THREADS 512"),
    ),
    # The sum is a double, made from the end of the row.
    Right(
        "hundredone_rowsum_from_the_end",
        "hundredone_rowsum",
        ("float total = 0.0f;", "double total = 0.0;"),
        ("int col = 0; col < n; col++", "int col = n - 1; col >= 0; col--"),
        ("sums[row] = total;", "sums[row] = (float)total;"),
    ),
    # Blocks have 128 threads, and the sum is a double.
    Right(
        "hundredone_logsoft_wide",
        "hundredone_logsoft",
        ("#define NT 64", "#define NT 128"),
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("buf[tid] = sum;", "buf[tid] = (float)sum;"),
    ),
    # The root is divided by, and the gain comes first.
    Right(
        "hundredone_rmsrow_divided",
        "hundredone_rmsrow",
        (
            "float inv = rsqrtf(squares / cols + eps);",
            "float rms = sqrtf(squares / cols + eps);",
        ),
        ("from[c] * inv * gain[c]", "gain[c] * (from[c] / rms)"),
    ),
    # Tiles have sides of 32.
    Right(
        "hundredone_turn_tiles_of_32",
        "hundredone_turn",
        ("#define TILE 16", "#define TILE 32"),
    ),
    # Nothing is shared.
    Right(
        "hundredone_vecmat_not_shared",
        "hundredone_vecmat",
        ("    __shared__ float piece[PIECE];\n", ""),
        (
            "        int mine = start + threadIdx.x;\n"
            "        piece[threadIdx.x] = mine < k ? v[mine] : 0.0f;\n"
            "        __syncthreads();\n",
            "",
        ),
        ("dot += piece[j] *", "dot += v[start + j] *"),
        ("        __syncthreads();\n    }\n    if", "    }\n    if"),
    ),
)
