"""Hold a ninety-third family: the plainest operators of a course, and their plainest mistakes.

Its bases are a difference of floats in float4, the minimum of two arrays of doubles, halves to
doubles, floats to int16, sigmoid in float4, softsign, the square root of halves, the mean of an
array in two kernels, its smallest by shuffles and a compare-and-swap, the largest of each
column, log softmax with a warp a row, RMS norm of halves with a block a row, a transpose of
doubles with a thread an element, and a vector times a matrix with a tile of the vector. They
have 12 to 46 lines. Half of them have the cases of elementwise operators or of `whole_array`,
the others their own. Their mistakes are spread over alignment, sizes, grids, block sizes,
values, rounding, NaN, infinity, subnormal numbers, sums, matrices, order, streams, inputs that
are written and what is left of an earlier call. The causes were written before a member was
judged. There are 70 wrong members and 14 right ones. On the emulator each was run beside
PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3 in
floating outputs (-1, 77 and 7 in others), with tensors at either end of their pages, the bytes
behind them and their inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name. Bases and right ones ran all cases; wrong ones until they were wrong often enough.
The compare-and-swap that is left out is wrong by reasoning: in no order of threads that was
tried does it show. nvcc 13.0 compiles each base for 8.0. None was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault:

    ninetythree_diff_round_to_4               from 4 numbers on, by any address
    ninetythree_diff_one_pack_more            unless the threads end with the packs
    ninetythree_diff_rest_swapped             unless 4 divides n, where packs are taken
    ninetythree_diff_threads_rounded_down     if a block would begin with less than a pack
    ninetythree_diff_no_stream                on another stream than the default one
    ninetythree_lesser_fmin                   of NaN
    ninetythree_lesser_of_floats              of doubles that no float holds
    ninetythree_lesser_step_of_256            of other block sizes, from a second round on
    ninetythree_lesser_last_one_missing       of all n
    ninetythree_lesser_by_difference          of infinities, NaN, and numbers far apart
    ninetythree_widen_through_int             of all that are not whole
    ninetythree_widen_first_tested            unless each block is full
    ninetythree_widen_small_is_0              of subnormal halves
    ninetythree_widen_limited                 of infinities
    ninetythree_widen_three_of_four           from 385 numbers on at 128
    ninetythree_shorts_cut_off                of what lies beyond a half
    ninetythree_shorts_no_lower_limit         below -32,768
    ninetythree_shorts_nan_runs_into_limit    of NaN
    ninetythree_shorts_q_anywhere             from 4 numbers on, by the address of q
    ninetythree_shorts_one_of_the_rest        if 2 or 3 numbers are left
    ninetythree_sigmoid_overflows             from about 89 on
    ninetythree_sigmoid_sign_forgotten        of all but 0
    ninetythree_sigmoid_by_tanh               below 0
    ninetythree_sigmoid_third_again           from 4 numbers on
    ninetythree_sigmoid_packs_rounded_up      unless 4 divides n
    ninetythree_soft_no_magnitude             below 0
    ninetythree_soft_always_128               of other block sizes, from a second block on
    ninetythree_soft_one_too_many             unless the block size divides n
    ninetythree_soft_blocks_of_first_call     if an earlier call needed fewer blocks
    ninetythree_soft_taken_from_1             of small numbers
    ninetythree_root_one_of_two               by the address of x alone, from 2 numbers on
    ninetythree_root_odd_forgotten            of odd n, where pairs are taken
    ninetythree_root_power                    of -0.0 and minus infinity
    ninetythree_root_by_inverse               of 0 and infinity
    ninetythree_root_toward_0                 of single ones that are to be rounded up
    ninetythree_mean_all_places               if an earlier call had more parts
    ninetythree_mean_half_a_tree              from 65 numbers on
    ninetythree_mean_second_no_stream         on another stream than the default one
    ninetythree_mean_sum_is_int               of fractions
    ninetythree_mean_no_barrier               where threads do not wait for another
    ninetythree_smallest_starts_at_0          if all are above 0
    ninetythree_smallest_not_prepared         if what was there is smaller, or NaN
    ninetythree_smallest_no_atomic            where warps come at the same time
    ninetythree_smallest_shuffles_from_8      from 17 numbers on
    ninetythree_smallest_nan_lost             of NaN that a number follows
    ninetythree_colmax_starts_at_flt_min      of columns without a number above 0
    ninetythree_colmax_pitch_of_rows          unless the matrix is square, or has one row
    ninetythree_colmax_no_barrier             where threads do not wait for another
    ninetythree_colmax_no_test                unless 32 divides the columns
    ninetythree_colmax_nan_lost               of NaN
    ninetythree_logsoft_no_largest            of rows that are far from 0
    ninetythree_logsoft_of_quotient           of what is far below the largest
    ninetythree_logsoft_sum_in_first_lane     from 2 columns on
    ninetythree_logsoft_shifts_in_place       unless all largest ones are 0: x is overwritten
    ninetythree_logsoft_base_2                from 2 columns on
    ninetythree_rms_squares_of_halves         of squares that no half holds
    ninetythree_rms_warp_left_out             from 97 columns on
    ninetythree_rms_eps_outside               of nearly all
    ninetythree_rms_rounded_twice             of gains that are not 1, now and then
    ninetythree_rms_gain_of_thread            from 129 columns on
    ninetythree_turn_pitch_of_input           unless the matrix is square
    ninetythree_turn_grid_swapped             unless the tiles are as many each way
    ninetythree_turn_test_crossed             unless the matrix is square
    ninetythree_turn_through_float            of doubles that no float holds
    ninetythree_turn_rows_rounded_down        unless 16 divides the rows
    ninetythree_vecmat_idle_ones_leave        if a tile is longer than the last block is wide
    ninetythree_vecmat_no_second_barrier      from k = 65 on, where threads do not wait
    ninetythree_vecmat_whole_tiles            unless 64 divides k
    ninetythree_vecmat_pitch_of_k             unless the matrix is square, or k is 1
    ninetythree_vecmat_last_tile_left_out     unless 64 divides k
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Difference of floats: packs where all addresses are round, else four numbers a thread.
DIFF = (
    HEADER
    + """\
static bool is_round(const void *p)
{
    return ((size_t)p & 15) == 0;
}

__global__ void diff4(const float *a, const float *b, float *d, int n, bool packed)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (!packed) {
        for (int k = 4 * id; k < 4 * id + 4 && k < n; k++)
            d[k] = a[k] - b[k];
        return;
    }
    if (id < n / 4) {
        float4 p = ((const float4 *)a)[id];
        float4 q = ((const float4 *)b)[id];
        p.x -= q.x;
        p.y -= q.y;
        p.z -= q.z;
        p.w -= q.w;
        ((float4 *)d)[id] = p;
    }
    if (id < n % 4) {
        int last = n - 1 - id;
        d[last] = a[last] - b[last];
    }
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *d,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    bool packed = is_round(a) && is_round(b) && is_round(d);
    int threads = (n + 3) / 4;
    int blocks = (threads + block_size - 1) / block_size;
    diff4<<<blocks, block_size, 0, stream>>>(a, b, d, n, packed);
}
"""
)

# Minimum of two arrays of doubles: a loop over the grid, no more than 64 blocks.
LESSER = (
    HEADER
    + """\
template <typename T>
__device__ T lesser(T p, T q) {
  if (p != p) return p;
  return p < q || p == q ? p : q;
}

__global__ void min_of_two(const double* x, const double* y, double* z, int64_t n) {
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    z[i] = lesser(x[i], y[i]);
}

extern "C" void launch(const double* x,  // [n]
                       const double* y,  // [n]
                       double* z,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  if (blocks > 64) blocks = 64;
  min_of_two<<<(int)blocks, block_size, 0, stream>>>(x, y, z, n);
}
"""
)

# Halves to doubles: four a thread, a block apart.
WIDEN = (
    HEADER
    + """\
#define PER 4

__global__ void widen(const half* in, double* out, int n)
{
    int base = blockIdx.x * (blockDim.x * PER) + threadIdx.x;
#pragma unroll
    for (int j = 0; j < PER; ++j)
    {
        int i = base + j * blockDim.x;
        if (i < n)
        {
            float v = __half2float(in[i]);
            out[i] = (double)v;
        }
    }
}

extern "C" void launch(const half* in,  // [n]
                       double* out,     // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int per_block = PER * block_size;
    widen<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to int16: rounded, limited, NaN to 0; the thread after the last pack takes the rest.
SHORTS = (
    HEADER
    + """\
__device__ short to16(float f) {
  if (isnan(f)) return 0;
  float r = rintf(f);
  if (r > 32767.0f) return 32767;
  if (r < -32768.0f) return -32768;
  return (short)(int)r;
}

__global__ void shorts(const float* x, int16_t* q, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (p < packs) {
    float4 v = reinterpret_cast<const float4*>(x)[p];
    reinterpret_cast<short4*>(q)[p] = make_short4(to16(v.x), to16(v.y), to16(v.z), to16(v.w));
  } else if (p == packs) {
    for (int i = 4 * p; i < n; ++i) q[i] = to16(x[i]);
  }
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       int16_t* q,      // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0) {
  const int block = 128;
  int threads = n / 4 + 1;
  shorts<<<(threads + block - 1) / block, block, 0, stream>>>(x, q, n);
}
"""
)

# Sigmoid: float4 in a loop over the grid, the rest by the first threads.
SIGMOID = (
    HEADER
    + """\
__device__ float sig(float v) { return 1.0f / (1.0f + expf(-v)); }

__global__ void sigmoid4(const float* __restrict__ x, float* __restrict__ y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int all = gridDim.x * blockDim.x;
    int packs = n / 4;
    const float4* x4 = (const float4*)x;
    float4* y4 = (float4*)y;
    for (int p = t; p < packs; p += all) {
        float4 v = x4[p];
        float4 o;
        o.x = sig(v.x);
        o.y = sig(v.y);
        o.z = sig(v.z);
        o.w = sig(v.w);
        y4[p] = o;
    }
    for (int i = packs * 4 + t; i < n; i += all) y[i] = sig(x[i]);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n / 4 + block_size - 1) / block_size;
    if (blocks < 1) blocks = 1;
    if (blocks > 432) blocks = 432;
    sigmoid4<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Softsign: a number a thread.
SOFT = (
    HEADER
    + """\
__global__ void softsign(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = v / (1.0f + fabsf(v));
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  softsign<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Square root of halves: pairs where both addresses are even to 4, single ones elsewhere.
ROOT = (
    HEADER
    + """\
__device__ float root(float v)
{
    return sqrtf(v);
}

__global__ void root_pairs(const half2 *x, half2 *y, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) {
        float2 f = __half22float2(x[i]);
        y[i] = __floats2half2_rn(root(f.x), root(f.y));
    }
}

__global__ void root_singles(const half *x, half *y, int from, int n)
{
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float2half(root(__half2float(x[i])));
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    int done = 0;
    bool even = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
    if (even && n > 1) {
        int pairs = n / 2;
        int blocks = (pairs + block_size - 1) / block_size;
        root_pairs<<<blocks, block_size, 0, stream>>>((const half2 *)x, (half2 *)y, pairs);
        done = 2 * pairs;
    }
    int left = n - done;
    if (left > 0) {
        int blocks = (left + block_size - 1) / block_size;
        root_singles<<<blocks, block_size, 0, stream>>>(x, y, done, n);
    }
}
"""
)

# Mean of an array: sums of blocks by a tree, and a second kernel that adds and divides.
MEAN = (
    HEADER
    + """\
#define T 128
#define PARTS 64

__device__ float part[PARTS];

__global__ void mean_parts(const float* x, int n) {
  __shared__ float s[T];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) sum += x[i];
  s[t] = sum;
  __syncthreads();
  for (int h = T / 2; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) part[blockIdx.x] = s[0];
}

__global__ void mean_finish(float* mean, int parts, int n) {
  float total = 0.0f;
  for (int k = 0; k < parts; k++) total += part[k];
  *mean = total / n;
}

extern "C" void launch(const float* x,  // [n]
                       float* mean,     // [1]
                       int n, cudaStream_t stream = 0) {
  int parts = (n + T - 1) / T;
  if (parts > PARTS) parts = PARTS;
  mean_parts<<<parts, T, 0, stream>>>(x, n);
  mean_finish<<<1, 1, 0, stream>>>(mean, parts, n);
}
"""
)

# Smallest of an array: shuffles in a warp, then a compare-and-swap by each first lane.
SMALLEST = (
    HEADER
    + """\
__device__ float smaller(float a, float b)
{
    return a < b || isnan(a) ? a : b;
}

__device__ void put_smaller(float *at, float v)
{
    int *word = (int *)at;
    int seen = atomicAdd(word, 0);
    for (;;) {
        int wish = __float_as_int(smaller(__int_as_float(seen), v));
        if (wish == seen)
            return;
        int was = atomicCAS(word, seen, wish);
        if (was == seen)
            return;
        seen = was;
    }
}

__global__ void prepare(float *out)
{
    *out = INFINITY;
}

__global__ void smallest(const float *x, float *out, int64_t n)
{
    float low = INFINITY;
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t i = first; i < n; i += (int64_t)gridDim.x * blockDim.x)
        low = smaller(low, x[i]);
    for (int d = 16; d > 0; d /= 2)
        low = smaller(low, __shfl_down_sync(0xffffffff, low, d));
    if (threadIdx.x % 32 == 0)
        put_smaller(out, low);
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + 127) / 128;
    if (blocks > 256)
        blocks = 256;
    prepare<<<1, 1, 0, stream>>>(out);
    smallest<<<(int)blocks, 128, 0, stream>>>(x, out, n);
}
"""
)

# Largest of each column: 8 threads a column, which meet in shared memory.
COLMAX = (
    HEADER
    + """\
constexpr int W = 32;
constexpr int H = 8;

__device__ void take(float& best, float v) {
  if (v > best || isnan(v)) best = v;
}

__global__ void col_max(const float* m, float* out, int rows, int cols) {
  __shared__ float found[H][W];
  const int c = blockIdx.x * W + threadIdx.x;
  float best = -INFINITY;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += H) take(best, m[(size_t)r * cols + c]);
  }
  found[threadIdx.y][threadIdx.x] = best;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < H; k++) take(best, found[k][threadIdx.x]);
    out[c] = best;
  }
}

extern "C" void launch(const float* m,  // [rows, cols]
                       float* out,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  col_max<<<(cols + W - 1) / W, dim3(W, H), 0, stream>>>(m, out, rows, cols);
}
"""
)

# Log softmax: a warp a row, four rows a block.
LOGSOFT = (
    HEADER
    + """\
#define FULL 0xffffffffu

__global__ void log_softmax(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * cols;
    float *out = y + (size_t)row * cols;

    float top = -INFINITY;
    for (int c = lane; c < cols; c += 32)
        top = fmaxf(top, in[c]);
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(FULL, top, d));

    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += expf(in[c] - top);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(FULL, sum, d);

    float off = logf(sum);
    for (int c = lane; c < cols; c += 32)
        out[c] = in[c] - top - off;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    log_softmax<<<(rows + 3) / 4, 128, 0, stream>>>(x, y, rows, cols);
}
"""
)

# RMS norm of halves: a block a row, shuffles and four sums of warps.
RMS = (
    HEADER
    + """\
#define THREADS 128
#define WARPS (THREADS / 32)

__global__ void rms_norm(const half* x, const half* g, half* y, float eps, int cols) {
  __shared__ float of_warp[WARPS];
  int t = threadIdx.x;
  const half* in = x + (size_t)blockIdx.x * cols;
  half* out = y + (size_t)blockIdx.x * cols;
  float sum = 0.0f;
  for (int c = t; c < cols; c += THREADS) {
    float v = __half2float(in[c]);
    sum += v * v;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (t % 32 == 0) of_warp[t / 32] = sum;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < WARPS; w++) total += of_warp[w];
  float f = rsqrtf(total / cols + eps);
  for (int c = t; c < cols; c += THREADS) {
    float v = __half2float(in[c]) * f;
    out[c] = __float2half(v * __half2float(g[c]));
  }
}

extern "C" void launch(const half* x,  // [rows, cols]
                       const half* g,  // [cols]
                       half* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  rms_norm<<<rows, THREADS, 0, stream>>>(x, g, y, eps, cols);
}
"""
)

# Transpose of doubles: a thread an element.
TURN = (
    HEADER
    + """\
__global__ void turn(const double *in, double *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) {
        double v = in[(size_t)r * cols + c];
        out[(size_t)c * rows + r] = v;
    }
}

extern "C" void launch(const double *in,  // [rows, cols]
                       double *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(16, 16);
    dim3 grid((cols + 15) / 16, (rows + 15) / 16);
    turn<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Vector times matrix: a thread a column, a tile of the vector in shared memory.
VECMAT = (
    HEADER
    + """\
const int TILE = 64;

__global__ void vec_mat(const float* v, const float* a, float* y, int k, int n) {
    __shared__ float vs[TILE];
    int t = threadIdx.x;
    int col = blockIdx.x * TILE + t;
    float sum = 0.0f;
    for (int q = 0; q < k; q += TILE) {
        vs[t] = q + t < k ? v[q + t] : 0.0f;
        __syncthreads();
        int len = min(TILE, k - q);
        if (col < n) {
            for (int j = 0; j < len; j++) sum += vs[j] * a[(size_t)(q + j) * n + col];
        }
        __syncthreads();
    }
    if (col < n) y[col] = sum;
}

extern "C" void launch(const float* v,  // [k]
                       const float* a,  // [k, n]
                       float* y,        // [n]
                       int k, int n, cudaStream_t stream = 0) {
    int blocks = (n + TILE - 1) / TILE;
    vec_mat<<<blocks, TILE, 0, stream>>>(v, a, y, k, n);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512)
LENGTHS += (513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (7, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (16, 16), (17, 15))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130), (15, 48))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def shorten(launcher: Launcher) -> Iterator[Case]:
    """Round: any, ties, at the ends, far beyond, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x * 7.3),
            ("ties", x + 0.5),
            ("at the ends", torch.where(j % 2 == 0, 32767.0, -32768.0) + x % 5 / 4),
            ("far beyond", x * 1e5),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(-32768, 32767)
            options = {"dtypes": (torch.int16,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 300 and label == "any":
                words = f"n = {n:,}, slices from (4, 4)"
                yield Case(words, (y,), (right,), offset=(4, 4), **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take the mean: whole numbers, quarters, alike, the last alone, zeros, infinity, NaN."""
    for n in (*LENGTHS, 8_191, 8_193, 20_001, 100_003, 77, 3, 300, 1):
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("quarters", x / 4),
            ("alike", x * 0 - 3),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("zeros", x * 0),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            right = y.sum().reshape(1) / n
            options = {"dtypes": FLOAT, "ulp": 1, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), (right,), **options)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, all below 0, alike, the last row, infinities, NaN."""
    for rows, cols in (*SIDES, (1000, 3), (4099, 1), (3, 2_001), (513, 70)):
        x = whole(-999, 1000, rows * cols, rows * cols).reshape(rows, cols).double()
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, y in (
            ("any", x),
            ("all below 0", -x.abs() - 1),
            ("small ones below 0", -(x.abs() + 1) * 2.0**-40),
            ("alike", x * 0 + 8),
            ("the last row", torch.where(r == rows - 1, 2000.0, x)),
            ("minus infinity", torch.where(c % 2 == 0, -INF, x)),
            ("infinity", torch.where(r == rows // 2, INF, x)),
            ("NaN", torch.where((r == rows // 2) & (c % 3 == 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.amax(0),), dtypes=FLOAT)


def log_rows(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms: any, equal, far above and below 0, wide, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("wide", x * 64),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.float()
            right = torch.log_softmax(y.double(), 1)
            large = right.abs() + y.double().abs().nan_to_num(0.0, 0.0).amax(1, True) * 0.25 + 1
            slack = ((2.0**-20 * large).nan_to_num(0.0, 0.0, 0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def rms_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, with gains of 1, small, large, a single one, zeros, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        gain = whole(3, 60, cols, cols) / 17.0
        for label, y, g, eps in (
            ("any", x, gain, 1e-5),
            ("gains of 1", x, gain * 0 + 1, 0.5),
            ("small", x / 256, gain, 0.01),
            ("large", x * 64, gain, 1e-5),
            ("a single one", torch.where(c == cols - 1, 5.0, 0.0) + x * 0, gain, 0.001),
            ("zeros", x * 0, gain, 0.25),
            ("NaN", torch.where((x > 3) & (c == cols // 2), NAN, x), gain, 1.0),
        ):
            y, g = y.half(), g.half()
            v = y.double()
            right = v / ((v * v).mean(1, keepdim=True) + eps).sqrt() * g.double()
            # The last rounding may fall to either side where the exact result is nearly a tie.
            near = torch.nextafter(right.float(), right.float() * 0).double()
            slack = ((2.0**-11 + 2.0**-17) * near.abs() + 2.0**-25,)
            slack = (torch.where(right == 0, 0.0, slack[0]).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, (y, g), (right,), {"eps": eps}, dtypes=HALF, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: any, fractions that no float holds, large, special ones."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (1, 5003), (5003, 1), (515, 129)):
        n = rows * cols
        x = whole(-999, 1000, n, n).reshape(rows, cols).double()
        strange = torch.where(x < 0, -INF, torch.where(x % 3 == 0, NAN, -0.0 * x))
        for label, y in (
            ("any", x),
            ("thirds", x / 3),
            ("large", x * 1e200),
            ("special ones", strange),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = y.T.contiguous()
            yield Case(words, (y,), (right,), dtypes=(torch.float64,), quick=n > 50_000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last, NaN, infinity."""
    sides = [(n, n) for n in (*range(1, 71), 95, 128, 129, 257)]
    sides += [(1, 200), (200, 1), (64, 128), (130, 65), (65, 130), (3, 1000), (1000, 3)]
    sides += [(4099, 2), (2, 4099), (100, 64), (63, 64)]
    for k, n in sides:
        v, a = whole(-30, 31, k, k + n).double(), whole(-30, 31, k * n, k).double()
        a, j = a.reshape(k, n), torch.arange(k)
        for label, p, q in (
            ("any", v, a),
            ("ones", v * 0 + 1, a),
            ("the last alone", torch.where(j == k - 1, 3.0, 0.0), a),
            ("NaN in v", torch.where(j == k // 2, NAN, v), a),
            ("infinity in a", v.abs() + 1, torch.where(j == k - 1, INF, a.T).T),
        ):
            right = (p[:, None] * q).sum(0)
            words = f"k = {k:,}, n = {n:,}, {label}"
            yield Case(words, (p.float(), q.float()), (right,), dtypes=FLOAT)


BASES = {
    "ninetythree_diff": Base(DIFF, {"reference": "subtract"}),
    "ninetythree_lesser": Base(LESSER, {"reference": torch.minimum}),
    "ninetythree_widen": Base(WIDEN, {"reference": "cast"}),
    "ninetythree_shorts": Base(SHORTS, {"cases": shorten}),
    "ninetythree_sigmoid": Base(
        SIGMOID, {"reference": lambda x: 1 / (1 + torch.exp(-x)), "ulp": 4}
    ),
    "ninetythree_soft": Base(SOFT, {"reference": lambda x: x / (1 + x.abs()), "ulp": 2}),
    "ninetythree_root": Base(ROOT, {"reference": torch.sqrt}),
    "ninetythree_mean": Base(MEAN, {"cases": means}),
    "ninetythree_smallest": Base(SMALLEST, cases="whole_array", function=torch.amin),
    "ninetythree_colmax": Base(COLMAX, {"cases": columns}),
    "ninetythree_logsoft": Base(LOGSOFT, {"cases": log_rows}),
    "ninetythree_rms": Base(RMS, {"cases": rms_rows}),
    "ninetythree_turn": Base(TURN, {"cases": turns}),
    "ninetythree_vecmat": Base(VECMAT, {"cases": products}),
}

WRONG = (
    # ---- diff
    # An address is round if it is one of a float.
    Wrong(
        "ninetythree_diff_round_to_4",
        "ninetythree_diff",
        "alignment",
        ("((size_t)p & 15) == 0", "((size_t)p & 3) == 0"),
    ),
    # One pack more than there are.
    Wrong(
        "ninetythree_diff_one_pack_more",
        "ninetythree_diff",
        "bounds / tail",
        ("if (id < n / 4) {", "if (id <= n / 4) {"),
    ),
    # The rest is taken the other way about.
    Wrong(
        "ninetythree_diff_rest_swapped",
        "ninetythree_diff",
        "swapped / tail | numbers / sign of zero / function",
        ("d[last] = a[last] - b[last];", "d[last] = b[last] - a[last];"),
    ),
    # Threads are rounded down.
    Wrong(
        "ninetythree_diff_threads_rounded_down",
        "ninetythree_diff",
        "grid / unwritten / tail / left out | refused / nan",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "ninetythree_diff_no_stream",
        "ninetythree_diff",
        "stream",
        ("diff4<<<blocks, block_size, 0, stream>>>", "diff4<<<blocks, block_size>>>"),
    ),
    # ---- lesser
    # The library's minimum prefers a number to NaN.
    Wrong(
        "ninetythree_lesser_fmin",
        "ninetythree_lesser",
        "nan",
        ("z[i] = lesser(x[i], y[i]);", "z[i] = fmin(x[i], y[i]);"),
    ),
    # Numbers are compared as floats, and floats come out.
    Wrong(
        "ninetythree_lesser_of_floats",
        "ninetythree_lesser",
        "precision / rounding | numbers / infinity / subnormal",
        ("lesser(x[i], y[i])", "lesser<float>(x[i], y[i])"),
    ),
    # The step has the block size in it as a number.
    Wrong(
        "ninetythree_lesser_step_of_256",
        "ninetythree_lesser",
        "block size / unwritten / left out | nan / tail / grid / twice",
        ("(int64_t)gridDim.x * blockDim.x;", "(int64_t)gridDim.x * 256;"),
    ),
    # The last one is not reached.
    Wrong(
        "ninetythree_lesser_last_one_missing",
        "ninetythree_lesser",
        "tail / unwritten / left out | nan",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # What the first is larger by is taken away from it.
    Wrong(
        "ninetythree_lesser_by_difference",
        "ninetythree_lesser",
        "precision / infinity / nan / function | numbers / rounding / sign of zero",
        ("return p < q || p == q ? p : q;", "return p - fmax(p - q, 0.0);"),
    ),
    # ---- widen
    # The number goes through an int.
    Wrong(
        "ninetythree_widen_through_int",
        "ninetythree_widen",
        "rounding / precision | numbers / nan / infinity / sign of zero / subnormal / function",
        ("out[i] = (double)v;", "out[i] = (double)(int)v;"),
    ),
    # The first of four is tested for all.
    Wrong(
        "ninetythree_widen_first_tested",
        "ninetythree_widen",
        "bounds / tail",
        ("if (i < n)", "if (base < n)"),
    ),
    # What is small is taken for 0.
    Wrong(
        "ninetythree_widen_small_is_0",
        "ninetythree_widen",
        "subnormal | numbers / sign of zero",
        ("out[i] = (double)v;", "out[i] = fabsf(v) < 6.1035e-5f ? 0.0 : (double)v;"),
    ),
    # What is infinite becomes the largest half.
    Wrong(
        "ninetythree_widen_limited",
        "ninetythree_widen",
        "infinity | nan / function / numbers",
        (
            "out[i] = (double)v;",
            "if (isinf(v)) v = copysignf(65504.0f, v);\n            out[i] = (double)v;",
        ),
    ),
    # Three of four are taken.
    Wrong(
        "ninetythree_widen_three_of_four",
        "ninetythree_widen",
        "unwritten / left out | nan / tail / grid",
        ("j < PER; ++j", "j < PER - 1; ++j"),
    ),
    # ---- shorts
    # What follows the point is cut off.
    Wrong(
        "ninetythree_shorts_cut_off",
        "ninetythree_shorts",
        "rounding | numbers",
        ("rintf(f)", "truncf(f)"),
    ),
    # There is no lower limit.
    Wrong(
        "ninetythree_shorts_no_lower_limit",
        "ninetythree_shorts",
        "whole range / infinity / narrow | numbers",
        ("  if (r < -32768.0f) return -32768;\n", ""),
    ),
    # NaN runs into a limit.
    Wrong(
        "ninetythree_shorts_nan_runs_into_limit",
        "ninetythree_shorts",
        "nan",
        ("  if (isnan(f)) return 0;\n", ""),
        ("if (r < -32768.0f) return", "if (!(r >= -32768.0f)) return"),
    ),
    # The result may lie anywhere.
    Wrong(
        "ninetythree_shorts_q_anywhere",
        "ninetythree_shorts",
        "alignment",
        ("int16_t* q,      // [n] 8-byte aligned", "int16_t* q,      // [n]"),
    ),
    # Of the rest one is taken.
    Wrong(
        "ninetythree_shorts_one_of_the_rest",
        "ninetythree_shorts",
        "tail / unwritten / left out | numbers",
        ("for (int i = 4 * p; i < n; ++i) q[i]", "int i = 4 * p;\n    if (i < n) q[i]"),
    ),
    # ---- sigmoid
    # The exponential is above and below.
    Wrong(
        "ninetythree_sigmoid_overflows",
        "ninetythree_sigmoid",
        "infinity / nan | numbers / function",
        ("return 1.0f / (1.0f + expf(-v));", "return expf(v) / (1.0f + expf(v));"),
    ),
    # The sign is forgotten.
    Wrong(
        "ninetythree_sigmoid_sign_forgotten",
        "ninetythree_sigmoid",
        "function | numbers / infinity / nan / swapped",
        ("expf(-v)", "expf(v)"),
    ),
    # By tanh, which leaves nothing of small results.
    Wrong(
        "ninetythree_sigmoid_by_tanh",
        "ninetythree_sigmoid",
        "precision | numbers / subnormal / function",
        ("return 1.0f / (1.0f + expf(-v));", "return 0.5f * tanhf(0.5f * v) + 0.5f;"),
    ),
    # The fourth is the third.
    Wrong(
        "ninetythree_sigmoid_third_again",
        "ninetythree_sigmoid",
        "neighbour / other element | numbers / left out / twice / nan / infinity",
        ("o.w = sig(v.w);", "o.w = sig(v.z);"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "ninetythree_sigmoid_packs_rounded_up",
        "ninetythree_sigmoid",
        "bounds / tail | alignment",
        ("int packs = n / 4;", "int packs = (n + 3) / 4;"),
    ),
    # ---- soft
    # The magnitude is forgotten.
    Wrong(
        "ninetythree_soft_no_magnitude",
        "ninetythree_soft",
        "function | numbers / infinity / nan / sign of zero",
        ("1.0f + fabsf(v)", "1.0f + v"),
    ),
    # The block size is a number.
    Wrong(
        "ninetythree_soft_always_128",
        "ninetythree_soft",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 128"),
    ),
    # One too many is allowed.
    Wrong(
        "ninetythree_soft_one_too_many",
        "ninetythree_soft",
        "bounds / tail",
        ("if (i >= n) return;", "if (i > n) return;"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "ninetythree_soft_blocks_of_first_call",
        "ninetythree_soft",
        "state / grid / unwritten / left out | nan / tail / refused",
        ("  int blocks = (n", "  static int blocks = (n"),
    ),
    # What is missing to 1 is taken from 1.
    Wrong(
        "ninetythree_soft_taken_from_1",
        "ninetythree_soft",
        "precision | numbers / subnormal / infinity / nan / function",
        (
            "v / (1.0f + fabsf(v));",
            "copysignf(1.0f - 1.0f / (1.0f + fabsf(v)), v);",
        ),
    ),
    # ---- root
    # One of two addresses is asked.
    Wrong(
        "ninetythree_root_one_of_two",
        "ninetythree_root",
        "alignment",
        ("(uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0", "(uintptr_t)y % 4 == 0"),
    ),
    # After the pairs nothing is left to do.
    Wrong(
        "ninetythree_root_odd_forgotten",
        "ninetythree_root",
        "tail / unwritten / left out | nan",
        ("done = 2 * pairs;", "done = n;"),
    ),
    # A power of a half.
    Wrong(
        "ninetythree_root_power",
        "ninetythree_root",
        "sign of zero / infinity / function | nan / numbers",
        ("return sqrtf(v);", "return powf(v, 0.5f);"),
    ),
    # The number times its inverse root.
    Wrong(
        "ninetythree_root_by_inverse",
        "ninetythree_root",
        "nan / infinity | numbers / function / sign of zero / precision",
        ("return sqrtf(v);", "return v * rsqrtf(v);"),
    ),
    # Single ones are rounded toward 0.
    Wrong(
        "ninetythree_root_toward_0",
        "ninetythree_root",
        "rounding | numbers / tail / precision",
        ("__float2half(root(", "__float2half_rz(root("),
    ),
    # ---- mean
    # All places are added, also those of an earlier call.
    Wrong(
        "ninetythree_mean_all_places",
        "ninetythree_mean",
        "state | numbers / nan / infinity / twice",
        ("k < parts; k++", "k < PARTS; k++"),
    ),
    # The tree begins a step too late.
    Wrong(
        "ninetythree_mean_half_a_tree",
        "ninetythree_mean",
        "left out | numbers / tail / nan / infinity",
        ("int h = T / 2; h > 0;", "int h = T / 4; h > 0;"),
    ),
    # The second kernel forgets the stream.
    Wrong(
        "ninetythree_mean_second_no_stream",
        "ninetythree_mean",
        "stream | state",
        ("mean_finish<<<1, 1, 0, stream>>>", "mean_finish<<<1, 1>>>"),
    ),
    # The sum of a thread is an int.
    Wrong(
        "ninetythree_mean_sum_is_int",
        "ninetythree_mean",
        "rounding / precision / whole range | numbers / nan / infinity / left out / function",
        ("  float sum = 0.0f;", "  int sum = 0;"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "ninetythree_mean_no_barrier",
        "ninetythree_mean",
        "race | numbers / left out / unwritten / other element / state / nan",
        ("  s[t] = sum;\n  __syncthreads();\n", "  s[t] = sum;\n"),
    ),
    # ---- smallest
    # The smallest begins with 0.
    Wrong(
        "ninetythree_smallest_starts_at_0",
        "ninetythree_smallest",
        "start | numbers",
        ("    float low = INFINITY;", "    float low = 0.0f;"),
    ),
    # Nothing is put to the result before.
    Wrong(
        "ninetythree_smallest_not_prepared",
        "ninetythree_smallest",
        "start / state / zero before / unwritten | nan / numbers",
        ("    prepare<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # Warps compare and write without an atomic.
    Wrong(
        "ninetythree_smallest_no_atomic",
        "ninetythree_smallest",
        "race | numbers / left out / other element / nan",
        ("        put_smaller(out, low);", "        *out = smaller(*out, low);"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "ninetythree_smallest_shuffles_from_8",
        "ninetythree_smallest",
        "left out | numbers / nan / other element",
        ("int d = 16; d > 0;", "int d = 8; d > 0;"),
    ),
    # A number after NaN wins.
    Wrong(
        "ninetythree_smallest_nan_lost",
        "ninetythree_smallest",
        "nan",
        ("a < b || isnan(a) ? a : b", "a < b ? a : b"),
    ),
    # ---- colmax
    # The largest begins with the smallest number above 0.
    Wrong(
        "ninetythree_colmax_starts_at_flt_min",
        "ninetythree_colmax",
        "start | numbers / infinity",
        ("float best = -INFINITY;", "float best = FLT_MIN;"),
    ),
    # The pitch is the number of rows.
    Wrong(
        "ninetythree_colmax_pitch_of_rows",
        "ninetythree_colmax",
        "sides / other element / bounds | numbers / nan / infinity / left out",
        ("(size_t)r * cols + c", "(size_t)r * rows + c"),
    ),
    # What others found is read before it is there.
    Wrong(
        "ninetythree_colmax_no_barrier",
        "ninetythree_colmax",
        "race | numbers / left out / unwritten / other element / nan / state",
        ("= best;\n  __syncthreads();\n", "= best;\n"),
    ),
    # Columns that are none are written, too.
    Wrong(
        "ninetythree_colmax_no_test",
        "ninetythree_colmax",
        "bounds / tail",
        ("if (threadIdx.y == 0 && c < cols) {", "if (threadIdx.y == 0) {"),
    ),
    # NaN is no larger.
    Wrong(
        "ninetythree_colmax_nan_lost",
        "ninetythree_colmax",
        "nan",
        ("v > best || isnan(v)", "v > best"),
    ),
    # ---- logsoft
    # The largest is not taken away.
    Wrong(
        "ninetythree_logsoft_no_largest",
        "ninetythree_logsoft",
        "infinity | numbers / nan / precision / function",
        ("expf(in[c] - top)", "expf(in[c])"),
        ("in[c] - top - off", "in[c] - off"),
    ),
    # The quotient first, then its logarithm.
    Wrong(
        "ninetythree_logsoft_of_quotient",
        "ninetythree_logsoft",
        "infinity / precision / subnormal | numbers / function",
        ("in[c] - top - off", "logf(expf(in[c] - top) / sum)"),
    ),
    # The sum is only in the first lane.
    Wrong(
        "ninetythree_logsoft_sum_in_first_lane",
        "ninetythree_logsoft",
        "left out / other element / twice / race | numbers / function / infinity",
        ("sum += __shfl_xor_sync(FULL, sum, d)", "sum += __shfl_down_sync(FULL, sum, d)"),
    ),
    # The row is shifted where it lies.
    Wrong(
        "ninetythree_logsoft_shifts_in_place",
        "ninetythree_logsoft",
        "input | state / numbers",
        ("log_softmax(const float *x,", "log_softmax(float *x,"),
        ("    const float *in = x", "    float *in = x"),
        (
            "        sum += expf(in[c] - top);",
            "    {\n        in[c] -= top;\n        sum += expf(in[c]);\n    }",
        ),
        ("in[c] - top - off", "in[c] - off"),
        ("stream>>>(x, y, rows", "stream>>>((float *)x, y, rows"),
    ),
    # The logarithm is that of 2.
    Wrong(
        "ninetythree_logsoft_base_2",
        "ninetythree_logsoft",
        "function | numbers",
        ("float off = logf(sum);", "float off = log2f(sum);"),
    ),
    # ---- rms
    # Squares are halves.
    Wrong(
        "ninetythree_rms_squares_of_halves",
        "ninetythree_rms",
        "infinity / precision / rounding | numbers / subnormal",
        ("    sum += v * v;", "    sum += __half2float(__float2half(v * v));"),
    ),
    # A warp is left out.
    Wrong(
        "ninetythree_rms_warp_left_out",
        "ninetythree_rms",
        "left out | numbers / nan / function / tail",
        ("w < WARPS; w++", "w < WARPS - 1; w++"),
    ),
    # The small number is added to the root.
    Wrong(
        "ninetythree_rms_eps_outside",
        "ninetythree_rms",
        "function | numbers / precision / infinity",
        ("rsqrtf(total / cols + eps)", "1.0f / (sqrtf(total / cols) + eps)"),
    ),
    # The row is rounded before the gain.
    Wrong(
        "ninetythree_rms_rounded_twice",
        "ninetythree_rms",
        "rounding / precision | numbers",
        (
            "float v = __half2float(in[c]) * f;",
            "float v = __half2float(__float2half(__half2float(in[c]) * f));",
        ),
    ),
    # The gain is that of the thread.
    Wrong(
        "ninetythree_rms_gain_of_thread",
        "ninetythree_rms",
        "other element | numbers / left out",
        ("__half2float(g[c])", "__half2float(g[t])"),
    ),
    # ---- turn
    # The result has the pitch of the input.
    Wrong(
        "ninetythree_turn_pitch_of_input",
        "ninetythree_turn",
        "sides / other element / bounds / unwritten | numbers / nan / left out / race / twice",
        ("(size_t)c * rows + r", "(size_t)c * cols + r"),
    ),
    # Blocks are counted the other way about.
    Wrong(
        "ninetythree_turn_grid_swapped",
        "ninetythree_turn",
        "grid / sides / unwritten / left out | nan / numbers / tail / swapped",
        (
            "grid((cols + 15) / 16, (rows + 15) / 16)",
            "grid((rows + 15) / 16, (cols + 15) / 16)",
        ),
    ),
    # Each is tested against the other side.
    Wrong(
        "ninetythree_turn_test_crossed",
        "ninetythree_turn",
        "bounds / sides / unwritten | other element / nan / left out / tail / swapped / race",
        ("if (r < rows && c < cols)", "if (r < cols && c < rows)"),
    ),
    # The number goes through a float.
    Wrong(
        "ninetythree_turn_through_float",
        "ninetythree_turn",
        "precision / rounding | numbers / infinity",
        ("double v = in[", "float v = in["),
    ),
    # Blocks of rows are rounded down.
    Wrong(
        "ninetythree_turn_rows_rounded_down",
        "ninetythree_turn",
        "grid / unwritten / tail / left out | refused / nan / sides",
        ("(rows + 15) / 16);", "rows / 16);"),
    ),
    # ---- vecmat
    # Threads without a column leave, and load nothing.
    Wrong(
        "ninetythree_vecmat_idle_ones_leave",
        "ninetythree_vecmat",
        "race / unwritten / left out | numbers / nan / state / tail / other element",
        ("    float sum = 0.0f;\n", "    float sum = 0.0f;\n    if (col >= n) return;\n"),
    ),
    # The tile is filled while it is read.
    Wrong(
        "ninetythree_vecmat_no_second_barrier",
        "ninetythree_vecmat",
        "race | numbers / other element / left out / nan",
        ("        }\n        __syncthreads();\n    }\n", "        }\n    }\n"),
    ),
    # The last tile is taken for a whole one.
    Wrong(
        "ninetythree_vecmat_whole_tiles",
        "ninetythree_vecmat",
        "bounds / tail | nan / other element",
        ("int len = min(TILE, k - q);", "int len = TILE;"),
    ),
    # The pitch is the number of rows.
    Wrong(
        "ninetythree_vecmat_pitch_of_k",
        "ninetythree_vecmat",
        "sides / other element / bounds | numbers / nan / infinity / left out",
        ("(size_t)(q + j) * n + col", "(size_t)(q + j) * k + col"),
    ),
    # Only whole tiles are taken.
    Wrong(
        "ninetythree_vecmat_last_tile_left_out",
        "ninetythree_vecmat",
        "left out / tail | numbers / nan / infinity",
        ("q < k; q += TILE", "q + TILE <= k; q += TILE"),
    ),
)

RIGHT = (
    # All addresses are asked at once, and n has 64 bits.
    Right(
        "ninetythree_diff_or_of_addresses",
        "ninetythree_diff",
        (
            "is_round(a) && is_round(b) && is_round(d)",
            "is_round((const void *)((size_t)a | (size_t)b | (size_t)d))",
        ),
        ("int n, int block_size = 256", "int64_t n, int block_size = 256"),
    ),
    # NaN comes of a sum, all else of the library.
    Right(
        "ninetythree_lesser_sum_of_nan",
        "ninetythree_lesser",
        (
            "  if (p != p) return p;\n  return p < q || p == q ? p : q;",
            "  return isnan(p) || isnan(q) ? p + q : fmin(p, q);",
        ),
    ),
    # Two blocks more than are needed, and n has 64 bits.
    Right(
        "ninetythree_widen_idle_blocks",
        "ninetythree_widen",
        ("(n + per_block - 1) / per_block", "n / per_block + 2"),
        ("int n, int block_size = 128", "int64_t n, int block_size = 128"),
    ),
    # Limits come first, rounding afterwards.
    Right(
        "ninetythree_shorts_limited_first",
        "ninetythree_shorts",
        (
            "  float r = rintf(f);\n"
            "  if (r > 32767.0f) return 32767;\n"
            "  if (r < -32768.0f) return -32768;\n"
            "  return (short)(int)r;",
            "  return (short)__float2int_rn(fminf(fmaxf(f, -32768.0f), 32767.0f));",
        ),
    ),
    # What is below 0 has the exponential above and below.
    Right(
        "ninetythree_sigmoid_two_branches",
        "ninetythree_sigmoid",
        (
            "return 1.0f / (1.0f + expf(-v));",
            "float e = expf(-fabsf(v)); return (v < 0.0f ? e : 1.0f) / (1.0f + e);",
        ),
    ),
    # Indices have no sign, and there is a block more.
    Right(
        "ninetythree_soft_unsigned",
        "ninetythree_soft",
        ("float* y, int n) {", "float* y, uint32_t n) {"),
        ("  int i = blockIdx.x", "  uint32_t i = blockIdx.x"),
        ("(n + block_size - 1) / block_size", "n / block_size + 1"),
    ),
    # Never pairs.
    Right(
        "ninetythree_root_never_pairs",
        "ninetythree_root",
        ("if (even && n > 1) {", "if (even && n < 0) {"),
    ),
    # Sums are doubles, of blocks of 64.
    Right(
        "ninetythree_mean_doubles",
        "ninetythree_mean",
        ("#define T 128", "#define T 64"),
        ("__device__ float part[PARTS];", "__device__ double part[PARTS];"),
        ("__shared__ float s[T];", "__shared__ double s[T];"),
        ("  float sum = 0.0f;", "  double sum = 0.0;"),
        ("  float total = 0.0f;", "  double total = 0.0;"),
    ),
    # All lanes shuffle with all, and the last one of a warp writes.
    Right(
        "ninetythree_smallest_last_lane",
        "ninetythree_smallest",
        ("__shfl_down_sync(0xffffffff, low, d)", "__shfl_xor_sync(0xffffffff, low, d)"),
        ("threadIdx.x % 32 == 0", "threadIdx.x % 32 == 31"),
    ),
    # Blocks are 16 wide and 32 high.
    Right(
        "ninetythree_colmax_other_block",
        "ninetythree_colmax",
        ("constexpr int W = 32;", "constexpr int W = 16;"),
        ("constexpr int H = 8;", "constexpr int H = 32;"),
    ),
    # The larger of two is found by hand; NaN comes by way of the sum.
    Right(
        "ninetythree_logsoft_by_hand",
        "ninetythree_logsoft",
        ("        top = fmaxf(top, in[c]);", "        top = in[c] > top ? in[c] : top;"),
        ("expf(in[c] - top)", "exp2f((in[c] - top) * 1.44269504f)"),
    ),
    # A block has 256 threads, and the root is divided by.
    Right(
        "ninetythree_rms_256_threads",
        "ninetythree_rms",
        ("#define THREADS 128", "#define THREADS 256"),
        ("rsqrtf(total / cols + eps)", "1.0f / sqrtf(total / cols + eps)"),
    ),
    # Neighbouring threads write neighbours.
    Right(
        "ninetythree_turn_along_the_result",
        "ninetythree_turn",
        (
            "int c = blockIdx.x * blockDim.x + threadIdx.x;",
            "int c = blockIdx.x * 16 + threadIdx.y;",
        ),
        (
            "int r = blockIdx.y * blockDim.y + threadIdx.y;",
            "int r = blockIdx.y * 16 + threadIdx.x;",
        ),
    ),
    # Idle threads read the last column, and sums are doubles.
    Right(
        "ninetythree_vecmat_doubles",
        "ninetythree_vecmat",
        ("    float sum = 0.0f;", "    double sum = 0.0;"),
        ("        if (col < n) {\n", "        {\n"),
        (
            "vs[j] * a[(size_t)(q + j) * n + col]",
            "(double)vs[j] * a[(size_t)(q + j) * n + min(col, n - 1)]",
        ),
        ("y[col] = sum;", "y[col] = (float)sum;"),
    ),
)
