"""Hold a ninetieth family: the plain operators of a course, as juniors write them.

Its bases are the sum of two arrays of floats in float2, the product of two arrays of int16,
bfloat16 to float by a shift, float to half in half2, silu in float4, erf, the exponential of
doubles, a total that blocks add by shuffles and atomics, the smallest of each row by a warp,
sums of columns by strips, a transpose by tiles of 16 x 16, a product of matrices of doubles by
tiles, softmax of rows at a temperature, and layer norm of halves, a warp a row: 14 bases, 70
wrong members and 14 right ones of another form. Their mistakes are spread over alignment,
sizes, grids, integers of 16 bits, values, rounding, NaN, infinity, an input that is written,
sums, transposes, products, order, streams and what a sum holds before. The causes were written
before a member was judged. Nine bases have the cases of the course, five have their own. On the
emulator each ran beside PyTorch, compared as a case does, called twice on the same tensors,
with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of
their pages, the bytes behind them and their inputs looked at afterwards, on a stream that is
not the default one, with threads in order, from the last to the first and in a random order,
and in the slices that the cases name. Bases and right ones ran all cases, of the huge ones what
time allowed; wrong ones until they were wrong often enough. Of total, the member without an
atomic is right in each order of the emulator's threads, and wrong where two warps add at once.
nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was run on a GPU. Bases
and right ones are right, and all others wrong or refused by a fault:

    ninety_add_only_b_tested                in slices where only b is at a round address
    ninety_add_pairs_rounded_up             of odd counts, where pairs are taken
    ninety_add_odd_one_forgotten            of odd counts, where pairs are taken
    ninety_add_first_of_b_again             from 2 numbers on, where pairs are taken
    ninety_add_single_no_stream             on another stream, in slices
    ninety_product_kept_in_16_bits          of products beyond 16 bits
    ninety_product_left_unsigned            if left is below 0
    ninety_product_one_too_many             of all, as n is written, too
    ninety_product_step_of_128              of smaller blocks, where 40 are too few
    ninety_product_through_float            of products that need more than 24 bits
    ninety_widen_through_half               of numbers that a half does not hold
    ninety_widen_clamped                    of infinities and of NaN
    ninety_widen_last_one_left              if 4 does not divide the count
    ninety_widen_blocks_rounded_down        unless the blocks are full
    ninety_widen_always_256                 of other block sizes
    ninety_narrow_cut_off                   of pairs between two halves
    ninety_narrow_clamped                   beyond 65,504, of pairs
    ninety_narrow_through_bfloat16          of numbers that a bfloat16 does not hold
    ninety_narrow_pair_turned               from 2 numbers on
    ninety_narrow_a_thousand_blocks         from 1,025 blocks on: 65,602 numbers at 32
    ninety_silu_always_packs                in slices
    ninety_silu_plus_exponent               of nearly all
    ninety_silu_grows_twice                 from 89 on: NaN
    ninety_silu_rest_from_packs             from 4 numbers on, unless 4 divides n
    ninety_silu_no_half_in_tanh             of nearly all
    ninety_erf_one_less_erfc                near 0
    ninety_erf_nan_is_large                 of NaN
    ninety_erf_by_tanh                      of nearly all
    ninety_erf_straight_near_0              between about 0.001 and 0.25
    ninety_erf_test_too_wide                unless the block size divides n
    ninety_exp_of_floats                    of nearly all
    ninety_exp_constant_of_float            of nearly all
    ninety_exp_limit_of_float               between 88.8 and 709
    ninety_exp_index_of_16_bits             from 65,537 numbers on
    ninety_exp_kept_in_x                    of nearly all: x is overwritten
    ninety_total_not_zero_before            unless the sum is 0 before
    ninety_total_first_warp_only            from a 33rd number of a block on
    ninety_total_shuffles_from_8            from a 17th number of a block on
    ninety_total_no_atomic                  where warps add at once
    ninety_total_share_rounded_down         unless 24 divides n
    ninety_least_starts_at_0                of rows above 0
    ninety_least_starts_at_largest          of rows of infinity
    ninety_least_nan_is_dropped             of NaN
    ninety_least_pitch_of_rows              unless rows and columns are as many
    ninety_least_half_of_the_lanes          from 17 columns on
    ninety_columns_grid_swapped             unless strips and blocks of columns are as many
    ninety_columns_whole_strips             unless 48 divides the rows
    ninety_columns_stored_not_added         from 49 rows on
    ninety_columns_clear_no_stream          on another stream
    ninety_columns_sum_of_int               of fractions, infinity and NaN
    ninety_turn_no_barrier                  where threads do not wait for another
    ninety_turn_tile_not_turned             of nearly all
    ninety_turn_tiles_stay                  unless there is one tile
    ninety_turn_pitch_of_x                  unless rows and columns are as many
    ninety_turn_tiles_in_y                  from 65,536 tiles of rows on
    ninety_multiply_tiles_rounded_down      unless 8 divides k
    ninety_multiply_no_second_barrier       from k = 9 on, where threads do not wait
    ninety_multiply_k_not_tested            unless 8 divides k
    ninety_multiply_pitch_of_a              unless n and k are alike
    ninety_multiply_sum_of_float            of sums that a float does not hold
    ninety_heat_starts_at_0                 of rows that are far below 0
    ninety_heat_no_barrier_between          where threads do not wait for another
    ninety_heat_times_temperature           of temperatures other than 1
    ninety_heat_temperature_once            of temperatures other than 1
    ninety_heat_one_column_a_thread         from 129 columns on
    ninety_norm_sum_in_half                 of rows whose sum a half does not hold
    ninety_norm_one_less                    of nearly all
    ninety_norm_eps_forgotten               of rows of equal numbers, and of a large eps
    ninety_norm_gain_of_lane                from 33 columns on
    ninety_norm_four_rows_a_block           from 5 rows on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who learnt of float2 yesterday: the sum of two arrays, by pairs where all may be so read.
ADD = (
    HEADER
    + """\
__global__ void add_pairs(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pairs = n / 2;
  if (i < pairs) {
    float2 u = ((const float2*)a)[i];
    float2 v = ((const float2*)b)[i];
    ((float2*)y)[i] = make_float2(u.x + v.x, u.y + v.y);
  } else if (i == pairs && n % 2 == 1) {
    y[n - 1] = a[n - 1] + b[n - 1];
  }
}

__global__ void add_single(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i];
}

static bool by8(const void* p) { return (uintptr_t)p % 8 == 0; }

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  if (by8(a) && by8(b) && by8(y)) {
    int threads = (n + 1) / 2;
    add_pairs<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, y, n);
  } else {
    add_single<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, y, n);
  }
}
"""
)

# One who counts samples: the product of two int16 arrays as int32, in a loop over the grid.
PRODUCT = (
    HEADER
    + """\
__global__ void product(const int16_t *left, const int16_t *right, int *out, int n)
{
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int i = start; i < n; i += step)
        out[i] = left[i] * right[i];
}

extern "C" void launch(const int16_t *left,   // [n]
                       const int16_t *right,  // [n]
                       int *out,              // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = n / block_size + 1;
    if (blocks > 40)
        blocks = 40;
    product<<<blocks, block_size, 0, stream>>>(left, right, out, n);
}
"""
)

# One who likes bits: bfloat16 to float by a shift, four neighbours a thread.
WIDEN = (
    HEADER
    + """\
#define PER_THREAD 4

__device__ float widened(__nv_bfloat16 v) {
  unsigned int bits = __bfloat16_as_ushort(v);
  return __uint_as_float(bits << 16);
}

__global__ void widen(const __nv_bfloat16* src, float* dst, int count) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
  int last = min(first + PER_THREAD, count);
  for (int k = first; k < last; ++k) dst[k] = widened(src[k]);
}

extern "C" void launch(const __nv_bfloat16* src,  // [count]
                       float* dst,                // [count]
                       int count, int block_size = 256, cudaStream_t stream = 0) {
  int each = PER_THREAD * block_size;
  int blocks = (count + each - 1) / each;
  if (blocks > 0) widen<<<blocks, block_size, 0, stream>>>(src, dst, count);
}
"""
)

# One who saves memory: float to half, two a thread in half2, the odd one by itself.
NARROW = (
    HEADER
    + """\
__global__ void to_half2(const float2 *__restrict__ x, half2 *__restrict__ y, int pairs)
{
    const int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= pairs)
        return;
    const float2 v = x[t];
    y[t] = __floats2half2_rn(v.x, v.y);
}

__global__ void to_half_last(const float *x, half *y, int at)
{
    y[at] = __float2half_rn(x[at]);
}

extern "C" void launch(const float *x,  // [n] 8-byte aligned
                       half *y,         // [n] 4-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    const int pairs = n / 2;
    int blocks = (pairs + block_size - 1) / block_size;
    if (blocks > 0)
        to_half2<<<blocks, block_size, 0, stream>>>((const float2 *)x, (half2 *)y, pairs);
    if (n & 1)
        to_half_last<<<1, 1, 0, stream>>>(x, y, n - 1);
}
"""
)

# One who trains a small network: silu in float4, or one by one from any address.
SILU = (
    HEADER
    + """\
__device__ __forceinline__ float silu(float v) { return v / (1.0f + expf(-v)); }

__global__ void silu_kernel(const float* x, float* y, int packs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int p = i; p < packs; p += stride) {
    float4 q = reinterpret_cast<const float4*>(x)[p];
    q.x = silu(q.x);
    q.y = silu(q.y);
    q.z = silu(q.z);
    q.w = silu(q.w);
    reinterpret_cast<float4*>(y)[p] = q;
  }
  for (int k = 4 * packs + i; k < n; k += stride) y[k] = silu(x[k]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  bool wide = ((uintptr_t)x | (uintptr_t)y) % 16 == 0;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks == 0) return;
  if (blocks > 64) blocks = 64;
  silu_kernel<<<blocks, block_size, 0, stream>>>(x, y, wide ? n / 4 : 0, n);
}
"""
)

# One who reads statistics: erf, one a thread.
ERF = (
    HEADER
    + """\
__device__ float error_of(float v)
{
    return erff(v);
}

__global__ void erf_all(const float *in, float *out, int n)
{
    int id = blockDim.x * blockIdx.x + threadIdx.x;
    if (id >= n)
        return;
    out[id] = error_of(in[id]);
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    dim3 block(block_size);
    dim3 grid((n + block.x - 1) / block.x);
    if (n > 0)
        erf_all<<<grid, block, 0, stream>>>(in, out, n);
}
"""
)

# One who came from numerics: exp of doubles, one a thread.
EXP = (
    HEADER
    + """\
__global__ void exp_kernel(const double* x, double* y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    double v = x[i];
    y[i] = exp(v);
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n <= 0) return;
  exp_kernel<<<1 + (n - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who adds up: a block adds its share by shuffles, each warp with one atomic.
TOTAL = (
    HEADER
    + """\
__inline__ __device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void total(const float *x, float *sum, int64_t share, int64_t n)
{
    int64_t begin = blockIdx.x * share;
    int64_t end = min(begin + share, n);
    float mine = 0.0f;
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        mine += x[i];
    mine = warp_sum(mine);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(sum, mine);
}

extern "C" void launch(const float *x,  // [n]
                       float *sum,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    const int blocks = 24;
    int64_t share = (n + blocks - 1) / blocks;
    cudaMemsetAsync(sum, 0, sizeof(float), stream);
    total<<<blocks, 128, 0, stream>>>(x, sum, share, n);
}
"""
)

# One who looks for the cheapest: the smallest of each row, a warp a row; NaN is passed on.
LEAST = (
    HEADER
    + """\
#define WARPS 4

__device__ float lesser(float a, float b) { return (a < b || a != a) ? a : b; }

__global__ void row_min(const float* m, float* low, int rows, int cols) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;
  const float* p = m + (size_t)row * cols;
  float best = INFINITY;
  for (int c = lane; c < cols; c += 32) best = lesser(best, p[c]);
  for (int d = 16; d >= 1; d /= 2) {
    float other = __shfl_xor_sync(0xffffffff, best, d);
    best = lesser(best, other);
  }
  if (lane == 0) low[row] = best;
}

extern "C" void launch(const float* m,  // [rows, cols]
                       float* low,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + WARPS - 1) / WARPS;
  row_min<<<blocks, 32 * WARPS, 0, stream>>>(m, low, rows, cols);
}
"""
)

# One who keeps tables: sums of columns, a thread a column, strips of rows with atomics.
COLUMNS = (
    HEADER
    + """\
const int STRIP = 48;

__global__ void clear(float *sums, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) sums[c] = 0.f;
}

__global__ void add_strip(const float *table, float *sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    int from = blockIdx.y * STRIP;
    int to = min(rows, from + STRIP);
    float sum = 0.f;
    for (int r = from; r < to; r++)
        sum += table[(size_t)r * cols + c];
    atomicAdd(sums + c, sum);
}

extern "C" void launch(const float *table,  // [rows, cols]
                       float *sums,         // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int across = (cols + 63) / 64;
    int strips = (rows + STRIP - 1) / STRIP;
    clear<<<across, 64, 0, stream>>>(sums, cols);
    add_strip<<<dim3(across, strips), 64, 0, stream>>>(table, sums, rows, cols);
}
"""
)

# One who has read of tiles: the transpose, 16 x 16, with one number for the tile.
TURN = (
    HEADER
    + """\
constexpr int TILE = 16;

__global__ void turn(const float* __restrict__ x, float* __restrict__ y, int rows, int cols,
                     int across) {
  __shared__ float tile[TILE][TILE + 1];
  int tile_row = blockIdx.x / across, tile_col = blockIdx.x % across;
  int r = tile_row * TILE + threadIdx.y;
  int c = tile_col * TILE + threadIdx.x;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = x[(size_t)r * cols + c];
  __syncthreads();
  int i = tile_col * TILE + threadIdx.y;
  int j = tile_row * TILE + threadIdx.x;
  if (i < cols && j < rows) y[(size_t)i * rows + j] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int across = (cols + TILE - 1) / TILE;
  int down = (rows + TILE - 1) / TILE;
  turn<<<across * down, dim3(TILE, TILE), 0, stream>>>(x, y, rows, cols, across);
}
"""
)

# One who studies mechanics: the product of matrices of doubles by tiles.
MULTIPLY = (
    HEADER
    + """\
#define B 8

__global__ void multiply(const double *a, const double *b, double *c, int m, int n, int k)
{
    __shared__ double ta[B][B], tb[B][B];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * B + y;
    int col = blockIdx.x * B + x;
    double sum = 0;
    int tiles = (k + B - 1) / B;
    for (int t = 0; t < tiles; t++) {
        int ka = t * B + x;
        int kb = t * B + y;
        ta[y][x] = (row < m && ka < k) ? a[row * (size_t)k + ka] : 0.0;
        tb[y][x] = (kb < k && col < n) ? b[kb * (size_t)n + col] : 0.0;
        __syncthreads();
        for (int q = 0; q < B; q++)
            sum += ta[y][q] * tb[q][x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * (size_t)n + col] = sum;
}

extern "C" void launch(const double *a,  // [m, k]
                       const double *b,  // [k, n]
                       double *c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 block(B, B);
    dim3 grid((n + B - 1) / B, (m + B - 1) / B);
    multiply<<<grid, block, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who samples words: softmax of rows at a temperature, a block a row.
HEAT = (
    HEADER
    + """\
#define THREADS 128

__global__ void heat(const float* logits, float* probs, float temperature, int cols) {
  __shared__ float buf[THREADS];
  const int tid = threadIdx.x;
  const float* in = logits + (size_t)blockIdx.x * cols;
  float* out = probs + (size_t)blockIdx.x * cols;

  float top = -INFINITY;
  for (int c = tid; c < cols; c += THREADS) top = fmaxf(top, in[c]);
  buf[tid] = top;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
    __syncthreads();
  }
  top = buf[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = tid; c < cols; c += THREADS) sum += expf((in[c] - top) / temperature);
  buf[tid] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] += buf[tid + s];
    __syncthreads();
  }
  sum = buf[0];
  for (int c = tid; c < cols; c += THREADS)
    out[c] = expf((in[c] - top) / temperature) / sum;
}

extern "C" void launch(const float* logits,  // [rows, cols]
                       float* probs,         // [rows, cols]
                       float temperature, int rows, int cols, cudaStream_t stream = 0) {
  heat<<<rows, THREADS, 0, stream>>>(logits, probs, temperature, cols);
}
"""
)

# One who builds a transformer: layer norm of halves, a warp a row, eight rows a block.
NORM = (
    HEADER
    + """\
__device__ float sum_of_warp(float v)
{
    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void norm(const half *x, const half *gamma, const half *beta, half *y, float eps,
                     int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    y += (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32)
        s += __half2float(x[c]);
    float mean = sum_of_warp(s) / cols;
    float v = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = __half2float(x[c]) - mean;
        v += d * d;
    }
    float scale = rsqrtf(sum_of_warp(v) / cols + eps);
    for (int c = lane; c < cols; c += 32) {
        float z = (__half2float(x[c]) - mean) * scale;
        y[c] = __float2half(z * __half2float(gamma[c]) + __half2float(beta[c]));
    }
}

extern "C" void launch(const half *x,      // [rows, cols]
                       const half *gamma,  // [cols]
                       const half *beta,   // [cols]
                       half *y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<(rows + 7) / 8, dim3(32, 8), 0, stream>>>(x, gamma, beta, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
SIDES = [(n, 71 - n) for n in range(1, 71)] + [(n, n) for n in (1, 2, 16, 17, 32, 33, 48, 65)]
SIDES += [
    (1, 1000),
    (1000, 1),
    (3, 4099),
    (4099, 3),
    (129, 127),
    (128, 64),
    (49, 256),
    (2, 257),
]
SIDES += [(7, 9_001), (2_001, 5), (300, 70)]
FLOAT, HALF, DOUBLE = (torch.float32,), (torch.float16,), (torch.float64,)


def leasts(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, above and below 0, zeros, infinities, the last, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("zeros", torch.zeros_like(x)),
            ("infinite", torch.full_like(x, INF)),
            ("infinities", torch.where(c % 3 == 1, INF, torch.where(c % 7 == 5, -INF, x))),
            ("the last is the smallest", torch.where(c == cols - 1, -5000.0, x)),
            ("one NaN a row", torch.where(c == cols // 2, NAN, x)),
            ("NaN first", torch.where(c == 0, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amin(1),), dtypes=FLOAT, quick=n > 20_000)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add columns, all exact: any, quarters, below 0, zeros, the last row, infinity, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-99, 100, n, n).reshape(rows, cols).float()
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("quarters", x / 4),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("the last row alone", torch.where(r == rows - 1, 7.0, 0 * x)),
            ("infinity", torch.where(r == rows // 3, INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().sum(0),), dtypes=FLOAT, quick=n > 20_000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply, all exact: any, large ones that only a double holds, ones, zeros, NaN."""
    sides = [
        (1, 1, 1),
        (1, 2, 3),
        (2, 1, 40),
        (8, 8, 8),
        (16, 16, 16),
        (17, 15, 33),
        (9, 7, 64),
    ]
    sides += [(5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32), (3, 2, 1000)]
    sides += [
        (20, 65, 48),
        (300, 2, 9),
        (2, 300, 9),
        (65, 64, 63),
        *((7, 9, k) for k in range(1, 71)),
    ]
    for m, n, k in sides:
        a = whole(-999, 1000, m * k, m + k).reshape(m, k).double()
        b = whole(-999, 1000, k * n, n).reshape(k, n).double()
        h = torch.arange(k)
        for label, s, t in (
            ("any", a, b),
            ("large", a * 10_001, b * 1_001),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", a * 0, b),
            ("the last alone", torch.where(h == k - 1, 3.0, 0 * a), b),
            ("one NaN", torch.where((h == k // 2) & (a == a[m // 2, k // 2]), NAN, a), b),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            right = torch.stack([(row[:, None] * t).sum(0) for row in s])
            yield Case(words, (s, t), (right,), dtypes=DOUBLE)


def heats(launcher: Launcher) -> Iterator[Case]:
    """Soften: any, equal, far above and below 0, rising, a mask, a NaN; warm and cold."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y, temperature in (
            ("any", x, 1.0),
            ("warm", x, 2.0),
            ("cold", x, 0.25),
            ("equal", x * 0 + 3, 0.5),
            ("far above 0", x + 1000, 1.0),
            ("far below 0", x - 1000, 2.0),
            ("rising", x * 0 + c / 64.0, 0.5),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x), 1.5),
            ("a NaN", torch.where((c == cols // 2) & (x > 0), NAN, x), 1.0),
        ):
            y = y.float()
            z = y.double()
            p = torch.exp((z - z.amax(1, True)) / temperature)
            p = p / p.sum(1, keepdim=True)
            slack = ((2.0**-17 * p + 2.0**-126).nan_to_num(0.0),)
            scalars = {"temperature": temperature}
            words = f"rows = {rows:,}, cols = {cols:,}, temperature = {temperature}, {label}"
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 20_000}
            yield Case(words, (y,), (p,), scalars, **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, equal, about a large mean, large, a NaN; with gains."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1e-5),
            ("plain", x, gain * 0 + 1, bias * 0, 1e-5),
            ("a large eps", x / 64, gain, bias, 0.25),
            ("equal", x * 0 + 5, gain, bias, 1e-5),
            ("zeros", x * 0, gain, bias, 1e-5),
            ("about 1,000", 1000 + x // 10, gain, bias, 0.5),
            ("large", x * 600, gain, bias, 1.0),
            ("a NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1e-5),
        ):
            y, g, b = y.half(), g.half(), b.half()
            v, g2, b2 = y.double(), g.double(), b.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g2 + b2
            slack = 2.0**-10 * right.abs() + 2.0**-14 * (d * f * g2).abs()
            slack += 2.0**-21 * f * v.abs().amax(1, True) * g2.abs() + 2.0**-20
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            options = {"dtypes": HALF, "within": (slack.nan_to_num(0.0),), "quick": n > 20_000}
            yield Case(words, (y, g, b), (right,), {"eps": eps}, **options)


BASES = {
    "ninety_add": Base(ADD, {"reference": "add"}),
    "ninety_product": Base(PRODUCT, {"reference": "multiply"}),
    "ninety_widen": Base(WIDEN, {"reference": "cast"}),
    "ninety_narrow": Base(NARROW, {"reference": "cast"}),
    "ninety_silu": Base(SILU, {"reference": lambda x: x / (1 + (-x).exp()), "ulp": 4}),
    "ninety_erf": Base(ERF, {"reference": torch.erf, "ulp": 4}),
    "ninety_exp": Base(EXP, {"reference": torch.exp, "ulp": 2}),
    "ninety_total": Base(TOTAL, cases="sums"),
    "ninety_least": Base(LEAST, {"cases": leasts}),
    "ninety_columns": Base(COLUMNS, {"cases": columns}),
    "ninety_turn": Base(TURN, cases="transpose"),
    "ninety_multiply": Base(MULTIPLY, {"cases": products}),
    "ninety_heat": Base(HEAT, {"cases": heats}),
    "ninety_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- add
    # Only b's address is tested.
    Wrong(
        "ninety_add_only_b_tested",
        "ninety_add",
        "alignment",
        ("by8(a) && by8(b) && by8(y)", "by8(b)"),
    ),
    # The number of pairs is rounded up.
    Wrong(
        "ninety_add_pairs_rounded_up",
        "ninety_add",
        "bounds / tail | alignment",
        ("int pairs = n / 2;", "int pairs = (n + 1) / 2;"),
    ),
    # The last of an odd number is not taken.
    Wrong(
        "ninety_add_odd_one_forgotten",
        "ninety_add",
        "tail / unwritten",
        (
            (" else if (i == pairs && n % 2 == 1) {\n    y[n - 1] = a[n - 1] + b[n - 1];\n  }"),
            "",
        ),
    ),
    # The second of a pair gets the first of b.
    Wrong(
        "ninety_add_first_of_b_again",
        "ninety_add",
        "other element / neighbour | numbers",
        ("u.y + v.y", "u.y + v.x"),
    ),
    # Single numbers are added on the default stream.
    Wrong(
        "ninety_add_single_no_stream",
        "ninety_add",
        "stream",
        (
            "add_single<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>",
            "add_single<<<(n + block_size - 1) / block_size, block_size>>>",
        ),
    ),
    # ---- product
    # The product is kept in 16 bits.
    Wrong(
        "ninety_product_kept_in_16_bits",
        "ninety_product",
        "whole range / narrow | numbers",
        ("out[i] = left[i] * right[i];", "out[i] = (int16_t)(left[i] * right[i]);"),
    ),
    # The left factor has no sign.
    Wrong(
        "ninety_product_left_unsigned",
        "ninety_product",
        "whole range | numbers",
        ("out[i] = left[i]", "out[i] = (uint16_t)left[i]"),
    ),
    # The index may be n.
    Wrong(
        "ninety_product_one_too_many",
        "ninety_product",
        "bounds",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # The step is that of blocks of 128.
    Wrong(
        "ninety_product_step_of_128",
        "ninety_product",
        "block size | unwritten / left out / tail / twice / grid",
        ("gridDim.x * blockDim.x", "gridDim.x * 128"),
    ),
    # The product is one of floats.
    Wrong(
        "ninety_product_through_float",
        "ninety_product",
        "precision | numbers / whole range / rounding",
        ("out[i] = left[i] * right[i];", "out[i] = (int)((float)left[i] * (float)right[i]);"),
    ),
    # ---- widen
    # The number becomes a half on its way.
    Wrong(
        "ninety_widen_through_half",
        "ninety_widen",
        "precision / infinity | subnormal / numbers / whole range / rounding",
        (
            "return __uint_as_float(bits << 16);",
            "return __half2float(__float2half(__uint_as_float(bits << 16)));",
        ),
    ),
    # Infinities are clamped.
    Wrong(
        "ninety_widen_clamped",
        "ninety_widen",
        "infinity / nan | numbers",
        (
            "return __uint_as_float(bits << 16);",
            "return fmaxf(-FLT_MAX, fminf(__uint_as_float(bits << 16), FLT_MAX));",
        ),
    ),
    # The last is not taken, unless 4 divides the count.
    Wrong(
        "ninety_widen_last_one_left",
        "ninety_widen",
        "tail / unwritten",
        (
            "min(first + PER_THREAD, count)",
            "first + PER_THREAD <= count ? first + PER_THREAD : count - 1",
        ),
    ),
    # The blocks are rounded down.
    Wrong(
        "ninety_widen_blocks_rounded_down",
        "ninety_widen",
        "tail / grid / unwritten | left out",
        ("(count + each - 1) / each", "count / each"),
    ),
    # The block size is typed in.
    Wrong(
        "ninety_widen_always_256",
        "ninety_widen",
        "block size | unwritten / left out / bounds / twice / race",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # ---- narrow
    # Pairs are rounded toward 0.
    Wrong(
        "ninety_narrow_cut_off",
        "ninety_narrow",
        "rounding | numbers / infinity / precision",
        (
            "__floats2half2_rn(v.x, v.y)",
            "__halves2half2(__float2half_rz(v.x), __float2half_rz(v.y))",
        ),
    ),
    # Pairs are clamped to what a half holds.
    Wrong(
        "ninety_narrow_clamped",
        "ninety_narrow",
        "infinity | numbers / whole range",
        (
            "__floats2half2_rn(v.x, v.y)",
            (
                "__floats2half2_rn(v.x > 65504.0f ? 65504.0f : v.x,\n"
                "                             v.y > 65504.0f ? 65504.0f : v.y)"
            ),
        ),
    ),
    # Pairs become bfloat16 on their way.
    Wrong(
        "ninety_narrow_through_bfloat16",
        "ninety_narrow",
        "precision / rounding | numbers / infinity",
        (
            "__floats2half2_rn(v.x, v.y)",
            (
                "__floats2half2_rn(__bfloat162float(__float2bfloat16(v.x)),\n"
                "                             __bfloat162float(__float2bfloat16(v.y)))"
            ),
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "ninety_narrow_pair_turned",
        "ninety_narrow",
        "neighbour / other element / swapped | numbers",
        ("__floats2half2_rn(v.x, v.y)", "__floats2half2_rn(v.y, v.x)"),
    ),
    # No more than 1,024 blocks are launched.
    Wrong(
        "ninety_narrow_a_thousand_blocks",
        "ninety_narrow",
        "grid / unwritten | tail / left out",
        (
            "    if (blocks > 0)",
            ("    if (blocks > 1024)\n        blocks = 1024;\n    if (blocks > 0)"),
        ),
    ),
    # ---- silu
    # Packs are taken from any address.
    Wrong(
        "ninety_silu_always_packs",
        "ninety_silu",
        "alignment",
        ("wide ? n / 4 : 0", "n / 4"),
        ("  bool wide = ((uintptr_t)x | (uintptr_t)y) % 16 == 0;\n", ""),
    ),
    # The exponent lacks its sign.
    Wrong(
        "ninety_silu_plus_exponent",
        "ninety_silu",
        "function | numbers / nan / infinity",
        ("expf(-v)", "expf(v)"),
    ),
    # Numerator and denominator overflow.
    Wrong(
        "ninety_silu_grows_twice",
        "ninety_silu",
        "infinity / nan | numbers / function",
        ("return v / (1.0f + expf(-v));", "return v * expf(v) / (1.0f + expf(v));"),
    ),
    # The rest starts at the number of packs, and ends early.
    Wrong(
        "ninety_silu_rest_from_packs",
        "ninety_silu",
        "tail / unwritten | other element / left out",
        ("int k = 4 * packs + i; k < n;", "int k = packs + i; k < n - 3 * packs;"),
    ),
    # The tanh is not of half the number.
    Wrong(
        "ninety_silu_no_half_in_tanh",
        "ninety_silu",
        "function | numbers / infinity",
        ("return v / (1.0f + expf(-v));", "return 0.5f * v * (1.0f + tanhf(v));"),
    ),
    # ---- erf
    # Near 0 the difference from 1 loses all digits.
    Wrong(
        "ninety_erf_one_less_erfc",
        "ninety_erf",
        "precision | numbers / subnormal / function / sign of zero",
        ("return erff(v);", "return 1.0f - erfcf(v);"),
    ),
    # NaN is taken for a large number.
    Wrong(
        "ninety_erf_nan_is_large",
        "ninety_erf",
        "nan",
        ("return erff(v);", "return !(fabsf(v) < 4.0f) ? copysignf(1.0f, v) : erff(v);"),
    ),
    # A tanh is close to it.
    Wrong(
        "ninety_erf_by_tanh",
        "ninety_erf",
        "precision / function | numbers",
        ("return erff(v);", "return tanhf(1.1283792f * v * (1.0f + 0.0894f * v * v));"),
    ),
    # Near 0 it is taken for a straight line.
    Wrong(
        "ninety_erf_straight_near_0",
        "ninety_erf",
        "numbers / precision / function",
        ("return erff(v);", "return fabsf(v) < 0.25f ? 1.1283792f * v : erff(v);"),
    ),
    # The index may be n.
    Wrong(
        "ninety_erf_test_too_wide",
        "ninety_erf",
        "bounds",
        ("id >= n", "id > n"),
    ),
    # ---- exp
    # The exponential is that of floats.
    Wrong(
        "ninety_exp_of_floats",
        "ninety_exp",
        "precision | numbers / infinity / whole range / subnormal",
        ("exp(v)", "expf(v)"),
    ),
    # The constant has the digits of a float.
    Wrong(
        "ninety_exp_constant_of_float",
        "ninety_exp",
        "precision / function | numbers / infinity",
        ("exp(v)", "exp2(v * 1.44269504f)"),
    ),
    # Above the limit of float it is infinite.
    Wrong(
        "ninety_exp_limit_of_float",
        "ninety_exp",
        "infinity / numbers | whole range / function",
        ("exp(v)", "v > 88.7 ? INFINITY : exp(v)"),
    ),
    # The index has 16 bits.
    Wrong(
        "ninety_exp_index_of_16_bits",
        "ninety_exp",
        "narrow / unwritten | whole range / tail / left out",
        ("int i = threadIdx.x", "uint16_t i = threadIdx.x"),
    ),
    # The exponential is kept in x.
    Wrong(
        "ninety_exp_kept_in_x",
        "ninety_exp",
        "input | state",
        (
            ("const double* x, double* y, int n) {\n  int i"),
            ("double* x, double* y, int n) {\n  int i"),
        ),
        (("double v = x[i];\n    y[i] = exp(v);"), ("x[i] = exp(x[i]);\n    y[i] = x[i];")),
        ("stream>>>(x, y, n)", "stream>>>((double*)x, y, n)"),
    ),
    # ---- total
    # The sum is not set to 0 before.
    Wrong(
        "ninety_total_not_zero_before",
        "ninety_total",
        "zero before | state / start / numbers / nan / unwritten / twice",
        ("    cudaMemsetAsync(sum, 0, sizeof(float), stream);\n", ""),
    ),
    # Only the first warp adds what it has.
    Wrong(
        "ninety_total_first_warp_only",
        "ninety_total",
        "left out | numbers / nan / infinity",
        ("(threadIdx.x & 31) == 0", "threadIdx.x == 0"),
    ),
    # The shuffles begin with 8.
    Wrong(
        "ninety_total_shuffles_from_8",
        "ninety_total",
        "left out | numbers / nan / infinity",
        ("int offset = 16;", "int offset = 8;"),
    ),
    # Warps add without an atomic.
    Wrong(
        "ninety_total_no_atomic",
        "ninety_total",
        "race | numbers / left out / other element",
        ("atomicAdd(sum, mine);", "*sum += mine;"),
    ),
    # The share of a block is rounded down.
    Wrong(
        "ninety_total_share_rounded_down",
        "ninety_total",
        "tail / left out | numbers / nan / infinity",
        ("(n + blocks - 1) / blocks", "n / blocks"),
    ),
    # ---- least
    # The smallest begins with 0.
    Wrong(
        "ninety_least_starts_at_0",
        "ninety_least",
        "start | numbers",
        ("best = INFINITY;", "best = 0.0f;"),
    ),
    # The smallest begins with the largest float.
    Wrong(
        "ninety_least_starts_at_largest",
        "ninety_least",
        "start / infinity | numbers",
        ("best = INFINITY;", "best = FLT_MAX;"),
    ),
    # NaN is left out.
    Wrong(
        "ninety_least_nan_is_dropped",
        "ninety_least",
        "nan",
        ("return (a < b || a != a) ? a : b;", "return fminf(a, b);"),
    ),
    # Rows start at multiples of their number.
    Wrong(
        "ninety_least_pitch_of_rows",
        "ninety_least",
        "sides / other element / bounds | numbers",
        ("(size_t)row * cols", "(size_t)row * rows"),
    ),
    # The shuffles begin with 8.
    Wrong(
        "ninety_least_half_of_the_lanes",
        "ninety_least",
        "left out | numbers / nan / infinity",
        ("int d = 16;", "int d = 8;"),
    ),
    # ---- columns
    # The sides of the grid are swapped.
    Wrong(
        "ninety_columns_grid_swapped",
        "ninety_columns",
        "grid / swapped / left out / sides | numbers / tail / unwritten / nan / infinity",
        ("dim3(across, strips)", "dim3(strips, across)"),
    ),
    # The last strip is taken for a whole one.
    Wrong(
        "ninety_columns_whole_strips",
        "ninety_columns",
        "bounds / tail | numbers",
        ("int to = min(rows, from + STRIP);", "int to = from + STRIP;"),
    ),
    # A strip is stored in place of being added.
    Wrong(
        "ninety_columns_stored_not_added",
        "ninety_columns",
        "race / left out | numbers",
        ("atomicAdd(sums + c, sum);", "sums[c] = sum;"),
    ),
    # The sums are cleared on the default stream.
    Wrong(
        "ninety_columns_clear_no_stream",
        "ninety_columns",
        "stream",
        ("clear<<<across, 64, 0, stream>>>", "clear<<<across, 64>>>"),
    ),
    # The sum is an integer.
    Wrong(
        "ninety_columns_sum_of_int",
        "ninety_columns",
        "rounding / precision | numbers / nan / infinity / whole range",
        ("float sum = 0.f;", "int sum = 0;"),
    ),
    # ---- turn
    # There is no barrier.
    Wrong(
        "ninety_turn_no_barrier",
        "ninety_turn",
        "race | numbers / other element / unwritten / nan",
        ("  __syncthreads();\n", ""),
    ),
    # The tile is read as it was written.
    Wrong(
        "ninety_turn_tile_not_turned",
        "ninety_turn",
        "other element / unwritten | numbers / nan / neighbour / race / function / swapped",
        ("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.y][threadIdx.x];"),
    ),
    # Tiles keep their places.
    Wrong(
        "ninety_turn_tiles_stay",
        "ninety_turn",
        "other element / unwritten / sides | bounds / left out / numbers / swapped / tail",
        ("int i = tile_col * TILE", "int i = tile_row * TILE"),
        ("int j = tile_row * TILE", "int j = tile_col * TILE"),
    ),
    # Rows of y have the pitch of x.
    Wrong(
        "ninety_turn_pitch_of_x",
        "ninety_turn",
        "sides / other element / bounds | unwritten / race / numbers",
        ("(size_t)i * rows + j", "(size_t)i * cols + j"),
    ),
    # The rows of tiles are blocks in y.
    Wrong(
        "ninety_turn_tiles_in_y",
        "ninety_turn",
        "grid / refused | unwritten",
        (
            "blockIdx.x / across, tile_col = blockIdx.x % across;",
            "blockIdx.y, tile_col = blockIdx.x;",
        ),
        ("turn<<<across * down,", "turn<<<dim3(across, down),"),
    ),
    # ---- multiply
    # The last tile of k is left out.
    Wrong(
        "ninety_multiply_tiles_rounded_down",
        "ninety_multiply",
        "tail / left out | numbers / nan",
        ("(k + B - 1) / B", "k / B"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "ninety_multiply_no_second_barrier",
        "ninety_multiply",
        "race | numbers / other element / left out / nan",
        (("* tb[q][x];\n        __syncthreads();\n"), "* tb[q][x];\n"),
    ),
    # The columns of a are not tested.
    Wrong(
        "ninety_multiply_k_not_tested",
        "ninety_multiply",
        "bounds / tail | other element / nan / numbers",
        ("(row < m && ka < k)", "(row < m)"),
    ),
    # Rows of b have the pitch of a.
    Wrong(
        "ninety_multiply_pitch_of_a",
        "ninety_multiply",
        "sides / other element / bounds | numbers / nan",
        ("b[kb * (size_t)n + col]", "b[kb * (size_t)k + col]"),
    ),
    # The sum is a float.
    Wrong(
        "ninety_multiply_sum_of_float",
        "ninety_multiply",
        "precision | numbers / rounding",
        ("double sum = 0;", "float sum = 0;"),
    ),
    # ---- heat
    # The largest begins with 0.
    Wrong(
        "ninety_heat_starts_at_0",
        "ninety_heat",
        "start | numbers / nan / infinity / precision / subnormal",
        ("top = -INFINITY;", "top = 0.0f;"),
    ),
    # Sums are stored while others read the maximum.
    Wrong(
        "ninety_heat_no_barrier_between",
        "ninety_heat",
        "race | numbers / other element / nan / infinity / left out",
        (("  top = buf[0];\n  __syncthreads();\n"), "  top = buf[0];\n"),
    ),
    # The temperature is a factor.
    Wrong(
        "ninety_heat_times_temperature",
        "ninety_heat",
        "function | numbers / infinity",
        (
            "sum += expf((in[c] - top) / temperature);",
            "sum += expf((in[c] - top) * temperature);",
        ),
        (
            "out[c] = expf((in[c] - top) / temperature) / sum;",
            "out[c] = expf((in[c] - top) * temperature) / sum;",
        ),
    ),
    # What is summed has no temperature.
    Wrong(
        "ninety_heat_temperature_once",
        "ninety_heat",
        "function | numbers / twice / infinity",
        ("sum += expf((in[c] - top) / temperature);", "sum += expf(in[c] - top);"),
    ),
    # A thread writes one column.
    Wrong(
        "ninety_heat_one_column_a_thread",
        "ninety_heat",
        "unwritten / left out | tail / nan",
        (
            ("  for (int c = tid; c < cols; c += THREADS)\n    out[c]"),
            ("  int c = tid;\n  if (c < cols)\n    out[c]"),
        ),
    ),
    # ---- norm
    # The sum is a half.
    Wrong(
        "ninety_norm_sum_in_half",
        "ninety_norm",
        "precision | infinity / nan / numbers / rounding / whole range",
        ("float s = 0.0f;", "half s = __float2half(0.0f);"),
        ("s += __half2float(x[c]);", "s = __hadd(s, x[c]);"),
        ("sum_of_warp(s) / cols", "sum_of_warp(__half2float(s)) / cols"),
    ),
    # The variance is divided by one less.
    Wrong(
        "ninety_norm_one_less",
        "ninety_norm",
        "function | nan / infinity / numbers",
        ("sum_of_warp(v) / cols", "sum_of_warp(v) / (cols - 1)"),
    ),
    # The small number is not added.
    Wrong(
        "ninety_norm_eps_forgotten",
        "ninety_norm",
        "function / nan / infinity / left out | numbers",
        ("/ cols + eps)", "/ cols)"),
    ),
    # The gain is that of the lane.
    Wrong(
        "ninety_norm_gain_of_lane",
        "ninety_norm",
        "other element / left out | numbers",
        ("gamma[c]", "gamma[lane]"),
    ),
    # The launch has half of the warps that it counts with.
    Wrong(
        "ninety_norm_four_rows_a_block",
        "ninety_norm",
        "unwritten / grid / block size / left out | tail / other element",
        ("dim3(32, 8)", "dim3(32, 4)"),
    ),
)

RIGHT = (
    # The count has 64 bits, and one block more is launched.
    Right(
        "ninety_add_int64_and_more_blocks",
        "ninety_add",
        (
            ("float* y,        // [n]\n                       int n,"),
            ("float* y,        // [n]\n                       int64_t n,"),
        ),
        ("int threads = (n + 1) / 2;", "int threads = n / 2 + 1;"),
    ),
    # The loop goes from the end to the start.
    Right(
        "ninety_product_from_the_end",
        "ninety_product",
        ("int i = start; i < n; i += step", "int i = n - 1 - start; i >= 0; i -= step"),
    ),
    # The header's function widens, and idle blocks are launched.
    Right(
        "ninety_widen_intrinsic",
        "ninety_widen",
        (
            (
                "  unsigned int bits = __bfloat16_as_ushort(v);\n"
                "  return __uint_as_float(bits << 16);"
            ),
            "  return __bfloat162float(v);",
        ),
        ("(count + each - 1) / each", "count / each + 3"),
    ),
    # Each of a pair is converted by itself.
    Right(
        "ninety_narrow_two_conversions",
        "ninety_narrow",
        ("__floats2half2_rn(v.x, v.y)", "__halves2half2(__float2half(v.x), __float2half(v.y))"),
    ),
    # The rest is taken before the packs, and there are at most 7 blocks.
    Right(
        "ninety_silu_rest_first",
        "ninety_silu",
        ("if (blocks > 64) blocks = 64;", "blocks = min(blocks, 7);"),
        ("  for (int k = 4 * packs + i; k < n; k += stride) y[k] = silu(x[k]);\n", ""),
        (
            "  for (int p = i; p < packs;",
            (
                "  for (int k = 4 * packs + i; k < n; k += stride) y[k] = silu(x[k]);\n"
                "  for (int p = i; p < packs;"
            ),
        ),
    ),
    # The index has no sign, and one block more is launched.
    Right(
        "ninety_erf_unsigned_index",
        "ninety_erf",
        ("int id = blockDim.x", "unsigned id = blockDim.x"),
        ("if (id >= n)", "if (id >= (unsigned)n)"),
        ("dim3 grid((n + block.x - 1) / block.x);", "dim3 grid(n / block.x + 1);"),
    ),
    # The result comes first, and idle blocks are launched.
    Right(
        "ninety_exp_other_order",
        "ninety_exp",
        (
            (
                "launch(const double* x,  // [n]\n"
                "                       double* y,        // [n]"
            ),
            (
                "launch(double* y,        // [n]\n"
                "                       const double* x,  // [n]"
            ),
        ),
        ("1 + (n - 1) / block_size", "2 + n / block_size"),
    ),
    # Warps join in shared memory, and a block adds once.
    Right(
        "ninety_total_one_atomic_a_block",
        "ninety_total",
        (
            ("    if ((threadIdx.x & 31) == 0)\n        atomicAdd(sum, mine);"),
            (
                "    __shared__ float warps[4];\n"
                "    if ((threadIdx.x & 31) == 0)\n"
                "        warps[threadIdx.x / 32] = mine;\n"
                "    __syncthreads();\n"
                "    if (threadIdx.x == 0)\n"
                "        atomicAdd(sum, warps[0] + warps[1] + warps[2] + warps[3]);"
            ),
        ),
    ),
    # A block has one warp.
    Right(
        "ninety_least_one_warp_a_block",
        "ninety_least",
        ("#define WARPS 4", "#define WARPS 1"),
    ),
    # The launcher sets the sums to 0, and strips have 20 rows.
    Right(
        "ninety_columns_memset",
        "ninety_columns",
        ("const int STRIP = 48;", "const int STRIP = 20;"),
        (
            "clear<<<across, 64, 0, stream>>>(sums, cols);",
            "cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);",
        ),
    ),
    # Tiles have 8 x 8 numbers, and no filler.
    Right(
        "ninety_turn_tiles_of_8",
        "ninety_turn",
        ("TILE = 16;", "TILE = 8;"),
        ("tile[TILE][TILE + 1];", "tile[TILE][TILE];"),
    ),
    # The tile of b is kept turned.
    Right(
        "ninety_multiply_tile_turned",
        "ninety_multiply",
        ("tb[y][x] = (kb", "tb[x][y] = (kb"),
        ("* tb[q][x]", "* tb[x][q]"),
    ),
    # The temperature becomes a factor before the loops.
    Right(
        "ninety_heat_factor",
        "ninety_heat",
        (
            "  float sum = 0.0f;\n",
            ("  float factor = 1.0f / temperature;\n  float sum = 0.0f;\n"),
        ),
        ("sum += expf((in[c] - top) / temperature);", "sum += expf((in[c] - top) * factor);"),
        (
            "out[c] = expf((in[c] - top) / temperature) / sum;",
            "out[c] = expf((in[c] - top) * factor) / sum;",
        ),
    ),
    # A block has 16 rows, and one more is launched.
    Right(
        "ninety_norm_sixteen_rows_a_block",
        "ninety_norm",
        ("(rows + 7) / 8, dim3(32, 8)", "rows / 16 + 1, dim3(32, 16)"),
    ),
)
