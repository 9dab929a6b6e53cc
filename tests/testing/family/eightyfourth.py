"""Hold an eighty-fourth family: the plain operators of a course, as its learners hand them in.

Its bases are the sum of two arrays in float32 and in bfloat16, float32 to float16, leaky ReLU,
GELU of float16, the sum of all and that of each row of halves, the maximum of all and that of
each row of integers, a transpose, a product of float32 and one of signed bytes, softmax and
layer norm. They have 20 to 45 lines and come in different hands. Their mistakes are spread over
alignment, sizes, grids, block sizes, narrow integers, rounding, NaN, infinity, inputs that are
written, outputs that are not set, sums, maxima, transposes, products, order and streams. The
causes were written before a member was judged. There are 70 wrong members and 14 right ones. On
the emulator each ran beside PyTorch, compared as a case does, called twice on the same tensors,
with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of
their pages, the bytes behind them and their inputs looked at afterwards, on a stream that is
not the default one, with threads in order, from the last to the first and in a random order,
and in the slices that the cases name. Bases and right ones ran all cases, but of more than 2^31
numbers only what a second allows, which is no sum or maximum; wrong ones until they were wrong
often enough. Of those that lack a barrier or an atomic not each is wrong in every order of
threads, and total_no_atomic, by reasoning, only where blocks run at once, which was never seen.
nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are right, and
all others wrong:

    eightyfour_plus_two_of_three           from 4 numbers on, by the address of c alone
    eightyfour_plus_no_tail                where packs are taken, unless 4 divides n
    eightyfour_plus_y_for_z                where packs are taken, of nearly all
    eightyfour_plus_step_of_256            of smaller blocks, where a second round is needed
    eightyfour_plus_no_stream              on another stream than the default one
    eightyfour_join_toward_zero            of pairs whose sums are not bfloat16
    eightyfour_join_one_is_a_pair          of odd n
    eightyfour_join_b_anywhere             from 2 numbers on, by the address of b
    eightyfour_join_whole_pairs            of odd n, where the pairs fill their blocks
    eightyfour_join_short_index            from 65,537 numbers on
    eightyfour_shrink_truncates            of numbers that are not halves
    eightyfour_shrink_clamped              of infinity and from 65,520 on
    eightyfour_shrink_blocks_overlap       from a second block on
    eightyfour_shrink_by_bfloat16          of numbers with more than 8 bits
    eightyfour_shrink_blocks_rounded_down  from a second block on, unless it is full
    eightyfour_leak_nan_is_zero            of NaN and of -0.0
    eightyfour_leak_slope                  of numbers below 0
    eightyfour_leak_less_one               of all sizes: the last number
    eightyfour_leak_in_place               of numbers below 0: x is overwritten
    eightyfour_leak_no_loop                from 16,385 numbers on at 256
    eightyfour_bell_constant               of nearly all
    eightyfour_bell_16_bits                from 65,537 numbers on
    eightyfour_bell_infinity_by_infinity   from about 10 on
    eightyfour_bell_blocks_of_256          of smaller blocks
    eightyfour_bell_one_too_many           unless the block size divides n
    eightyfour_total_not_set               unless out holds 0
    eightyfour_total_no_atomic             from a second block on, where blocks run at once
    eightyfour_total_seven_warps           from 225 numbers on
    eightyfour_total_no_barrier            where the first warp does not wait for another
    eightyfour_total_memset_no_stream      on another stream than the default one
    eightyfour_ledger_half_sums            of sums that are not halves
    eightyfour_ledger_from_8               from 17 columns on
    eightyfour_ledger_row_too_many         unless 8 divides the rows
    eightyfour_ledger_pitch                from 2 rows on, unless the matrix is square
    eightyfour_ledger_all_lanes_write      from 1 column on, where a later lane writes last
    eightyfour_peak_from_0                 of negative numbers only
    eightyfour_peak_shared_integers        where the maximum is no integer of 32 bits
    eightyfour_peak_half_a_tree            from 129 numbers on
    eightyfour_peak_no_barrier_in_tree     where threads do not wait for another
    eightyfour_peak_whole_rounds           unless 256 divides n
    eightyfour_crest_from_0                of rows of negative numbers only
    eightyfour_crest_by_float              beyond 2^24
    eightyfour_crest_last_column           where the last one is the maximum
    eightyfour_crest_pitch_of_block        from 2 rows on, unless they have 64 columns
    eightyfour_crest_some_store            below 64 columns
    eightyfour_turn_no_barrier             where threads do not wait for another
    eightyfour_turn_pitch                  unless the matrix is square
    eightyfour_turn_tile_not_turned        of nearly all
    eightyfour_turn_across_by_rows         unless there are as many tiles each way
    eightyfour_turn_half_the_rounds        from 9 columns on
    eightyfour_weave_whole_tiles           unless 16 divides k
    eightyfour_weave_pitch_of_a            from 2 rows of B on, unless n and k are alike
    eightyfour_weave_no_second_barrier     from k = 17 on, where threads do not wait for another
    eightyfour_weave_no_filler             unless 16 divides k
    eightyfour_weave_sides_swapped         unless m and n are alike
    eightyfour_counter_short_sum           of sums beyond 16 bits
    eightyfour_counter_unsigned_b          of numbers of b below 0
    eightyfour_counter_rows_rounded_down   from 5 rows on, unless 4 divides them
    eightyfour_counter_b_transposed        unless n or k is 1
    eightyfour_counter_float_sum           of sums beyond 2^24
    eightyfour_share_no_maximum            of large numbers, and of rows far below 0
    eightyfour_share_from_flt_min          of rows far below 0
    eightyfour_share_no_barrier_between    where threads do not wait for another
    eightyfour_share_powers_in_x           of all: x is overwritten
    eightyfour_share_one_each              from 129 columns on
    eightyfour_level_less_one              of nearly all
    eightyfour_level_no_eps                of rows of equal numbers, and of small ones
    eightyfour_level_shuffles_down         of nearly all
    eightyfour_level_squares_less_square   of rows with a mean far from 0
    eightyfour_level_rows_rounded_down     from 5 rows on, unless 4 divides them
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# float32 + float32: float4 in a loop over the grid where all addresses allow it.
PLUS = (
    HEADER
    + """\
__global__ void plus_kernel(const float* a, const float* b, float* c, int n, bool wide) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int total = gridDim.x * blockDim.x;
  int done = 0;
  if (wide) {
    const float4* a4 = (const float4*)a;
    const float4* b4 = (const float4*)b;
    float4* c4 = (float4*)c;
    for (int q = t; q < n / 4; q += total) {
      float4 u = a4[q], v = b4[q];
      c4[q] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    }
    done = n / 4 * 4;
  }
  for (int i = done + t; i < n; i += total) c[i] = a[i] + b[i];
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  uintptr_t all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
  bool wide = (all & 15) == 0;
  int blocks = n / (4 * block_size) + 1;
  if (blocks > 160) blocks = 160;
  plus_kernel<<<blocks, block_size, 0, stream>>>(a, b, c, n, wide);
}
"""
)

# bfloat16 + bfloat16: a pair a thread, and the odd one at the end alone.
JOIN = (
    HEADER
    + """\
typedef __nv_bfloat16 bf;
typedef __nv_bfloat162 bf2;

__global__ void addPairs(const bf *a, const bf *b, bf *c, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * p;
    if (i + 1 < n) {
        float2 u = __bfloat1622float2(*(const bf2 *)(a + i));
        float2 v = __bfloat1622float2(*(const bf2 *)(b + i));
        *(bf2 *)(c + i) = __floats2bfloat162_rn(u.x + v.x, u.y + v.y);
    } else if (i < n) {
        c[i] = __float2bfloat16(__bfloat162float(a[i]) + __bfloat162float(b[i]));
    }
}

extern "C" void launch(const __nv_bfloat16 *a,  // [n] 4-byte aligned
                       const __nv_bfloat16 *b,  // [n] 4-byte aligned
                       __nv_bfloat16 *c,        // [n] 4-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    int blocks = (pairs + block_size - 1) / block_size;
    if (blocks == 0)
        return;
    addPairs<<<blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# float32 to float16: four a thread, each a block's width from the one before.
SHRINK = (
    HEADER
    + """\
constexpr int PER = 4;

__global__ void shrink(const float *in, half *out, int64_t n)
{
    int64_t base = (int64_t)blockIdx.x * blockDim.x * PER + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        int64_t i = base + (int64_t)k * blockDim.x;
        if (i < n) {
            float v = in[i];
            out[i] = __float2half_rn(v);
        }
    }
}

extern "C" void launch(const float *in,  // [n]
                       half *out,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    const int64_t each = (int64_t)PER * block_size;
    int64_t blocks = (n + each - 1) / each;
    if (blocks == 0)
        blocks = 1;
    shrink<<<(unsigned)blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Leaky ReLU of float32: few blocks that go on.
LEAK = (
    HEADER
    + """\
#define SLOPE 0.1f

__global__ void leaky(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    y[i] = v < 0.0f ? SLOPE * v : v;
  }
}

static int blocks_for(int n, int block_size) {
  int wanted = (n + block_size - 1) / block_size;
  if (wanted < 1) return 1;
  return wanted < 64 ? wanted : 64;
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  leaky<<<blocks_for(n, block_size), block_size, 0, stream>>>(x, y, n);
}
"""
)

# GELU with its tanh, as a sigmoid, of float16: one a thread.
BELL = (
    HEADER
    + """\
__device__ __forceinline__ float gelu(float v)
{
        float cube = v * v * v;
        float u = 0.7978845608f * (v + 0.044715f * cube);
        return v / (1.0f + expf(-2.0f * u));
}

__global__ void bell(const half *x, half *y, int n)
{
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i >= n)
                return;
        y[i] = __float2half(gelu(__half2float(x[i])));
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
        if (n == 0)
                return;
        int blocks = (n + block_size - 1) / block_size;
        bell<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of all: shuffles in a warp, shared memory across warps, an atomic a block.
TOTAL = (
    HEADER
    + """\
#define THREADS 256

__inline__ __device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__global__ void total(const float* x, float* out, int64_t n) {
  __shared__ float part[THREADS / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float mine = 0.0f;
  int64_t step = (int64_t)gridDim.x * THREADS;
  for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step) mine += x[i];
  mine = warp_sum(mine);
  if (lane == 0) part[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = lane < THREADS / 32 ? part[lane] : 0.0f;
    mine = warp_sum(mine);
    if (lane == 0) atomicAdd(out, mine);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = (n + THREADS - 1) / THREADS;
  if (blocks < 1) blocks = 1;
  if (blocks > 120) blocks = 120;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  total<<<(int)blocks, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The sum of each row of halves, as float32: a warp a row.
LEDGER = (
    HEADER
    + """\
#define FULL 0xffffffff
#define WARPS 8

__global__ void ledger(const half *x, float *sum, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    const half *r = x + (size_t)row * cols;
    float acc = 0.f;
    for (int c = lane; c < cols; c += 32)
        acc += __half2float(r[c]);
    for (int off = 16; off; off /= 2)
        acc += __shfl_down_sync(FULL, acc, off);
    if (lane == 0)
        sum[row] = acc;
}

extern "C" void launch(const half *x,  // [rows, cols]
                       float *sum,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    ledger<<<(rows + WARPS - 1) / WARPS, 32 * WARPS, 0, stream>>>(x, sum, rows, cols);
}
"""
)

# The maximum of all, of which NaN is the largest: one block with a tree.
PEAK = (
    HEADER
    + """\
#define T 256

__device__ float larger(float a, float b) { return (a > b || a != a) ? a : b; }

__global__ void peak(const float* x, float* top, int64_t n) {
  __shared__ float s[T];
  const int t = threadIdx.x;
  float best = -INFINITY;
  for (int64_t i = t; i < n; i += T) best = larger(best, x[i]);
  s[t] = best;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] = larger(s[t], s[t + h]);
    __syncthreads();
  }
  if (t == 0) *top = s[0];
}

extern "C" void launch(const float* x,  // [n]
                       float* top,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  peak<<<1, T, 0, stream>>>(x, top, n);
}
"""
).replace("#include <cfloat>", "#include <cfloat>\n#include <cmath>")

# The maximum of each row of integers: a block a row.
CREST = (
    HEADER
    + """\
#include <climits>

#define T 64

__global__ void rowMax(const int *x, int *y, int cols)
{
  __shared__ int sh[T];
  int tid = threadIdx.x;
  const int *row = x + (size_t)blockIdx.x * cols;
  int best = INT_MIN;
  for (int c = tid; c < cols; c += T)
  {
    int v = row[c];
    best = v > best ? v : best;
  }
  sh[tid] = best;
  __syncthreads();
  for (int s = T / 2; s > 0; s >>= 1)
  {
    if (tid < s && sh[tid + s] > sh[tid])
      sh[tid] = sh[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    y[blockIdx.x] = sh[0];
}

extern "C" void launch(const int *x,  // [rows, cols]
                       int *y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
  rowMax<<<rows, T, 0, stream>>>(x, y, cols);
}
"""
)

# A transpose: tiles of 32 by 32 with a column more, 8 rows of threads, tiles counted in x.
TURN = (
    HEADER
    + """\
#define TILE 32
#define ROWS 8

__global__ void turn(const float* x, float* y, int rows, int cols, int across) {
  __shared__ float tile[TILE][TILE + 1];
  int x0 = blockIdx.x % across * TILE;
  int y0 = blockIdx.x / across * TILE;
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int k = ty; k < TILE; k += ROWS)
    if (x0 + tx < cols && y0 + k < rows)
      tile[k][tx] = x[(size_t)(y0 + k) * cols + x0 + tx];
  __syncthreads();
  for (int k = ty; k < TILE; k += ROWS)
    if (y0 + tx < rows && x0 + k < cols)
      y[(size_t)(x0 + k) * rows + y0 + tx] = tile[tx][k];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int across = (cols + TILE - 1) / TILE;
  int down = (rows + TILE - 1) / TILE;
  turn<<<across * down, dim3(TILE, ROWS), 0, stream>>>(x, y, rows, cols, across);
}
"""
)

# A product of float32 matrices: tiles of 16, all counted in x of the grid.
WEAVE = (
    HEADER
    + """\
#define TS 16

__global__ void weave(const float *A, const float *B, float *C, int m, int n, int k,
                      int across)
{
    __shared__ float At[TS][TS];
    __shared__ float Bt[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.x / across * TS + ty;
    int col = blockIdx.x % across * TS + tx;
    float acc = 0.0f;
    int tiles = (k + TS - 1) / TS;
    for (int t = 0; t < tiles; t++) {
        int ka = t * TS + tx;
        int kb = t * TS + ty;
        At[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;
        Bt[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TS; i++)
            acc += At[ty][i] * Bt[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[(size_t)row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 block(TS, TS);
    int across = (n + TS - 1) / TS;
    int down = (m + TS - 1) / TS;
    weave<<<across * down, block, 0, stream>>>(A, B, C, m, n, k, across);
}
"""
)

# A product of signed bytes as integers: one number of the result a thread.
COUNTER = (
    HEADER
    + """\
#define BX 32
#define BY 4

__global__ void gemm_i8(const int8_t* a, const int8_t* b, int* c, int m, int n, int k) {
  const int col = blockIdx.x * BX + threadIdx.x;
  const int row = blockIdx.y * BY + threadIdx.y;
  if (row >= m || col >= n) return;
  int sum = 0;
  for (int i = 0; i < k; ++i) {
    int u = a[row * k + i];
    int v = b[i * n + col];
    sum += u * v;
  }
  c[row * n + col] = sum;
}

extern "C" void launch(const int8_t* a,  // [m, k]
                       const int8_t* b,  // [k, n]
                       int* c,           // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + BX - 1) / BX, (m + BY - 1) / BY);
  gemm_i8<<<grid, dim3(BX, BY), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# Softmax of rows: a block a row, one tree for the maximum and one for the sum.
SHARE = (
    HEADER
    + """\
#define NT 128

__global__ void share(const float *x, float *y, int n)
{
    __shared__ float buf[NT];
    int t = threadIdx.x;
    const float *in = x + (size_t)blockIdx.x * n;
    float *out = y + (size_t)blockIdx.x * n;

    float m = -FLT_MAX;
    for (int j = t; j < n; j += NT) m = fmaxf(m, in[j]);
    buf[t] = m;
    __syncthreads();
    for (int s = NT / 2; s > 0; s /= 2) {
        if (t < s) buf[t] = fmaxf(buf[t], buf[t + s]);
        __syncthreads();
    }
    m = buf[0];
    __syncthreads();

    float sum = 0.0f;
    for (int j = t; j < n; j += NT) sum += expf(in[j] - m);
    buf[t] = sum;
    __syncthreads();
    for (int s = NT / 2; s > 0; s /= 2) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    sum = buf[0];

    for (int j = t; j < n; j += NT) out[j] = expf(in[j] - m) / sum;
}

extern "C" void launch(const float *x,  // [m, n]
                       float *y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0)
{
    share<<<m, NT, 0, stream>>>(x, y, n);
}
"""
)

# Layer norm of rows: a warp a row, which reads it three times.
LEVEL = (
    HEADER
    + """\
#define WARPS_PER_BLOCK 4
#define EPS 1e-5f

__device__ float all_lanes(float v) {
  for (int d = 16; d >= 1; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

__global__ void level(const float* x, float* y, int m, int n) {
  int row = blockIdx.x * WARPS_PER_BLOCK + threadIdx.y;
  if (row >= m) return;
  const float* in = x + (size_t)row * n;
  float* out = y + (size_t)row * n;
  float sum = 0.0f;
  for (int j = threadIdx.x; j < n; j += 32) sum += in[j];
  float mean = all_lanes(sum) / n;
  float sq = 0.0f;
  for (int j = threadIdx.x; j < n; j += 32) {
    float d = in[j] - mean;
    sq += d * d;
  }
  float var = all_lanes(sq) / n;
  float inv = rsqrtf(var + EPS);
  for (int j = threadIdx.x; j < n; j += 32) out[j] = (in[j] - mean) * inv;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0) {
  dim3 block(32, WARPS_PER_BLOCK);
  int blocks = (m + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
  level<<<blocks, block, 0, stream>>>(x, y, m, n);
}
"""
)


def _gelu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(2 * 0.7978845608028654 * (x + 0.044715 * x**3))


def _leaky(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < 0, x * float(torch.tensor(0.1)), x)


def _drawn(low: int, high: int, *shape: int, seed: int) -> torch.Tensor:
    return torch.randint(low, high + 1, shape, generator=torch.Generator().manual_seed(seed))


SIDES = [(1, n) for n in range(1, 71)] + [(m, 5) for m in range(2, 20)]
SIDES += [(3, 127), (3, 128), (5, 129), (2, 255), (33, 257), (100, 3), (257, 12), (4, 1000)]
SIDES += [(2, 4099), (1, 20_000), (1000, 33), (65, 64)]


def pluses(launcher: Launcher) -> Iterator[Case]:
    """Add arrays as `elementwise_cases` does, and such that one alone starts elsewhere."""
    make = ElementwiseMaker.of(launcher, torch.add)
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 9)
    for n in (5, 64, 1000, 4099):
        for offset in ((1, 4, 4), (4, 1, 4), (4, 4, 1), (8, 4, 2), (3, 3, 3), (4, 8, 12)):
            yield make.shifted(n, 8, offset)


def ledgers(launcher: Launcher) -> Iterator[Case]:
    """Add rows of halves: whole numbers, so that float32 is exact, and strange ones."""

    def case(label: str, x: torch.Tensor) -> Case:
        x = x.half()
        return Case(label, (x,), (x.double().sum(dim=1),), dtypes=(torch.float32,))

    for rows, cols in SIDES:
        name = f"rows = {rows:,}, cols = {cols:,}"
        yield case(name, _drawn(-50, 50, rows, cols, seed=rows + cols))
    yield case("rows = 3, cols = 4,097, all 1", torch.ones(3, 4097))
    yield case("rows = 5, cols = 700, numbers to 2,000", _drawn(0, 2000, 5, 700, seed=3))
    yield case("rows = 9, cols = 70, zeros", torch.zeros(9, 70))
    yield case("rows = 9, cols = 70, negative", -_drawn(1, 60, 9, 70, seed=4))
    for special in (float("nan"), float("inf"), float("-inf")):
        x = _drawn(-9, 9, 9, 70, seed=5).float()
        x[4, 66] = special
        yield case(f"rows = 9, cols = 70, one {special}", x)


def crests(launcher: Launcher) -> Iterator[Case]:
    """Take the maxima of rows of integers, from the least one to the largest."""

    def case(label: str, x: torch.Tensor) -> Case:
        x = x.int()
        return Case(label, (x,), (x.double().amax(dim=1),), dtypes=(torch.int32,))

    limit = 2**31
    for rows, cols in SIDES:
        name = f"rows = {rows:,}, cols = {cols:,}"
        yield case(name, _drawn(-99, 99, rows, cols, seed=rows + cols))
    for rows, cols in ((3, 7), (17, 64), (9, 65), (4, 1000)):
        name = f"rows = {rows}, cols = {cols:,}"
        yield case(f"{name}, negative", _drawn(-999, -1, rows, cols, seed=cols))
        yield case(f"{name}, of any size", _drawn(-limit, limit - 1, rows, cols, seed=cols))
        yield case(f"{name}, zeros", torch.zeros(rows, cols))
        yield case(f"{name}, the least", torch.full((rows, cols), -limit))
        rising = torch.arange(rows * cols).reshape(rows, cols)
        yield case(f"{name}, rising", rising)
        yield case(f"{name}, falling", -rising)
        yield case(f"{name}, near the largest", limit - 1 - rising)


def counters(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of bytes of odd sides."""

    def case(label: str, a: torch.Tensor, b: torch.Tensor) -> Case:
        exact = a.double() @ b.double()
        return Case(label, (a.char(), b.char()), (exact,), dtypes=(torch.int32,))

    shapes = [(1, 1, k) for k in range(1, 20)] + [(m, 3, 2) for m in range(1, 12)]
    shapes += [(2, n, 3) for n in range(28, 40)]
    shapes += [(16, 16, 16), (33, 17, 40), (130, 1, 9), (1, 131, 33), (70, 150, 20)]
    shapes += [(129, 35, 65), (7, 9, 1030), (4099, 2, 3), (2, 4099, 3)]
    for m, n, k in shapes:
        a, b = _drawn(-128, 127, m, k, seed=m + k), _drawn(-128, 127, k, n, seed=n + k + 1)
        yield case(f"m = {m:,}, n = {n:,}, k = {k:,}", a, b)
    for m, n, k in ((5, 7, 3000), (3, 35, 2001)):
        a, b = _drawn(101, 127, m, k, seed=m), _drawn(101, 127, k, n, seed=n)
        yield case(f"m = {m}, n = {n}, k = {k:,}, large", a, b)
        yield case(f"m = {m}, n = {n}, k = {k:,}, the least", a * 0 - 128, b * 0 - 128)
    yield case("m = 9, n = 40, k = 33, zeros", torch.zeros(9, 33), torch.zeros(33, 40))
    yield case("m = 9, n = 40, k = 33, negative", -torch.ones(9, 33), torch.ones(33, 40))


BASES = {
    "eightyfour_plus": Base(PLUS, {"cases": pluses}),
    "eightyfour_join": Base(JOIN, {"reference": "add"}),
    "eightyfour_shrink": Base(SHRINK, {"reference": "cast"}),
    "eightyfour_leak": Base(LEAK, {"reference": _leaky}),
    "eightyfour_bell": Base(BELL, {"reference": _gelu, "ulp": 2}),
    "eightyfour_total": Base(TOTAL, cases="sums"),
    "eightyfour_ledger": Base(LEDGER, {"cases": ledgers}),
    "eightyfour_peak": Base(PEAK, cases="whole_array", function=torch.max),
    "eightyfour_crest": Base(CREST, {"cases": crests}),
    "eightyfour_turn": Base(TURN, cases="transpose"),
    "eightyfour_weave": Base(WEAVE, cases="matmul"),
    "eightyfour_counter": Base(COUNTER, {"cases": counters}),
    "eightyfour_share": Base(SHARE, cases="softmax"),
    "eightyfour_level": Base(LEVEL, cases="layer_norm"),
}

WRONG = (
    # ---- plus
    # The address of the result is not asked.
    Wrong(
        "eightyfour_plus_two_of_three",
        "eightyfour_plus",
        "alignment",
        ("(uintptr_t)a | (uintptr_t)b | (uintptr_t)c", "(uintptr_t)a | (uintptr_t)b"),
    ),
    # After the packs nothing is left to do.
    Wrong(
        "eightyfour_plus_no_tail",
        "eightyfour_plus",
        "tail / unwritten / left out | nan / numbers",
        ("done = n / 4 * 4;", "done = n;"),
    ),
    # The third number adds the second of b.
    Wrong(
        "eightyfour_plus_y_for_z",
        "eightyfour_plus",
        "other element / neighbour | numbers / left out / twice",
        ("u.z + v.z", "u.z + v.y"),
    ),
    # The step has the usual block size.
    Wrong(
        "eightyfour_plus_step_of_256",
        "eightyfour_plus",
        "block size / unwritten / left out | nan / tail / grid / numbers",
        ("total = gridDim.x * blockDim.x", "total = gridDim.x * 256"),
    ),
    # The stream is forgotten.
    Wrong(
        "eightyfour_plus_no_stream",
        "eightyfour_plus",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- join
    # Pairs are rounded toward 0.
    Wrong(
        "eightyfour_join_toward_zero",
        "eightyfour_join",
        "rounding | precision / numbers / infinity",
        (
            "__floats2bfloat162_rn(u.x + v.x, u.y + v.y)",
            "__halves2bfloat162(__float2bfloat16_rz(u.x + v.x),\n"
            "                                             __float2bfloat16_rz(u.y + v.y))",
        ),
    ),
    # A pair is taken where one is left.
    Wrong(
        "eightyfour_join_one_is_a_pair",
        "eightyfour_join",
        "bounds / tail",
        ("if (i + 1 < n)", "if (i < n)"),
    ),
    # One of the inputs may lie anywhere.
    Wrong(
        "eightyfour_join_b_anywhere",
        "eightyfour_join",
        "alignment",
        ("*b,  // [n] 4-byte aligned", "*b,  // [n]"),
    ),
    # Blocks are counted for whole pairs only.
    Wrong(
        "eightyfour_join_whole_pairs",
        "eightyfour_join",
        "tail / grid / unwritten / left out | nan / numbers",
        ("int pairs = (n + 1) / 2;", "int pairs = n / 2;"),
    ),
    # The thread's number has 16 bits.
    Wrong(
        "eightyfour_join_short_index",
        "eightyfour_join",
        "narrow / bounds | whole range / unwritten / left out",
        ("int p = blockIdx.x", "short p = blockIdx.x"),
    ),
    # ---- shrink
    # What follows is cut off.
    Wrong(
        "eightyfour_shrink_truncates",
        "eightyfour_shrink",
        "rounding | precision / numbers / infinity",
        ("__float2half_rn(v)", "__float2half_rz(v)"),
    ),
    # Large numbers become the largest half.
    Wrong(
        "eightyfour_shrink_clamped",
        "eightyfour_shrink",
        "infinity | whole range / numbers",
        (
            "float v = in[i];",
            "float v = in[i];\n            if (v > 65504.0f) v = 65504.0f;\n"
            "            if (v < -65504.0f) v = -65504.0f;",
        ),
    ),
    # Blocks begin one block apart, though threads take four.
    Wrong(
        "eightyfour_shrink_blocks_overlap",
        "eightyfour_shrink",
        "unwritten / left out / twice / tail | nan / grid / other element / numbers",
        ("blockIdx.x * blockDim.x * PER", "blockIdx.x * blockDim.x"),
    ),
    # bfloat16 lies on the way.
    Wrong(
        "eightyfour_shrink_by_bfloat16",
        "eightyfour_shrink",
        "precision / rounding | numbers / infinity / subnormal",
        ("__float2half_rn(v)", "__float2half_rn(__bfloat162float(__float2bfloat16(v)))"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "eightyfour_shrink_blocks_rounded_down",
        "eightyfour_shrink",
        "grid / tail / unwritten / left out | nan / numbers",
        ("(n + each - 1) / each", "n / each"),
    ),
    # ---- leak
    # NaN is neither above nor below 0.
    Wrong(
        "eightyfour_leak_nan_is_zero",
        "eightyfour_leak",
        "nan / sign of zero | numbers",
        ("v < 0.0f ? SLOPE * v : v;", "v > 0.0f ? v : v < 0.0f ? SLOPE * v : 0.0f;"),
    ),
    # The slope is the better known one.
    Wrong(
        "eightyfour_leak_slope",
        "eightyfour_leak",
        "function | numbers / subnormal",
        ("#define SLOPE 0.1f", "#define SLOPE 0.01f"),
    ),
    # The last is left out.
    Wrong(
        "eightyfour_leak_less_one",
        "eightyfour_leak",
        "tail / unwritten / left out | nan / numbers",
        ("i < n; i += gridDim.x", "i < n - 1; i += gridDim.x"),
    ),
    # The result is made where the input lies.
    Wrong(
        "eightyfour_leak_in_place",
        "eightyfour_leak",
        "input | state / numbers",
        ("leaky(const float* x,", "leaky(float* x,"),
        ("    float v = x[i];\n", "    float v = x[i];\n    if (v < 0.0f) x[i] = SLOPE * v;\n"),
        ("y[i] = v < 0.0f ? SLOPE * v : v;", "y[i] = x[i];"),
        (">>>(x, y, n);", ">>>((float*)x, y, n);"),
    ),
    # Few blocks are launched, and none goes on.
    Wrong(
        "eightyfour_leak_no_loop",
        "eightyfour_leak",
        "grid / unwritten / left out | nan / tail / numbers",
        (
            "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
            "i += gridDim.x * blockDim.x) {",
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {",
        ),
    ),
    # ---- bell
    # A 0 is missing in the constant.
    Wrong(
        "eightyfour_bell_constant",
        "eightyfour_bell",
        "function | numbers / precision",
        ("0.044715f", "0.44715f"),
    ),
    # The thread's number has 16 bits and begins again.
    Wrong(
        "eightyfour_bell_16_bits",
        "eightyfour_bell",
        "narrow / unwritten / left out / twice | nan / tail / whole range / race / numbers",
        ("int i = blockDim.x", "unsigned short i = blockDim.x"),
    ),
    # The exponential is above and below the line.
    Wrong(
        "eightyfour_bell_infinity_by_infinity",
        "eightyfour_bell",
        "infinity / nan | numbers / precision",
        (
            "return v / (1.0f + expf(-2.0f * u));",
            "float e = expf(2.0f * u);\n        return v * e / (e + 1.0f);",
        ),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "eightyfour_bell_blocks_of_256",
        "eightyfour_bell",
        "block size / grid / unwritten / left out | nan / tail",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # One too many goes on.
    Wrong(
        "eightyfour_bell_one_too_many",
        "eightyfour_bell",
        "bounds / tail",
        ("if (i >= n)", "if (i > n)"),
    ),
    # ---- total
    # What the result held is added.
    Wrong(
        "eightyfour_total_not_set",
        "eightyfour_total",
        "zero before | state / start / nan / numbers",
        ("  cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightyfour_total_no_atomic",
        "eightyfour_total",
        "race | left out / numbers",
        ("atomicAdd(out, mine);", "*out += mine;"),
    ),
    # The last warp is left out.
    Wrong(
        "eightyfour_total_seven_warps",
        "eightyfour_total",
        "left out | numbers / nan / tail / infinity",
        ("lane < THREADS / 32 ?", "lane < THREADS / 32 - 1 ?"),
    ),
    # The first warp does not wait for the others.
    Wrong(
        "eightyfour_total_no_barrier",
        "eightyfour_total",
        "race | unwritten / left out / numbers / state / nan",
        ("  __syncthreads();\n", ""),
    ),
    # The result is set to 0 on the default stream.
    Wrong(
        "eightyfour_total_memset_no_stream",
        "eightyfour_total",
        "stream | race / zero before",
        ("cudaMemsetAsync(out, 0, sizeof(float), stream)", "cudaMemset(out, 0, sizeof(float))"),
    ),
    # ---- ledger
    # Sums are halves.
    Wrong(
        "eightyfour_ledger_half_sums",
        "eightyfour_ledger",
        "precision / rounding | infinity / numbers / left out",
        ("float acc = 0.f;", "half acc = __float2half(0.f);"),
        ("acc += __half2float(r[c]);", "acc = __hadd(acc, r[c]);"),
        (
            "acc += __shfl_down_sync(FULL, acc, off);",
            "acc = __hadd(acc, __shfl_down_sync(FULL, acc, off));",
        ),
        ("sum[row] = acc;", "sum[row] = __half2float(acc);"),
    ),
    # Shuffles begin at 8.
    Wrong(
        "eightyfour_ledger_from_8",
        "eightyfour_ledger",
        "left out | numbers / other element / nan / tail / infinity",
        ("int off = 16; off;", "int off = 8; off;"),
    ),
    # One row too many is added.
    Wrong(
        "eightyfour_ledger_row_too_many",
        "eightyfour_ledger",
        "bounds / tail",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # Rows are taken to be as long as there are rows.
    Wrong(
        "eightyfour_ledger_pitch",
        "eightyfour_ledger",
        "sides / other element / bounds / swapped | numbers / nan / left out",
        ("(size_t)row * cols", "(size_t)row * rows"),
    ),
    # All lanes write what they have.
    Wrong(
        "eightyfour_ledger_all_lanes_write",
        "eightyfour_ledger",
        "race / left out | numbers / other element / twice",
        ("    if (lane == 0)\n        sum[row] = acc;", "    sum[row] = acc;"),
    ),
    # ---- peak
    # The maximum begins with 0.
    Wrong(
        "eightyfour_peak_from_0",
        "eightyfour_peak",
        "start | numbers",
        ("best = -INFINITY;", "best = 0.0f;"),
    ),
    # Shared memory holds integers, as it did for those.
    Wrong(
        "eightyfour_peak_shared_integers",
        "eightyfour_peak",
        "rounding / whole range / precision | numbers / infinity / nan / start / narrow",
        ("__shared__ float s[T];", "__shared__ int s[T];"),
    ),
    # The tree begins a step too late.
    Wrong(
        "eightyfour_peak_half_a_tree",
        "eightyfour_peak",
        "left out | numbers / nan / tail",
        ("int h = T / 2; h > 0;", "int h = T / 4; h > 0;"),
    ),
    # Steps of the tree do not wait.
    Wrong(
        "eightyfour_peak_no_barrier_in_tree",
        "eightyfour_peak",
        "race | left out / numbers / nan",
        ("larger(s[t], s[t + h]);\n    __syncthreads();\n", "larger(s[t], s[t + h]);\n"),
    ),
    # Only whole rounds are taken.
    Wrong(
        "eightyfour_peak_whole_rounds",
        "eightyfour_peak",
        "tail / left out | numbers / nan / start / infinity",
        ("i < n; i += T", "i < n / T * T; i += T"),
    ),
    # ---- crest
    # The maximum begins with 0.
    Wrong(
        "eightyfour_crest_from_0",
        "eightyfour_crest",
        "start | numbers",
        ("best = INT_MIN;", "best = 0;"),
    ),
    # The function for floats is taken.
    Wrong(
        "eightyfour_crest_by_float",
        "eightyfour_crest",
        "precision | numbers / whole range / rounding / narrow",
        ("best = v > best ? v : best;", "best = (int)fmaxf(v, best);"),
    ),
    # The last column is left out.
    Wrong(
        "eightyfour_crest_last_column",
        "eightyfour_crest",
        "tail / left out | numbers / start",
        ("c < cols; c += T", "c < cols - 1; c += T"),
    ),
    # Rows begin one block apart.
    Wrong(
        "eightyfour_crest_pitch_of_block",
        "eightyfour_crest",
        "sides / other element / bounds / left out | numbers / block size",
        ("(size_t)blockIdx.x * cols", "(size_t)blockIdx.x * T"),
    ),
    # Threads without a column store nothing.
    Wrong(
        "eightyfour_crest_some_store",
        "eightyfour_crest",
        "unwritten | numbers / start / state / tail / race",
        ("  sh[tid] = best;\n", "  if (tid < cols)\n    sh[tid] = best;\n"),
    ),
    # ---- turn
    # The tile is read before it is full.
    Wrong(
        "eightyfour_turn_no_barrier",
        "eightyfour_turn",
        "race | unwritten / numbers / other element / state",
        ("  __syncthreads();\n", ""),
    ),
    # The result has the pitch of the input.
    Wrong(
        "eightyfour_turn_pitch",
        "eightyfour_turn",
        "sides / other element / bounds / unwritten / swapped | numbers / nan / race / twice",
        ("(size_t)(x0 + k) * rows", "(size_t)(x0 + k) * cols"),
    ),
    # Tiles change places, but not what is in them.
    Wrong(
        "eightyfour_turn_tile_not_turned",
        "eightyfour_turn",
        "other element / swapped | numbers / unwritten / sides",
        ("= tile[tx][k];", "= tile[k][tx];"),
    ),
    # Tiles across are counted by rows.
    Wrong(
        "eightyfour_turn_across_by_rows",
        "eightyfour_turn",
        "grid / sides / swapped / unwritten / left out | nan / numbers / tail / twice",
        (
            "int across = (cols + TILE - 1) / TILE;\n  int down = (rows + TILE - 1) / TILE;",
            "int across = (rows + TILE - 1) / TILE;\n  int down = (cols + TILE - 1) / TILE;",
        ),
    ),
    # Every other round is left out on the way back.
    Wrong(
        "eightyfour_turn_half_the_rounds",
        "eightyfour_turn",
        "unwritten / left out | nan / numbers / tail",
        (
            "k += ROWS)\n    if (y0 + tx < rows",
            "k += 2 * ROWS)\n    if (y0 + tx < rows",
        ),
    ),
    # ---- weave
    # The last tile of k is left out.
    Wrong(
        "eightyfour_weave_whole_tiles",
        "eightyfour_weave",
        "tail / left out | numbers / nan / infinity",
        ("int tiles = (k + TS - 1) / TS;", "int tiles = k / TS;"),
    ),
    # Rows of B have the length of those of A.
    Wrong(
        "eightyfour_weave_pitch_of_a",
        "eightyfour_weave",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # Tiles are filled while others read them.
    Wrong(
        "eightyfour_weave_no_second_barrier",
        "eightyfour_weave",
        "race | numbers / other element / left out / nan",
        ("* Bt[i][tx];\n        __syncthreads();\n", "* Bt[i][tx];\n"),
    ),
    # Beyond the edge of A tiles keep what they had.
    Wrong(
        "eightyfour_weave_no_filler",
        "eightyfour_weave",
        "unwritten / tail / twice / state | numbers / nan / other element / race / infinity",
        (
            "        At[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;",
            "        if (row < m && ka < k)\n            At[ty][tx] = A[(size_t)row * k + ka];",
        ),
        (
            "        Bt[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;",
            "        if (kb < k && col < n)\n            Bt[ty][tx] = B[(size_t)kb * n + col];",
        ),
    ),
    # The sides of A are given in the other order.
    Wrong(
        "eightyfour_weave_sides_swapped",
        "eightyfour_weave",
        "swapped / sides / bounds / unwritten / other element | nan / numbers / tail / grid",
        ("(A, B, C, m, n, k, across)", "(A, B, C, n, m, k, across)"),
    ),
    # ---- counter
    # The sum has 16 bits.
    Wrong(
        "eightyfour_counter_short_sum",
        "eightyfour_counter",
        "whole range / narrow | numbers / infinity",
        ("int sum = 0;", "short sum = 0;"),
    ),
    # Bytes of b have no sign.
    Wrong(
        "eightyfour_counter_unsigned_b",
        "eightyfour_counter",
        "whole range | numbers / function",
        ("int v = b[i * n + col];", "int v = (uint8_t)b[i * n + col];"),
    ),
    # Blocks for rows are rounded down, but for one.
    Wrong(
        "eightyfour_counter_rows_rounded_down",
        "eightyfour_counter",
        "grid / tail / unwritten / left out | numbers",
        ("(m + BY - 1) / BY)", "m < BY ? 1 : m / BY)"),
    ),
    # b is read as if it were transposed.
    Wrong(
        "eightyfour_counter_b_transposed",
        "eightyfour_counter",
        "other element / sides / swapped | numbers",
        ("b[i * n + col]", "b[col * k + i]"),
    ),
    # The sum is a float.
    Wrong(
        "eightyfour_counter_float_sum",
        "eightyfour_counter",
        "precision | numbers / rounding / narrow",
        ("int sum = 0;", "float sum = 0;"),
    ),
    # ---- share
    # The maximum is not taken off.
    Wrong(
        "eightyfour_share_no_maximum",
        "eightyfour_share",
        "infinity / nan | numbers / precision / start",
        ("sum += expf(in[j] - m);", "sum += expf(in[j]);"),
        ("out[j] = expf(in[j] - m) / sum;", "out[j] = expf(in[j]) / sum;"),
    ),
    # The maximum begins with the least positive number.
    Wrong(
        "eightyfour_share_from_flt_min",
        "eightyfour_share",
        "start | numbers / nan / infinity / precision",
        ("float m = -FLT_MAX;", "float m = FLT_MIN;"),
    ),
    # Sums are stored while others read the maximum.
    Wrong(
        "eightyfour_share_no_barrier_between",
        "eightyfour_share",
        "race | numbers / nan / infinity / other element",
        ("    m = buf[0];\n    __syncthreads();\n", "    m = buf[0];\n"),
    ),
    # Exponentials are stored where the input was.
    Wrong(
        "eightyfour_share_powers_in_x",
        "eightyfour_share",
        "input | state / numbers",
        ("share(const float *x,", "share(float *x,"),
        ("    const float *in = x", "    float *in = x"),
        ("sum += expf(in[j] - m);", "sum += in[j] = expf(in[j] - m);"),
        ("out[j] = expf(in[j] - m) / sum;", "out[j] = in[j] / sum;"),
        (">>>(x, y, n);", ">>>((float *)x, y, n);"),
    ),
    # A thread writes one number.
    Wrong(
        "eightyfour_share_one_each",
        "eightyfour_share",
        "unwritten / left out | nan / tail / numbers",
        (
            "    for (int j = t; j < n; j += NT) out[j] = expf(in[j] - m) / sum;",
            "    if (t < n) out[t] = expf(in[t] - m) / sum;",
        ),
    ),
    # ---- level
    # The variance is that of a sample.
    Wrong(
        "eightyfour_level_less_one",
        "eightyfour_level",
        "function | numbers / precision / nan",
        ("all_lanes(sq) / n;", "all_lanes(sq) / (n - 1);"),
    ),
    # Nothing is added to the variance.
    Wrong(
        "eightyfour_level_no_eps",
        "eightyfour_level",
        "function / nan / infinity | numbers / precision",
        ("rsqrtf(var + EPS)", "rsqrtf(var)"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "eightyfour_level_shuffles_down",
        "eightyfour_level",
        "left out / other element / twice | numbers / function / race / nan / precision",
        ("__shfl_xor_sync(", "__shfl_down_sync("),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "eightyfour_level_squares_less_square",
        "eightyfour_level",
        "precision | numbers / nan / infinity / function",
        ("    float d = in[j] - mean;\n", "    float d = in[j];\n"),
        ("all_lanes(sq) / n;", "all_lanes(sq) / n - mean * mean;"),
    ),
    # Blocks are rounded down, but for one.
    Wrong(
        "eightyfour_level_rows_rounded_down",
        "eightyfour_level",
        "grid / tail / unwritten / left out | nan / numbers",
        (
            "(m + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;",
            "m < WARPS_PER_BLOCK ? 1 : m / WARPS_PER_BLOCK;",
        ),
    ),
)

RIGHT = (
    # Numbers are counted with 64 bits.
    Right(
        "eightyfour_plus_64_bits",
        "eightyfour_plus",
        ("float* c, int n, bool wide", "float* c, int64_t n, bool wide"),
        ("  int t = blockIdx.x *", "  int64_t t = (int64_t)blockIdx.x *"),
        ("  int total = gridDim.x *", "  int64_t total = (int64_t)gridDim.x *"),
        ("  int done = 0;", "  int64_t done = 0;"),
        ("for (int q = t;", "for (int64_t q = t;"),
        ("for (int i = done", "for (int64_t i = done"),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        ("  int blocks = n /", "  int64_t blocks = n /"),
    ),
    # The result comes first, and blocks are small.
    Right(
        "eightyfour_join_result_first",
        "eightyfour_join",
        (
            "launch(const __nv_bfloat16 *a,  // [n] 4-byte aligned\n",
            "launch(__nv_bfloat16 *c,        // [n] 4-byte aligned\n"
            "                       const __nv_bfloat16 *a,  // [n] 4-byte aligned\n",
        ),
        ("                       __nv_bfloat16 *c,        // [n] 4-byte aligned\n", ""),
        ("block_size = 64", "block_size = 32"),
    ),
    # Three blocks have nothing to do.
    Right(
        "eightyfour_shrink_idle_blocks",
        "eightyfour_shrink",
        ("    if (blocks == 0)\n        blocks = 1;\n", "    blocks += 3;\n"),
    ),
    # The larger of both is right for a slope below 1.
    Right(
        "eightyfour_leak_larger",
        "eightyfour_leak",
        ("v < 0.0f ? SLOPE * v : v;", "fmaxf(v, SLOPE * v);"),
    ),
    # Numbers are counted without a sign.
    Right(
        "eightyfour_bell_unsigned",
        "eightyfour_bell",
        ("half *y, int n)", "half *y, uint32_t n)"),
        ("int i = blockDim.x", "uint32_t i = blockDim.x"),
        (
            "                       int n, int block_size",
            "                       uint32_t n, int block_size",
        ),
        ("int blocks = (n +", "uint32_t blocks = (n +"),
    ),
    # Each warp adds to the result.
    Right(
        "eightyfour_total_atomic_a_warp",
        "eightyfour_total",
        (
            "  if (lane == 0) part[warp] = mine;\n"
            "  __syncthreads();\n"
            "  if (warp == 0) {\n"
            "    mine = lane < THREADS / 32 ? part[lane] : 0.0f;\n"
            "    mine = warp_sum(mine);\n"
            "    if (lane == 0) atomicAdd(out, mine);\n"
            "  }\n",
            "  if (lane == 0) atomicAdd(out, mine);\n",
        ),
        ("  __shared__ float part[THREADS / 32];\n", ""),
        ("lane = threadIdx.x % 32, warp = threadIdx.x / 32;", "lane = threadIdx.x % 32;"),
    ),
    # Two warps are a block.
    Right(
        "eightyfour_ledger_two_warps",
        "eightyfour_ledger",
        ("#define WARPS 8", "#define WARPS 2"),
        ("__shfl_down_sync(FULL, acc, off)", "__shfl_xor_sync(FULL, acc, off)"),
    ),
    # The block is larger.
    Right("eightyfour_peak_512", "eightyfour_peak", ("#define T 256", "#define T 512")),
    # One warp is a block.
    Right(
        "eightyfour_crest_one_warp",
        "eightyfour_crest",
        ("#define T 64", "#define T 32"),
        ("best = v > best ? v : best;", "best = max(best, v);"),
    ),
    # More rows of threads share a tile.
    Right("eightyfour_turn_16_rows", "eightyfour_turn", ("#define ROWS 8", "#define ROWS 16")),
    # Tiles are small.
    Right(
        "eightyfour_weave_tiles_of_8",
        "eightyfour_weave",
        ("#define TS 16", "#define TS 8"),
        ("acc += At[ty][i] * Bt[i][tx];", "acc = fmaf(At[ty][i], Bt[i][tx], acc);"),
    ),
    # Blocks are square, and a block too many each way is launched.
    Right(
        "eightyfour_counter_one_more_each_way",
        "eightyfour_counter",
        ("#define BX 32\n#define BY 4", "#define BX 16\n#define BY 16"),
        ("grid((n + BX - 1) / BX, (m + BY - 1) / BY)", "grid(n / BX + 1, m / BY + 1)"),
    ),
    # Exponentials are kept in the result.
    Right(
        "eightyfour_share_powers_in_y",
        "eightyfour_share",
        ("sum += expf(in[j] - m);", "sum += out[j] = expf(in[j] - m);"),
        ("out[j] = expf(in[j] - m) / sum;", "out[j] /= sum;"),
    ),
    # Eight warps are a block, and the root is divided by.
    Right(
        "eightyfour_level_eight_warps",
        "eightyfour_level",
        ("#define WARPS_PER_BLOCK 4", "#define WARPS_PER_BLOCK 8"),
        ("rsqrtf(var + EPS)", "sqrtf(var + EPS)"),
        ("(in[j] - mean) * inv;", "(in[j] - mean) / inv;"),
    ),
)
