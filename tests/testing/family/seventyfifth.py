"""Hold a seventy-fifth family: plain operators of a course's first half year.

Its bases are floats added in float4, halves multiplied, floats to signed bytes by a scale,
integers to bfloat16, ELU, a hard sigmoid, a matrix times a row vector, the sum of an array
by a ticket of the last block, the largest of each row by a tree, sums of columns with
shared memory, a transpose by tiles of 32 with a loop over lines, a product with tiles of
8, softmax of rows, and layer norm a warp a row. They have 18 to 39 lines. Nine are tried
with cases that learners use: of sums, transposes, products, softmax, layer norm and the
elementwise ones. Their mistakes are spread over alignment, sizes, grids, block sizes,
values, rounding, NaN, inputs that are written, sums, transposes, products, order, streams
and what is left of an earlier call. The causes are what a teacher is expected to say;
nothing has judged a member yet. There are 70 wrong members and 14 right ones.

On the emulator each ran beside PyTorch, compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at
either end of their pages, the bytes behind them and their inputs looked at afterwards, on
a stream that is not the default one, with threads in order, from the last to the first and
in a random order, and in the slices that the cases name. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. Of those that lack a barrier not each is
wrong in every order of threads, and what lacks an atomic was never so, as blocks ran one by
one: it is wrong by reasoning.
nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are
right, and all others wrong or refused by a fault:

    seventyfive_add_rest_by_second_block      unless 4 divides n, where there is one block
    seventyfive_add_rest_from_the_start       from 5 numbers on, unless 4 divides n
    seventyfive_add_b_anywhere                from 4 numbers on, by the address of b
    seventyfive_add_blocks_of_256             of smaller blocks, from a second one on
    seventyfive_add_fourth_to_itself          from 4 numbers on
    seventyfive_times_only_b_asked            from 2 numbers on, by the addresses of a and y
    seventyfive_times_last_is_a_pair          of odd n, where pairs are taken
    seventyfive_times_threads_rounded_down    if n = 1, or 257: one more than blocks hold
    seventyfive_times_single_cut_off          of single products that are no halves
    seventyfive_times_pairs_added             of nearly all pairs
    seventyfive_bytes_ties_away               of every other tie
    seventyfive_bytes_no_upper_limit          beyond 127
    seventyfive_bytes_divided                 unless the scale is 1
    seventyfive_bytes_every_other_round       from 513 numbers on at 32
    seventyfive_bytes_nan_is_a_limit          of NaN
    seventyfive_brain_rounded_twice           from 2^24 on, near a tie
    seventyfive_brain_cut_off                 from 257 on, of half of the numbers
    seventyfive_brain_one_too_many            unless the block size divides n
    seventyfive_brain_unsigned                of numbers below 0
    seventyfive_brain_256_in_kernel           of other block sizes, from a second block on
    seventyfive_elu_exp_less_one              of numbers a little below 0
    seventyfive_elu_from_one_on               from 0 to 1
    seventyfive_elu_two_parts                 of NaN
    seventyfive_elu_blocks_rounded_down       unless the block size divides n
    seventyfive_elu_not_tested                unless the block size divides n
    seventyfive_gate_slope_of_a_fifth         of nearly all within the limits
    seventyfive_gate_no_upper_limit           from 2 on
    seventyfive_gate_nan_is_zero              of NaN
    seventyfive_gate_in_place                 unless all are fixed points: x is overwritten
    seventyfive_gate_no_stream                on another stream than the default one
    seventyfive_gains_of_the_row              of nearly all
    seventyfive_gains_pitch_of_rows           unless the matrix is square or a row
    seventyfive_gains_rows_not_tested         unless 16 divides the rows
    seventyfive_gains_grid_swapped            unless the tiles are as many each way
    seventyfive_gains_no_barrier              where threads do not wait for another
    seventyfive_total_tickets_go_on           from a second call on
    seventyfive_total_tree_from_a_quarter     from 65 numbers on
    seventyfive_total_last_part_missing       of all, unless the last part is 0
    seventyfive_total_sum_of_int              of fractions, infinity and NaN
    seventyfive_total_no_barrier              where threads do not wait for another
    seventyfive_peak_starts_at_flt_min        of rows without a number above 0
    seventyfive_peak_nan_dropped              of NaN
    seventyfive_peak_pitch_of_block           from 2 rows on, unless there are 64 columns
    seventyfive_peak_1024_blocks              from 1,025 rows on
    seventyfive_peak_tree_stops_early         from 2 columns on, if an odd one decides
    seventyfive_columns_not_zeroed            unless the sums are 0 before
    seventyfive_columns_seven_lines           from 8 rows on
    seventyfive_columns_no_atomic             where blocks add at once
    seventyfive_columns_same_rows             of nearly all
    seventyfive_columns_written_past_end      unless 32 divides the columns
    seventyfive_turn_tile_as_it_was           of nearly all
    seventyfive_turn_pitch_of_input           unless the matrix is square or a column
    seventyfive_turn_three_of_four_lines      from 25 columns on
    seventyfive_turn_no_barrier               where threads do not wait for another
    seventyfive_turn_across_of_rows           unless the tiles are as many each way
    seventyfive_matmul_whole_tiles            unless 8 divides k
    seventyfive_matmul_pitch_of_a             unless n and k are alike
    seventyfive_matmul_b_turned               of nearly all
    seventyfive_matmul_no_second_barrier      from k = 9 on, where threads do not wait
    seventyfive_matmul_k_of_a_not_tested      of NaN or infinity next, and past the end of A
    seventyfive_softmax_no_maximum            of rows far from 0
    seventyfive_softmax_no_middle_barrier     where threads do not wait for another
    seventyfive_softmax_powers_of_two         from 2 columns on
    seventyfive_softmax_65535_blocks          from 65,536 rows on
    seventyfive_softmax_last_not_in_sum       of nearly all
    seventyfive_norm_of_a_sample              of nearly all
    seventyfive_norm_no_epsilon               of rows of equal or small numbers
    seventyfive_norm_half_a_warp              from 17 columns on
    seventyfive_norm_blocks_rounded_down      unless 4 divides the rows
    seventyfive_norm_squares_less_square      of rows with a mean far from 0
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Floats added in float4; the first threads of block 0 take the rest.
ADD = (
    HEADER
    + """\
__global__ void add4(const float *a, const float *b, float *c, int64_t n)
{
    int64_t packs = n / 4;
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < packs) {
        float4 u = ((const float4 *)a)[p];
        float4 v = ((const float4 *)b)[p];
        ((float4 *)c)[p] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        int64_t i = 4 * packs + threadIdx.x;
        c[i] = a[i] + b[i];
    }
}

extern "C" void launch(const float *a,  // [n] 16-byte aligned
                       const float *b,  // [n] 16-byte aligned
                       float *c,        // [n] 16-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t blocks = (n / 4) / block_size + 1;
    add4<<<(unsigned)blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# Two arrays of halves multiplied, two a thread, as pairs where all addresses allow it.
TIMES = (
    HEADER
    + """\
__global__ void times(const half* a, const half* b, half* y, int n, bool even) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (even && i + 1 < n) {
    half2 u = *(const half2*)(a + i);
    half2 v = *(const half2*)(b + i);
    *(half2*)(y + i) = __hmul2(u, v);
    return;
  }
  for (int k = i; k < i + 2 && k < n; k++)
    y[k] = __float2half(__half2float(a[k]) * __half2float(b[k]));
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* y,        // [n]
                       int n, cudaStream_t stream = 0) {
  if (n == 0) return;
  uintptr_t bits = (uintptr_t)a | (uintptr_t)b | (uintptr_t)y;
  int threads = (n + 1) / 2;
  times<<<(threads + 127) / 128, 128, 0, stream>>>(a, b, y, n, bits % 4 == 0);
}
"""
)

# Floats to signed bytes by a scale, in a loop over the grid.
BYTES = (
    HEADER
    + """\
__device__ int8_t to_byte(float v)
{
    if (isnan(v)) return 0;
    float q = rintf(v);
    q = fmaxf(q, -127.0f);
    q = fminf(q, 127.0f);
    return (int8_t)(int)q;
}

__global__ void quantize(const float *x, int8_t *q, float scale, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        q[i] = to_byte(x[i] * scale);
}

extern "C" void launch(const float *x,  // [n]
                       int8_t *q,       // [n]
                       float scale, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = min(16, (n + block_size - 1) / block_size);
    quantize<<<blocks, block_size, 0, stream>>>(x, q, scale, n);
}
"""
)

# Integers to bfloat16: cut to a float whose last bit tells that something was lost.
BRAIN = (
    HEADER
    + """\
// A float that rounds to bfloat16 as v itself would.
__device__ float sticky(int v) {
  float f = __int2float_rz(v);
  if ((int)f != v) f = __int_as_float(__float_as_int(f) | 1);
  return f;
}

__global__ void to_brain(const int* __restrict__ x, __nv_bfloat16* __restrict__ y, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    y[i] = __float2bfloat16(sticky(x[i]));
  }
}

extern "C" void launch(const int* x,      // [n]
                       __nv_bfloat16* y,  // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  const int blocks = (n + block_size - 1) / block_size;
  if (blocks > 0) to_brain<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# ELU with a factor of 1, one number a thread.
ELU = (
    HEADER
    + """\
__device__ float elu(float v)
{
    return v > 0.0f ? v : expm1f(v);
}

__global__ void elu_kernel(const float *in, float *out, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n)
        out[idx] = elu(in[idx]);
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int grid = (n + block_size - 1) / block_size;
    if (grid == 0)
        return;
    elu_kernel<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Hard sigmoid of halves, two numbers a thread that are a block apart.
GATE = (
    HEADER
    + """\
__device__ half gate(half x) {
    float g = __half2float(x) * 0.25f + 0.5f;
    if (g < 0.0f) g = 0.0f;
    if (g > 1.0f) g = 1.0f;
    return __float2half(g);
}

__global__ void gates(const half* x, half* y, int n) {
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = gate(x[i]);
    i += blockDim.x;
    if (i < n) y[i] = gate(x[i]);
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
    int per_block = 2 * block_size;
    gates<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A matrix times a row vector, whose 16 numbers a block keeps.
GAINS = (
    HEADER
    + """\
constexpr int TILE = 16;

__global__ void gains(const float* x, const float* v, float* y, int rows, int cols) {
  __shared__ float part[TILE];
  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  if (threadIdx.y == TILE - 1 && col < cols) part[threadIdx.x] = v[col];
  __syncthreads();
  if (row < rows && col < cols) {
    size_t at = (size_t)row * cols + col;
    y[at] = x[at] * part[threadIdx.x];
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       const float* v,  // [cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  gains<<<grid, dim3(TILE, TILE), 0, stream>>>(x, v, y, rows, cols);
}
"""
)

# The sum of an array: the block that draws the last ticket adds what all have left.
TOTAL = (
    HEADER
    + """\
#define THREADS 128
#define MAX_BLOCKS 32

__device__ float parts[MAX_BLOCKS];
__device__ unsigned int tickets = 0;

__global__ void total(const float *x, float *out, int64_t n)
{
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        sum += x[i];
    s[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t > 0)
        return;
    parts[blockIdx.x] = s[0];
    __threadfence();
    if (atomicAdd(&tickets, 1) == gridDim.x - 1) {
        float all = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            all += ((volatile float *)parts)[b];
        out[0] = all;
        tickets = 0;
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    total<<<(int)blocks, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The largest of each row, by a tree in shared memory; NaN stays.
PEAK = (
    HEADER
    + """\
#define N_THREADS 64

__device__ float larger(float a, float b) { return a > b || isnan(a) ? a : b; }

__global__ void peak(const float* x, float* out, int cols) {
  __shared__ float best[N_THREADS];
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += N_THREADS) m = larger(m, row[c]);
  best[threadIdx.x] = m;
  __syncthreads();
  for (int k = N_THREADS / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) best[threadIdx.x] = larger(best[threadIdx.x], best[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = rows;
  peak<<<blocks, N_THREADS, 0, stream>>>(x, out, cols);
}
"""
)

# Sums of columns: 8 lines of threads in shared memory, blocks below each other add.
COLUMNS = (
    HEADER
    + """\
const int W = 32;
const int H = 8;

__global__ void columns(const float *x, float *sums, int rows, int cols)
{
    __shared__ float s[H][W];
    int c = blockIdx.x * W + threadIdx.x;
    float sum = 0;
    if (c < cols) {
        for (int r = blockIdx.y * H + threadIdx.y; r < rows; r += H * gridDim.y) {
            sum += x[(size_t)r * cols + c];
        }
    }
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();

    if (threadIdx.y == 0 && c < cols) {
        for (int k = 1; k < H; k++) {
            sum += s[k][threadIdx.x];
        }
        atomicAdd(&sums[c], sum);
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *sums,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);
    dim3 block(W, H);
    dim3 grid((cols + W - 1) / W, 4);
    columns<<<grid, block, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# A matrix turned by tiles of 32 x 32, of which a thread moves four numbers.
TURN = (
    HEADER
    + """\
#define TILE 32
#define LINES 8

__global__ void turn(const float* in, float* out, int rows, int cols, int across) {
  __shared__ float tile[TILE][TILE + 1];
  int r0 = blockIdx.x / across * TILE;
  int c0 = blockIdx.x % across * TILE;
  int tx = threadIdx.x, ty = threadIdx.y;

  for (int j = 0; j < TILE; j += LINES) {
    int r = r0 + ty + j, c = c0 + tx;
    if (r < rows && c < cols) tile[ty + j][tx] = in[(size_t)r * cols + c];
  }
  __syncthreads();
  for (int j = 0; j < TILE; j += LINES) {
    int r = c0 + ty + j, c = r0 + tx;
    if (r < cols && c < rows) out[(size_t)r * rows + c] = tile[tx][ty + j];
  }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int down = (rows + TILE - 1) / TILE;
  int across = (cols + TILE - 1) / TILE;
  turn<<<down * across, dim3(TILE, LINES), 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# A times B with tiles of 8.
MATMUL = (
    HEADER
    + """\
#define S 8

__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float as[S][S];
    __shared__ float bs[S][S];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.x * S + ty;

    for (int col = blockIdx.y * S + tx; col - tx < n; col += gridDim.y * S) {
        float sum = 0.0f;
        for (int t = 0; t < (k + S - 1) / S; ++t) {
            int ka = t * S + tx;
            int kb = t * S + ty;
            as[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;
            bs[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
            __syncthreads();
            for (int e = 0; e < S; ++e)
                sum += as[ty][e] * bs[e][tx];
            __syncthreads();
        }
        if (row < m && col < n)
            C[(size_t)row * n + col] = sum;
    }
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 grid((m + S - 1) / S, min(1024, (n + S - 1) / S));
    matmul<<<grid, dim3(S, S), 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# Softmax of rows, a block a row, maximum and sum by one tree each.
SOFTMAX = (
    HEADER
    + """\
constexpr int kThreads = 64;

__global__ void softmax(const float* x, float* y, int n) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  const float* in = x + static_cast<int64_t>(blockIdx.x) * n;
  float* out = y + static_cast<int64_t>(blockIdx.x) * n;

  float most = -FLT_MAX;
  for (int c = t; c < n; c += kThreads) most = fmaxf(most, in[c]);
  s[t] = most;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  most = s[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = t; c < n; c += kThreads) sum += expf(in[c] - most);
  s[t] = sum;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  for (int c = t; c < n; c += kThreads) out[c] = expf(in[c] - most) / s[0];
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0) {
  const int blocks = m;
  softmax<<<blocks, kThreads, 0, stream>>>(x, y, n);
}
"""
)

# Layer norm, a warp a row.
NORM = (
    HEADER
    + """\
__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

__global__ void norm(const float *x, float *y, int m, int n)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= m)
        return;
    const float *in = x + (size_t)row * n;
    float *out = y + (size_t)row * n;

    float sum = 0;
    for (int c = lane; c < n; c += 32)
        sum += in[c];
    float mean = warp_sum(sum) / n;

    float squares = 0;
    for (int c = lane; c < n; c += 32) {
        float d = in[c] - mean;
        squares += d * d;
    }
    float factor = rsqrtf(warp_sum(squares) / n + 1e-5f);

    for (int c = lane; c < n; c += 32)
        out[c] = (in[c] - mean) * factor;
}

extern "C" void launch(const float *x,  // [m, n]
                       float *y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0)
{
    int blocks = (m + 3) / 4;
    norm<<<blocks, 128, 0, stream>>>(x, y, m, n);
}
"""
)

FLOAT, HALF = (torch.float32,), (torch.float16,)
INF, NAN = float("inf"), float("nan")
LENGTHS = (*range(1, 71), 127, 128, 129, 255, 256, 257, 511, 513, 1_000, 1_025, 2_049, 4_099)
SHAPES = ((1, 1), (1, 7), (7, 1), (3, 5), (16, 16), (17, 15), (31, 33), (8, 32), (9, 31))
SHAPES += ((1, 300), (300, 1), (65, 64), (64, 65), (40, 129), (129, 40), (5, 1_025), (1_500, 3))


def elu(x: torch.Tensor) -> torch.Tensor:
    """Compute ELU in float64."""
    return torch.where(x > 0, x, x.expm1())


def quantized(launcher: Launcher) -> Iterator[Case]:
    """Cut to bytes: usual, ties, beyond both limits, infinities, zeros, NaN; block sizes."""
    for n in (*LENGTHS, 9_001, 50_003):
        x, j = whole(-4_000, 4_001, n, n).float() / 32, torch.arange(n)
        for label, y, scale in (
            ("usual", x, 0.5),
            ("ties", whole(-120, 121, n, n + 1).float(), 0.5),
            ("fractions", x, 0.75),
            ("beyond the limits", x * 8, 2.0),
            ("infinities", torch.where(j % 2 == 1, INF * (1 - j % 4), x), 0.25),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 4.0),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 1.0),
        ):
            right = (y.double() * scale).round().clamp(-127, 127).nan_to_num(0.0)
            for block_size in (128, 32):
                scalars = {"scale": scale, "block_size": block_size}
                options = {"dtypes": (torch.int8,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def gated(launcher: Launcher) -> Iterator[Case]:
    """Open gates, exactly: usual, wide, large, infinities, zeros, NaN; block sizes."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-255, 256, n, n).float() / 64, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("within the limits", x / 2),
            ("large", x * 256),
            ("infinities", torch.where(j % 2 == 1, INF * (1 - j % 4), x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.half()
            right = (y.double() * 0.25 + 0.5).clamp(0, 1)
            for block_size in (64, 32, 256):
                scalars = {"block_size": block_size}
                options = {"dtypes": HALF, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def gained(launcher: Launcher) -> Iterator[Case]:
    """Multiply by a row vector: whole numbers, ones, zeros, infinity, NaN."""
    for rows, cols in SHAPES:
        n = rows * cols
        x, v = whole(-999, 1000, n, n).float().reshape(rows, cols), whole(-99, 100, cols, n + 1)
        c, v = torch.arange(cols), v.float()
        for label, y, w in (
            ("whole numbers", x, v),
            ("ones", x, v * 0 + 1),
            ("zeros", x * 0, v),
            ("infinity", x, torch.where(c == cols - 1, INF, v)),
            ("NaN", x, torch.where(c == cols // 2, NAN, v)),
        ):
            right = y.double() * w.double()
            yield Case(
                f"rows = {rows:,}, cols = {cols:,}, {label}", (y, w), (right,), dtypes=FLOAT
            )


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, equal, the last, infinities, NaN."""
    for rows, cols in (*SHAPES, *((3, n) for n in range(1, 71)), (2_500, 2)):
        n = rows * cols
        x, c = whole(-9_999, 10_000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("equal", x * 0 - 5),
            ("zeros", x.abs() * 0),
            ("the last", torch.where(c == cols - 1, 20_000.0, x)),
            ("all -infinity", x * 0 - INF),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN in the middle", torch.where(c == cols // 2, NAN, x)),
            ("NaN first", torch.where(c == 0, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(1),), dtypes=FLOAT)


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add columns, exactly: any, below 0, zeros, infinity, NaN."""
    for rows, cols in (*SHAPES, *((n, 5) for n in range(1, 71)), (2_049, 33)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols).float(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("infinity", torch.where(r == rows - 1, INF, x)),
            ("NaN", torch.where(r == rows // 2, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().sum(0),), dtypes=FLOAT)


BASES = {
    "seventyfive_add": Base(ADD, {"reference": "add"}),
    "seventyfive_times": Base(TIMES, {"reference": "multiply"}),
    "seventyfive_bytes": Base(BYTES, {"cases": quantized}),
    "seventyfive_brain": Base(BRAIN, {"reference": "cast"}),
    "seventyfive_elu": Base(ELU, {"reference": elu, "ulp": 4}),
    "seventyfive_gate": Base(GATE, {"cases": gated}),
    "seventyfive_gains": Base(GAINS, {"cases": gained}),
    "seventyfive_total": Base(TOTAL, cases="sums"),
    "seventyfive_peak": Base(PEAK, {"cases": peaks}),
    "seventyfive_columns": Base(COLUMNS, {"cases": column_sums}),
    "seventyfive_turn": Base(TURN, cases="transpose"),
    "seventyfive_matmul": Base(MATMUL, cases="matmul"),
    "seventyfive_softmax": Base(SOFTMAX, cases="softmax"),
    "seventyfive_norm": Base(NORM, cases="layer_norm"),
}

WRONG = (
    # ---- add
    # The rest is the part of the second block.
    Wrong(
        "seventyfive_add_rest_by_second_block",
        "seventyfive_add",
        "tail / unwritten / left out | nan / numbers / grid",
        (
            "if (blockIdx.x == 0 && threadIdx.x < n % 4)",
            "if (blockIdx.x == 1 && threadIdx.x < n % 4)",
        ),
    ),
    # The rest is sought at the start.
    Wrong(
        "seventyfive_add_rest_from_the_start",
        "seventyfive_add",
        "tail / unwritten / left out | nan / numbers / other element",
        ("int64_t i = 4 * packs + threadIdx.x;", "int64_t i = threadIdx.x;"),
    ),
    # The second array may lie anywhere.
    Wrong(
        "seventyfive_add_b_anywhere",
        "seventyfive_add",
        "alignment",
        ("const float *b,  // [n] 16-byte aligned", "const float *b,  // [n]"),
    ),
    # The number of blocks is that of 256 threads.
    Wrong(
        "seventyfive_add_blocks_of_256",
        "seventyfive_add",
        "block size / grid | unwritten / left out / tail / nan / numbers",
        ("(n / 4) / block_size + 1", "(n / 4) / 256 + 1"),
    ),
    # The fourth of a pack is added to itself.
    Wrong(
        "seventyfive_add_fourth_to_itself",
        "seventyfive_add",
        "function / left out / twice / other element | numbers / nan / copy / infinity / tail",
        ("u.w + v.w", "u.w + u.w"),
    ),
    # ---- times
    # Of three addresses only one is asked.
    Wrong(
        "seventyfive_times_only_b_asked",
        "seventyfive_times",
        "alignment",
        ("(uintptr_t)a | (uintptr_t)b | (uintptr_t)y;", "(uintptr_t)b;"),
    ),
    # A pair is taken where one number is left.
    Wrong(
        "seventyfive_times_last_is_a_pair",
        "seventyfive_times",
        "bounds / tail",
        ("i + 1 < n", "i + 1 <= n"),
    ),
    # Threads are rounded down.
    Wrong(
        "seventyfive_times_threads_rounded_down",
        "seventyfive_times",
        "tail / unwritten / grid / left out | nan / numbers / refused",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # Single products are cut off.
    Wrong(
        "seventyfive_times_single_cut_off",
        "seventyfive_times",
        "rounding | tail / alignment / numbers / infinity / precision",
        ("__float2half(__half2float(a[k])", "__float2half_rz(__half2float(a[k])"),
    ),
    # Pairs are added.
    Wrong(
        "seventyfive_times_pairs_added",
        "seventyfive_times",
        "function | numbers / nan / infinity",
        ("__hmul2(u, v)", "__hadd2(u, v)"),
    ),
    # ---- bytes
    # Ties go away from zero.
    Wrong(
        "seventyfive_bytes_ties_away",
        "seventyfive_bytes",
        "rounding | numbers",
        ("rintf(v)", "roundf(v)"),
    ),
    # What is too large is not held back.
    Wrong(
        "seventyfive_bytes_no_upper_limit",
        "seventyfive_bytes",
        "whole range / infinity | numbers / function",
        ("    q = fminf(q, 127.0f);\n", ""),
    ),
    # The scale divides.
    Wrong(
        "seventyfive_bytes_divided",
        "seventyfive_bytes",
        "function | numbers / infinity / rounding / whole range / swapped",
        ("x[i] * scale", "x[i] / scale"),
    ),
    # Every other round of the grid is skipped.
    Wrong(
        "seventyfive_bytes_every_other_round",
        "seventyfive_bytes",
        "unwritten / left out / grid | tail / numbers / other element",
        ("i += stride)", "i += 2 * stride)"),
    ),
    # NaN runs into a limit.
    Wrong(
        "seventyfive_bytes_nan_is_a_limit",
        "seventyfive_bytes",
        "nan",
        ("    if (isnan(v)) return 0;\n", ""),
    ),
    # ---- brain
    # A float is rounded, and then once more.
    Wrong(
        "seventyfive_brain_rounded_twice",
        "seventyfive_brain",
        "rounding / precision | numbers",
        ("__float2bfloat16(sticky(x[i]))", "__float2bfloat16((float)x[i])"),
    ),
    # The lower half of the bits is cut off.
    Wrong(
        "seventyfive_brain_cut_off",
        "seventyfive_brain",
        "rounding | precision / numbers",
        ("__float2bfloat16(sticky(x[i]))", "__float2bfloat16_rz(sticky(x[i]))"),
    ),
    # One element too many.
    Wrong(
        "seventyfive_brain_one_too_many",
        "seventyfive_brain",
        "bounds",
        ("if (i < n)", "if (i <= n)"),
    ),
    # The integers are taken for unsigned ones.
    Wrong(
        "seventyfive_brain_unsigned",
        "seventyfive_brain",
        "whole range / numbers | function / narrow",
        ("float f = __int2float_rz(v);", "float f = __uint2float_rz(v);"),
        ("if ((int)f != v)", "if ((unsigned)f != (unsigned)v)"),
    ),
    # The kernel counts blocks of 256 threads.
    Wrong(
        "seventyfive_brain_256_in_kernel",
        "seventyfive_brain",
        "block size | unwritten / left out / twice / nan / tail / numbers",
        ("blockDim.x * blockIdx.x + threadIdx.x", "256 * blockIdx.x + threadIdx.x"),
    ),
    # ---- elu
    # 1 is taken from the exponential.
    Wrong(
        "seventyfive_elu_exp_less_one",
        "seventyfive_elu",
        "precision | numbers / sign of zero / subnormal",
        ("expm1f(v)", "expf(v) - 1.0f"),
    ),
    # Numbers up to 1 are taken for negative ones.
    Wrong(
        "seventyfive_elu_from_one_on",
        "seventyfive_elu",
        "function | numbers",
        ("v > 0.0f ? v", "v > 1.0f ? v"),
    ),
    # Both parts are added, of which each drops NaN.
    Wrong(
        "seventyfive_elu_two_parts",
        "seventyfive_elu",
        "nan | sign of zero",
        (
            "return v > 0.0f ? v : expm1f(v);",
            "return fmaxf(v, 0.0f) + expm1f(fminf(v, 0.0f));",
        ),
    ),
    # Blocks are rounded down.
    Wrong(
        "seventyfive_elu_blocks_rounded_down",
        "seventyfive_elu",
        "tail / grid / unwritten / left out | nan / numbers",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # No thread tests its index.
    Wrong(
        "seventyfive_elu_not_tested",
        "seventyfive_elu",
        "bounds",
        ("    if (idx < n)\n        out", "    out"),
    ),
    # ---- gate
    # The slope is that of another book.
    Wrong(
        "seventyfive_gate_slope_of_a_fifth",
        "seventyfive_gate",
        "function | numbers / precision",
        ("* 0.25f + 0.5f", "* 0.2f + 0.5f"),
    ),
    # Nothing holds back what is above 1.
    Wrong(
        "seventyfive_gate_no_upper_limit",
        "seventyfive_gate",
        "function / infinity / whole range | numbers",
        ("    if (g > 1.0f) g = 1.0f;\n", ""),
    ),
    # NaN becomes a limit.
    Wrong(
        "seventyfive_gate_nan_is_zero",
        "seventyfive_gate",
        "nan",
        ("if (g < 0.0f) g = 0.0f;", "g = fmaxf(g, 0.0f);"),
    ),
    # The first half of a block is opened in place, and copied.
    Wrong(
        "seventyfive_gate_in_place",
        "seventyfive_gate",
        "input | state / numbers",
        ("void gates(const half* x", "void gates(half* x"),
        (
            "    if (i < n) y[i] = gate(x[i]);\n    i += blockDim.x;",
            "    if (i < n) y[i] = x[i] = gate(x[i]);\n    i += blockDim.x;",
        ),
        ("stream>>>(x, y, n)", "stream>>>((half*)x, y, n)"),
    ),
    # The stream is forgotten.
    Wrong(
        "seventyfive_gate_no_stream",
        "seventyfive_gate",
        "stream",
        ("block_size, 0, stream>>>", "block_size>>>"),
    ),
    # ---- gains
    # The number of the vector is that of the line.
    Wrong(
        "seventyfive_gains_of_the_row",
        "seventyfive_gains",
        "other element / sides / bounds / swapped | numbers / nan / unwritten / tail",
        ("part[threadIdx.x];\n  }", "part[threadIdx.y];\n  }"),
    ),
    # The pitch is the number of rows.
    Wrong(
        "seventyfive_gains_pitch_of_rows",
        "seventyfive_gains",
        "sides / other element / bounds / swapped | unwritten / twice / numbers / nan",
        ("(size_t)row * cols + col", "(size_t)row * rows + col"),
    ),
    # Rows are not tested.
    Wrong(
        "seventyfive_gains_rows_not_tested",
        "seventyfive_gains",
        "bounds",
        ("if (row < rows && col < cols) {", "if (col < cols) {"),
    ),
    # The grid has its sides swapped.
    Wrong(
        "seventyfive_gains_grid_swapped",
        "seventyfive_gains",
        "sides / swapped / grid / unwritten / left out | nan / numbers / tail",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # Nobody waits for the vector.
    Wrong(
        "seventyfive_gains_no_barrier",
        "seventyfive_gains",
        "race | unwritten / numbers / nan / other element / left out",
        ("  __syncthreads();\n  if (row", "  if (row"),
    ),
    # ---- total
    # Tickets go on in the next call.
    Wrong(
        "seventyfive_total_tickets_go_on",
        "seventyfive_total",
        "state | unwritten / left out / zero before / nan",
        ("        tickets = 0;\n", ""),
    ),
    # The tree begins with a quarter.
    Wrong(
        "seventyfive_total_tree_from_a_quarter",
        "seventyfive_total",
        "left out | numbers / nan / tail",
        ("int half = THREADS / 2;", "int half = THREADS / 4;"),
    ),
    # The last block's part is not added.
    Wrong(
        "seventyfive_total_last_part_missing",
        "seventyfive_total",
        "left out / tail | numbers / nan / start / unwritten",
        ("b < gridDim.x; b++", "b < gridDim.x - 1; b++"),
    ),
    # A thread's sum is an integer.
    Wrong(
        "seventyfive_total_sum_of_int",
        "seventyfive_total",
        "rounding / precision / whole range | numbers / nan / infinity / function",
        ("    float sum = 0.0f;\n", "    int sum = 0;\n"),
    ),
    # The tree has no barrier between its steps.
    Wrong(
        "seventyfive_total_no_barrier",
        "seventyfive_total",
        "race | numbers / left out / nan",
        (
            "            s[t] += s[t + half];\n        __syncthreads();\n",
            "            s[t] += s[t + half];\n",
        ),
    ),
    # ---- peak
    # The start is the least positive number.
    Wrong(
        "seventyfive_peak_starts_at_flt_min",
        "seventyfive_peak",
        "start | numbers / function",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # NaN is dropped by what each thread finds.
    Wrong(
        "seventyfive_peak_nan_dropped",
        "seventyfive_peak",
        "nan",
        ("m = larger(m, row[c]);", "m = fmaxf(m, row[c]);"),
    ),
    # Rows have the pitch of a block.
    Wrong(
        "seventyfive_peak_pitch_of_block",
        "seventyfive_peak",
        "sides / other element / bounds / block size | numbers / nan / left out",
        ("(size_t)blockIdx.x * cols", "(size_t)blockIdx.x * N_THREADS"),
    ),
    # The grid ends at 1,024 blocks.
    Wrong(
        "seventyfive_peak_1024_blocks",
        "seventyfive_peak",
        "grid / unwritten / left out | tail / nan / numbers",
        ("int blocks = rows;", "int blocks = min(rows, 1024);"),
    ),
    # The tree stops at two.
    Wrong(
        "seventyfive_peak_tree_stops_early",
        "seventyfive_peak",
        "left out | numbers / nan / tail",
        ("k > 0; k /= 2", "k > 1; k /= 2"),
    ),
    # ---- columns
    # The sums are not set to 0.
    Wrong(
        "seventyfive_columns_not_zeroed",
        "seventyfive_columns",
        "zero before | state / unwritten / nan / start",
        ("    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);\n", ""),
    ),
    # The last line of threads does not count.
    Wrong(
        "seventyfive_columns_seven_lines",
        "seventyfive_columns",
        "left out | numbers / nan / tail",
        ("k < H; k++", "k < H - 1; k++"),
    ),
    # Blocks below each other add without an atomic.
    Wrong(
        "seventyfive_columns_no_atomic",
        "seventyfive_columns",
        "race | left out / numbers / nan",
        ("atomicAdd(&sums[c], sum);", "sums[c] += sum;"),
    ),
    # Each block begins with the first rows.
    Wrong(
        "seventyfive_columns_same_rows",
        "seventyfive_columns",
        "twice / other element / left out | numbers / nan",
        ("int r = blockIdx.y * H + threadIdx.y;", "int r = threadIdx.y;"),
    ),
    # Columns are not tested before the sum is written.
    Wrong(
        "seventyfive_columns_written_past_end",
        "seventyfive_columns",
        "bounds",
        ("if (threadIdx.y == 0 && c < cols)", "if (threadIdx.y == 0)"),
    ),
    # ---- turn
    # The tile is not turned.
    Wrong(
        "seventyfive_turn_tile_as_it_was",
        "seventyfive_turn",
        "other element / swapped | unwritten / race / numbers / sides / left out / nan",
        ("= tile[tx][ty + j];", "= tile[ty + j][tx];"),
    ),
    # The output has the pitch of the input.
    Wrong(
        "seventyfive_turn_pitch_of_input",
        "seventyfive_turn",
        "sides / other element / bounds / swapped | unwritten / twice / numbers / nan",
        ("out[(size_t)r * rows + c]", "out[(size_t)r * cols + c]"),
    ),
    # The last lines of a tile are not stored.
    Wrong(
        "seventyfive_turn_three_of_four_lines",
        "seventyfive_turn",
        "unwritten / left out | nan / numbers / tail",
        (
            "  for (int j = 0; j < TILE; j += LINES) {\n    int r = c0",
            "  for (int j = 0; j < TILE - LINES; j += LINES) {\n    int r = c0",
        ),
    ),
    # Nobody waits for the tile.
    Wrong(
        "seventyfive_turn_no_barrier",
        "seventyfive_turn",
        "race | unwritten / numbers / nan / other element / left out",
        ("  }\n  __syncthreads();\n", "  }\n"),
    ),
    # Tiles in a line are counted by rows.
    Wrong(
        "seventyfive_turn_across_of_rows",
        "seventyfive_turn",
        "sides / swapped / grid / unwritten / left out | other element / nan / numbers / tail",
        ("int across = (cols + TILE - 1)", "int across = (rows + TILE - 1)"),
    ),
    # ---- matmul
    # The last tile of k is lost.
    Wrong(
        "seventyfive_matmul_whole_tiles",
        "seventyfive_matmul",
        "tail / left out | numbers / nan",
        ("t < (k + S - 1) / S; ++t", "t < k / S; ++t"),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "seventyfive_matmul_pitch_of_a",
        "seventyfive_matmul",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # The tile of B is read by the other side.
    Wrong(
        "seventyfive_matmul_b_turned",
        "seventyfive_matmul",
        "other element / swapped / sides | numbers / nan",
        ("* bs[e][tx];", "* bs[tx][e];"),
    ),
    # Tiles are filled while others read them.
    Wrong(
        "seventyfive_matmul_no_second_barrier",
        "seventyfive_matmul",
        "race | numbers / other element / left out / nan",
        ("bs[e][tx];\n            __syncthreads();\n", "bs[e][tx];\n"),
    ),
    # Beyond k, A goes on with the next row.
    Wrong(
        "seventyfive_matmul_k_of_a_not_tested",
        "seventyfive_matmul",
        "bounds / tail | nan / other element / numbers / infinity",
        ("(row < m && ka < k) ? A", "(row < m) ? A"),
    ),
    # ---- softmax
    # The largest is not taken away.
    Wrong(
        "seventyfive_softmax_no_maximum",
        "seventyfive_softmax",
        "infinity | nan / numbers / function / precision",
        ("  most = s[0];\n", "  most = 0.0f;\n"),
    ),
    # Sums are stored while others read the largest.
    Wrong(
        "seventyfive_softmax_no_middle_barrier",
        "seventyfive_softmax",
        "race | numbers / nan / infinity / other element / left out",
        ("  most = s[0];\n  __syncthreads();\n", "  most = s[0];\n"),
    ),
    # The powers are those of 2.
    Wrong(
        "seventyfive_softmax_powers_of_two",
        "seventyfive_softmax",
        "function | numbers / precision",
        ("sum += expf(in[c] - most);", "sum += exp2f(in[c] - most);"),
        ("out[c] = expf(in[c] - most)", "out[c] = exp2f(in[c] - most)"),
    ),
    # The grid ends at 65,535 blocks.
    Wrong(
        "seventyfive_softmax_65535_blocks",
        "seventyfive_softmax",
        "grid / unwritten / left out | tail / nan / narrow / numbers",
        ("const int blocks = m;", "const int blocks = min(m, 65535);"),
    ),
    # The last column is not in the sum.
    Wrong(
        "seventyfive_softmax_last_not_in_sum",
        "seventyfive_softmax",
        "left out / tail | numbers / infinity / nan / function",
        ("c < n; c += kThreads) sum", "c < n - 1; c += kThreads) sum"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "seventyfive_norm_of_a_sample",
        "seventyfive_norm",
        "function | numbers / nan / infinity",
        ("warp_sum(squares) / n + 1e-5f", "warp_sum(squares) / (n - 1) + 1e-5f"),
    ),
    # Nothing keeps the variance from 0.
    Wrong(
        "seventyfive_norm_no_epsilon",
        "seventyfive_norm",
        "function / nan / infinity | numbers",
        ("/ n + 1e-5f", "/ n"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "seventyfive_norm_half_a_warp",
        "seventyfive_norm",
        "left out | numbers / function / nan",
        ("int offset = 16;", "int offset = 8;"),
    ),
    # Blocks are rounded down.
    Wrong(
        "seventyfive_norm_blocks_rounded_down",
        "seventyfive_norm",
        "tail / grid / unwritten / left out | nan / numbers / refused",
        ("int blocks = (m + 3) / 4;", "int blocks = m / 4;"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "seventyfive_norm_squares_less_square",
        "seventyfive_norm",
        "precision | numbers / nan / infinity / function",
        ("        float d = in[c] - mean;\n", "        float d = in[c];\n"),
        ("warp_sum(squares) / n + 1e-5f", "warp_sum(squares) / n - mean * mean + 1e-5f"),
    ),
)

RIGHT = (
    # There is always an idle block more.
    Right(
        "seventyfive_add_idle_block",
        "seventyfive_add",
        ("(n / 4) / block_size + 1;", "(n / 4) / block_size + 2;"),
    ),
    # The length has 64 bits.
    Right(
        "seventyfive_times_int64",
        "seventyfive_times",
        ("half* y, int n, bool even)", "half* y, int64_t n, bool even)"),
        (
            "  int i = 2 * (blockIdx.x * blockDim.x",
            "  int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x",
        ),
        ("for (int k = i;", "for (int64_t k = i;"),
        ("                       int n, cuda", "                       int64_t n, cuda"),
        ("  int threads = (n + 1) / 2;", "  int64_t threads = (n + 1) / 2;"),
    ),
    # The number is rounded to an integer, and the integer held back.
    Right(
        "seventyfive_bytes_of_integers",
        "seventyfive_bytes",
        (
            "    float q = rintf(v);\n    q = fmaxf(q, -127.0f);\n    q = fminf(q, 127.0f);\n"
            "    return (int8_t)(int)q;",
            "    int q = __float2int_rn(v);\n    return (int8_t)max(-127, min(127, q));",
        ),
    ),
    # Indices are unsigned, and blocks rounded up another way.
    Right(
        "seventyfive_brain_unsigned_index",
        "seventyfive_brain",
        ("const int i = blockDim", "const uint32_t i = blockDim"),
        ("if (i < n)", "if (i < (uint32_t)n)"),
        ("(n + block_size - 1) / block_size;", "n / block_size + (n % block_size != 0);"),
    ),
    # The exponential takes what is not above 0 only.
    Right(
        "seventyfive_elu_early_return",
        "seventyfive_elu",
        (
            "    return v > 0.0f ? v : expm1f(v);",
            "    if (v <= 0.0f)\n        return expm1f(v);\n    return v;",
        ),
    ),
    # Both numbers of a thread in a loop, the lower limit last.
    Right(
        "seventyfive_gate_loop",
        "seventyfive_gate",
        (
            "    if (g < 0.0f) g = 0.0f;\n    if (g > 1.0f) g = 1.0f;\n",
            "    g = g > 1.0f ? 1.0f : g;\n    g = g < 0.0f ? 0.0f : g;\n",
        ),
        (
            "    if (i < n) y[i] = gate(x[i]);\n    i += blockDim.x;\n"
            "    if (i < n) y[i] = gate(x[i]);\n",
            "    for (int k = 0; k < 2 && i < n; k++, i += blockDim.x) y[i] = gate(x[i]);\n",
        ),
    ),
    # Nothing is shared.
    Right(
        "seventyfive_gains_not_shared",
        "seventyfive_gains",
        ("  __shared__ float part[TILE];\n", ""),
        (
            "  if (threadIdx.y == TILE - 1 && col < cols) part[threadIdx.x] = v[col];\n"
            "  __syncthreads();\n",
            "",
        ),
        ("x[at] * part[threadIdx.x]", "x[at] * v[col]"),
    ),
    # The ticket goes round by itself.
    Right(
        "seventyfive_total_ticket_goes_round",
        "seventyfive_total",
        ("atomicAdd(&tickets, 1) ==", "atomicInc(&tickets, gridDim.x - 1) =="),
        ("        tickets = 0;\n", ""),
    ),
    # Blocks of 128 threads, which may be more than there are columns.
    Right(
        "seventyfive_peak_128_threads",
        "seventyfive_peak",
        ("#define N_THREADS 64", "#define N_THREADS 128"),
    ),
    # One block a column tile: nothing is added, and the sums are stored.
    Right(
        "seventyfive_columns_stored",
        "seventyfive_columns",
        ("    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);\n", ""),
        ("atomicAdd(&sums[c], sum);", "sums[c] = sum;"),
        ("(cols + W - 1) / W, 4);", "(cols + W - 1) / W, 1);"),
    ),
    # Tiles have no padding, and a thread moves eight numbers.
    Right(
        "seventyfive_turn_four_lines",
        "seventyfive_turn",
        ("#define LINES 8", "#define LINES 4"),
        ("tile[TILE][TILE + 1]", "tile[TILE][TILE]"),
    ),
    # Tiles have 16 numbers a side.
    Right(
        "seventyfive_matmul_tiles_of_16",
        "seventyfive_matmul",
        ("#define S 8", "#define S 16"),
    ),
    # The sum is turned over once.
    Right(
        "seventyfive_softmax_reciprocal",
        "seventyfive_softmax",
        (
            "  for (int c = t; c < n; c += kThreads) out[c] = expf(in[c] - most) / s[0];",
            "  const float share = 1.0f / s[0];\n"
            "  for (int c = t; c < n; c += kThreads) out[c] = expf(in[c] - most) * share;",
        ),
    ),
    # Two rows a block, and a root that divides.
    Right(
        "seventyfive_norm_two_rows",
        "seventyfive_norm",
        (
            "rsqrtf(warp_sum(squares) / n + 1e-5f)",
            "1.0f / sqrtf(warp_sum(squares) / n + 1e-5f)",
        ),
        ("int blocks = (m + 3) / 4;", "int blocks = (m + 1) / 2;"),
        ("<<<blocks, 128, 0", "<<<blocks, 64, 0"),
    ),
)
