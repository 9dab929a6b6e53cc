"""Hold a hundred and eighth family: the plain operators of a course, in a first half year.

Its bases are the sum of two arrays of bfloat16, a weighted sum of doubles, uint16 to float,
float to int32, the tanh of halves, ELU, hard swish, a sum, the largest magnitude of each row,
how many are above a limit, softmax of each column, layer norm with gain and offset, matrices of
a batch transposed, and a matrix product. They have 12 to 45 lines. They use packs of two with a
kernel for the rest, a number a thread, loops over a limited grid, two numbers a thread a block
apart, float4 with a rest for the first threads, 1,024 numbers a warp with shuffles and an
atomic, a tree in shared memory, a counter a block, a thread a column, a block a row in two
passes, and tiles of 32 with blocks of 32 x 8. Their mistakes are spread over alignment, sizes,
grids, values, rounding, NaN, infinity, inputs that are written, sums, what is left of an
earlier call, matrices, order and streams. The causes were written before a member was judged.
There are 70 wrong members and 14 right ones. On the emulator each ran beside PyTorch, compared
as a case does, called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1
and 77 in others), with tensors at either end of their pages, the bytes behind them and their
inputs looked at afterwards, on a stream that is not the default one, with threads in order,
from the last to the first and in a random order, and in the slices that the cases name. Bases
and right ones ran all cases; wrong ones until they were wrong often enough. Of those that lack
a barrier not each is wrong in every order of threads, and the one that lacks an atomic is wrong
only where threads really run at once. nvcc 13.0 compiles each base and each right one for 8.0;
none was run on a GPU. Bases and right ones are right, and all others wrong or refused by a
fault:

    hundredeight_add_two_of_three              where pairs are taken, by the address of c alone
    hundredeight_add_pairs_rounded_up          of an odd n, where pairs are taken
    hundredeight_add_cut_off                   of every other sum that is no bfloat16
    hundredeight_add_pairs_no_stream           from 2 numbers on, on another stream
    hundredeight_add_first_of_b_twice          from 2 numbers on, where pairs are taken
    hundredeight_blend_weights_swapped         unless a is a half, or x and y are alike
    hundredeight_blend_weights_are_floats      of a weight that is no float
    hundredeight_blend_blocks_rounded_down     unless the block size divides n
    hundredeight_blend_without_last            of the last number
    hundredeight_blend_weighs_in_place         unless a is 1: x is overwritten
    hundredeight_widen_signed                  from 32,768 up
    hundredeight_widen_through_half            of odd numbers above 2,048, of the largest
    hundredeight_widen_always_256              of other block sizes, beyond the first blocks
    hundredeight_widen_no_loop                 beyond 48 blocks
    hundredeight_widen_one_too_many            of nearly all n: memory of others is used
    hundredeight_to_int_cut_off                of numbers whose fraction is above a half
    hundredeight_to_int_ties_away              of every other tie
    hundredeight_to_int_nan_is_large           of NaN
    hundredeight_to_int_wraps                  beyond both ends
    hundredeight_to_int_skips_infinities       of infinities
    hundredeight_tanh_of_exponentials          of magnitudes from about 89 on
    hundredeight_tanh_by_a_fraction            from about a half on
    hundredeight_tanh_steps_of_256             of blocks below 256, beyond 64 blocks
    hundredeight_tanh_skips_zeros              of zeros
    hundredeight_tanh_of_half_of_it            of nearly all
    hundredeight_elu_exp_less_1                of magnitudes far below 1, below 0
    hundredeight_elu_no_alpha                  below 0, unless alpha is 1
    hundredeight_elu_nan_is_0                  of NaN
    hundredeight_elu_first_alpha               if the first call had another alpha
    hundredeight_elu_second_not_tested         if the last block has no whole second part
    hundredeight_swish_divides_late            from a sixth of the largest number on
    hundredeight_swish_no_rest                 unless 4 divides n
    hundredeight_swish_out_anywhere            from 4 numbers on, by the address of out
    hundredeight_swish_coarse_sixth            above -3, where the gate is not 0
    hundredeight_swish_third_for_fourth        from 4 numbers on
    hundredeight_sum_not_set                   unless the output was 0
    hundredeight_sum_from_8                    from 17 numbers on
    hundredeight_sum_all_lanes_add             of nearly all
    hundredeight_sum_memset_no_stream          on another stream than the default one
    hundredeight_sum_warps_rounded_down        unless 1,024 divides n
    hundredeight_row_max_signed                if the largest magnitude is of a number below 0
    hundredeight_row_max_nan_lost              of NaN
    hundredeight_row_max_pitch_of_rows         from 2 rows on, unless they are square
    hundredeight_row_max_half_a_tree           from 65 columns on
    hundredeight_row_max_no_first_barrier      where threads do not wait for another
    hundredeight_count_limit_too               if a value is the limit
    hundredeight_count_as_floats               of large values close to the limit
    hundredeight_count_by_difference           if value and limit are 2^31 or more apart
    hundredeight_count_set_once                from a second call on
    hundredeight_count_no_atomic               where threads count at once
    hundredeight_columns_starts_at_0           of columns that are far below 0
    hundredeight_columns_no_maximum            of columns far above or below 0
    hundredeight_columns_one_too_many          unless 64 divides the columns
    hundredeight_columns_grid_of_rows          from 65 columns on, unless there are as many rows
    hundredeight_columns_first_row_left_out    of nearly all
    hundredeight_norm_of_a_sample              of nearly all
    hundredeight_norm_eps_outside              of nearly all
    hundredeight_norm_gain_of_thread           from 129 columns on
    hundredeight_norm_squares_less_square      of rows with a mean far from 0
    hundredeight_norm_gain_and_offset_swapped  of nearly all
    hundredeight_turn_tile_not_turned          of nearly all
    hundredeight_turn_pitch_of_input           unless the sides are alike
    hundredeight_turn_no_barrier               where threads do not wait for another
    hundredeight_turn_writes_first             from 2 matrices on
    hundredeight_turn_grid_swapped             unless the tiles are as many each way
    hundredeight_product_pitch_of_a            unless n and k are alike
    hundredeight_product_whole_tiles           unless 32 divides k
    hundredeight_product_no_second_barrier     from k = 33 on, where threads do not wait
    hundredeight_product_last_tile_alone       from k = 33 on
    hundredeight_product_columns_not_tested    unless 32 divides n
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

# Two bfloat16 arrays: pairs where all three addresses allow them, single numbers elsewhere.
ADD = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf16x2;

__device__ bf16 plus(bf16 a, bf16 b)
{
    return __float2bfloat16(__bfloat162float(a) + __bfloat162float(b));
}

__global__ void add_two(const bf16x2 *a, const bf16x2 *b, bf16x2 *c, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    bf16x2 p = a[i], q = b[i];
    c[i] = __halves2bfloat162(plus(p.x, q.x), plus(p.y, q.y));
}

__global__ void add_one(const bf16 *a, const bf16 *b, bf16 *c, int begin, int n)
{
    int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = plus(a[i], b[i]);
}

static bool even(const void *p) { return (uintptr_t)p % 4 == 0; }

extern "C" void launch(const bf16 *a,  // [n]
                       const bf16 *b,  // [n]
                       bf16 *c,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int pairs = even(a) && even(b) && even(c) ? n / 2 : 0;
    if (pairs > 0)
        add_two<<<(pairs + 255) / 256, 256, 0, stream>>>((const bf16x2 *)a, (const bf16x2 *)b,
                                                         (bf16x2 *)c, pairs);
    int left = n - 2 * pairs;
    if (left > 0) add_one<<<(left + 63) / 64, 64, 0, stream>>>(a, b, c, 2 * pairs, n);
}
"""
)

# A weighted sum of doubles, a number a thread.
BLEND = (
    HEADER
    + """\
__global__ void blend(const double* x, const double* y, double* out, double a, int n) {
  int idx = threadIdx.x + blockDim.x * blockIdx.x;
  if (idx < n) {
    double other = 1.0 - a;
    out[idx] = a * x[idx] + other * y[idx];
  }
}

extern "C" void launch(const double* x,  // [n]
                       const double* y,  // [n]
                       double* out,      // [n]
                       double a, int n, int threads = 128, cudaStream_t stream = 0) {
  int blocks = (n + threads - 1) / threads;
  if (blocks == 0) return;
  blend<<<blocks, threads, 0, stream>>>(x, y, out, a, n);
}
"""
)

# uint16 to float, in a loop over the grid.
WIDEN = (
    HEADER
    + """\
#define MAX_BLOCKS 48

__global__ void u16_to_float(const uint16_t *in, float *out, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
        uint16_t value = in[i];
        out[i] = (float)value;
    }
}

extern "C" void launch(const uint16_t *in,  // [n]
                       float *out,          // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    if (blocks > 0)
        u16_to_float<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# float to int32, to the nearest (ties to even), NaN to 0, the rest to the ends.
TO_INT = (
    HEADER
    + """\
__device__ int nearest_int(float v) {
  if (v != v) return 0;
  if (v >= 2147483648.0f) return INT32_MAX;
  if (v < -2147483648.0f) return INT32_MIN;
  return (int)rintf(v);
}

__global__ void round_kernel(const float* src, int* dst, unsigned int n) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  dst[i] = nearest_int(src[i]);
}

extern "C" void launch(const float* src,  // [n]
                       int* dst,          // [n]
                       int n, cudaStream_t stream = 0) {
  const int threads = 192;
  const int blocks = n / threads + (n % threads != 0);
  if (n > 0) round_kernel<<<blocks, threads, 0, stream>>>(src, dst, n);
}
"""
)

# The tanh of halves, computed as float.
TANH = (
    HEADER
    + """\
__device__ half tanh_of(half h)
{
    float v = __half2float(h);
    return __float2half(tanhf(v));
}

__global__ void tanh_kernel(const half *x, half *y, int n)
{
    const int step = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += step)
        y[i] = tanh_of(x[i]);
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > 64) blocks = 64;
    if (blocks > 0) tanh_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# ELU: two numbers a thread, a block apart.
ELU = (
    HEADER
    + """\
__device__ float elu(float v, float alpha) {
    if (v > 0.0f) return v;
    return v == v ? alpha * expm1f(v) : v;
}

__global__ void elu_kernel(const float* x, float* y, float alpha, int n) {
    int first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    int second = first + blockDim.x;
    if (first < n) y[first] = elu(x[first], alpha);
    if (second < n) y[second] = elu(x[second], alpha);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float alpha, int n, int block_size = 64, cudaStream_t stream = 0) {
    int per_block = 2 * block_size;
    int grid = (n + per_block - 1) / per_block;
    if (grid > 0) elu_kernel<<<grid, block_size, 0, stream>>>(x, y, alpha, n);
}
"""
)

# Hard swish: float4, and the rest by the first threads.
SWISH = (
    HEADER
    + """\
__device__ float hswish(float x)
{
  float gate = fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f;
  return x * gate;
}

__global__ void hswish_kernel(const float *in, float *out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int n4 = n / 4;
  if (t < n4) {
    float4 v = reinterpret_cast<const float4 *>(in)[t];
    v.x = hswish(v.x);
    v.y = hswish(v.y);
    v.z = hswish(v.z);
    v.w = hswish(v.w);
    reinterpret_cast<float4 *>(out)[t] = v;
  }
  int rest = 4 * n4 + t;
  if (t < 4 && rest < n)
    out[rest] = hswish(in[rest]);
}

extern "C" void launch(const float *in,  // [n] 16-byte aligned
                       float *out,       // [n] 16-byte aligned
                       int n, cudaStream_t stream = 0)
{
  int blocks = (n / 4 + 127) / 128;
  hswish_kernel<<<blocks > 0 ? blocks : 1, 128, 0, stream>>>(in, out, n);
}
"""
)

# A sum: 1,024 elements a warp, and an atomic.
SUM = (
    HEADER
    + """\
#define SHARE 1024

__global__ void sum_kernel(const float* x, float* total, int64_t n) {
    int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float s = 0.0f;
    for (int k = lane; k < SHARE; k += 32) {
        int64_t i = warp * SHARE + k;
        if (i < n) s += x[i];
    }
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);
    if (lane == 0) atomicAdd(total, s);
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    int64_t warps = (n + SHARE - 1) / SHARE;
    int blocks = (int)((warps + 3) / 4);
    if (blocks > 0) sum_kernel<<<blocks, 128, 0, stream>>>(x, total, n);
}
"""
)

# The largest absolute value of each row, NaN if there is one; a block a row.
ROW_MAX = (
    HEADER
    + """\
#define THREADS 128

__device__ float larger(float a, float b)
{
    return (a != a || a > b) ? a : b;
}

__global__ void row_absmax(const half *x, half *y, int rows, int cols)
{
    __shared__ float buf[THREADS];
    const half *row = x + (size_t)blockIdx.x * cols;
    int tid = threadIdx.x;
    float best = 0.0f;
    for (int c = tid; c < cols; c += THREADS)
        best = larger(fabsf(__half2float(row[c])), best);
    buf[tid] = best;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s)
            buf[tid] = larger(buf[tid], buf[tid + s]);
        __syncthreads();
    }
    if (tid == 0)
        y[blockIdx.x] = __float2half(buf[0]);
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_absmax<<<rows, THREADS, 0, stream>>>(x, y, rows, cols);
}
"""
)

# How many values are above a limit: a counter a block.
COUNT = (
    HEADER
    + """\
__device__ bool above(int v, int limit) { return v > limit; }

__global__ void count_above(const int* data, int* count, int limit, int n) {
  __shared__ int hits;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && above(data[i], limit)) atomicAdd(&hits, 1);
  __syncthreads();
  if (threadIdx.x == 0 && hits > 0) atomicAdd(count, hits);
}

extern "C" void launch(const int* data,  // [n]
                       int* count,       // [1]
                       int limit, int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(count, 0, 4, stream);
  if (n > 0) count_above<<<(n + 255) / 256, 256, 0, stream>>>(data, count, limit, n);
}
"""
)

# Softmax of each column, a thread a column.
COLUMNS = (
    HEADER
    + """\
__global__ void column_softmax(const float *in, float *out, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;

    float largest = -INFINITY;
    for (int r = 0; r < rows; r++)
        largest = fmaxf(largest, in[(size_t)r * cols + col]);

    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
        sum += expf(in[(size_t)r * cols + col] - largest);

    for (int r = 0; r < rows; r++) {
        size_t at = (size_t)r * cols + col;
        out[at] = expf(in[at] - largest) / sum;
    }
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int threads = 64;
    column_softmax<<<(cols + threads - 1) / threads, threads, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Layer norm: a block a row, the mean first and the squares about it afterwards.
NORM = (
    HEADER
    + """\
const int kThreads = 128;

__device__ float block_sum(float v, float* shared) {
  int t = threadIdx.x;
  shared[t] = v;
  __syncthreads();
  for (int half_size = kThreads / 2; half_size > 0; half_size /= 2) {
    if (t < half_size) shared[t] += shared[t + half_size];
    __syncthreads();
  }
  float all = shared[0];
  __syncthreads();
  return all;
}

__global__ void norm_rows(const float* x, const float* gamma, const float* beta, float* y,
                          int64_t cols, float eps) {
  __shared__ float shared[kThreads];
  const float* row = x + blockIdx.x * cols;
  float s = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) s += row[c];
  float mean = block_sum(s, shared) / cols;
  float q = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    float d = row[c] - mean;
    q += d * d;
  }
  float var = block_sum(q, shared) / cols;
  float scale = 1.0f / sqrtf(var + eps);
  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    y[blockIdx.x * cols + c] = (row[c] - mean) * scale * gamma[c] + beta[c];
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const float* gamma,   // [cols]
                       const float* beta,    // [cols]
                       float* y,             // [rows, cols]
                       int64_t rows, int64_t cols, float eps = 1e-5f, cudaStream_t stream = 0) {
  if (rows > 0)
    norm_rows<<<(unsigned)rows, kThreads, 0, stream>>>(x, gamma, beta, y, cols, eps);
}
"""
)

# Matrices of a batch transposed, by tiles of 32 x 32 and blocks of 32 x 8.
TURN = (
    HEADER
    + """\
#define TILE 32
#define ROWS 8

__global__ void turn(const float* in, float* out, int rows, int cols)
{
    __shared__ float tile[TILE][TILE + 1];
    size_t base = (size_t)blockIdx.z * rows * cols;
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (row + k < rows && col < cols)
            tile[threadIdx.y + k][threadIdx.x] = in[base + (size_t)(row + k) * cols + col];
    __syncthreads();
    int out_col = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (out_row + k < cols && out_col < rows)
            out[base + (size_t)(out_row + k) * rows + out_col] =
                tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void launch(const float* in,  // [batch, rows, cols]
                       float* out,       // [batch, cols, rows]
                       int batch, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TILE, ROWS);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch);
    turn<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A matrix product by tiles of 32 x 32, four rows a thread.
PRODUCT = (
    HEADER
    + """\
#define T 32
#define BY 8
#define PER (T / BY)

__global__ void product(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float sa[T][T];
    __shared__ float sb[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int wide = (n + T - 1) / T;
    int row0 = blockIdx.x / wide * T, col = blockIdx.x % wide * T + tx;
    float acc[PER] = {0.0f, 0.0f, 0.0f, 0.0f};
    int tiles = (k + T - 1) / T;
    for (int t = 0; t < tiles; t++) {
        for (int y = ty; y < T; y += BY) {
            int ka = t * T + tx, kb = t * T + y;
            sa[y][tx] = (row0 + y < m && ka < k) ? A[(size_t)(row0 + y) * k + ka] : 0.0f;
            sb[y][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < T; q++)
            for (int p = 0; p < PER; p++)
                acc[p] += sa[ty + p * BY][q] * sb[q][tx];
        __syncthreads();
    }
    for (int p = 0; p < PER; p++) {
        int row = row0 + ty + p * BY;
        if (row < m && col < n)
            C[(size_t)row * n + col] = acc[p];
    }
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    int tiles = ((n + T - 1) / T) * ((m + T - 1) / T);
    product<<<tiles, dim3(T, BY), 0, stream>>>(A, B, C, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 385)
LENGTHS += (511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (2, 130), (1000, 3))
FLOAT, WHOLE = (torch.float32,), (torch.int32,)


def hard_swish(x: torch.Tensor) -> torch.Tensor:
    """Compute x * clamp(x + 3, 0, 6) / 6."""
    return x * ((x + 3).clamp(0, 6) / 6)


def adds(launcher: Launcher) -> Iterator[Case]:
    """Add what an elementwise operator is given, and slices of which one is at an odd place."""
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 3)
    for n in (2, 31, 64, 1000):
        for places in ((1, 2, 2), (2, 1, 2), (2, 2, 1), (4, 2, 8), (1, 1, 1)):
            yield make.shifted(n, 4, places)


def blends(launcher: Launcher) -> Iterator[Case]:
    """Blend whole numbers with several weights, so that all is exact or nearly; zeros, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, y, j = whole(-999, 1000, n, n), whole(-999, 1000, n, n + 1), torch.arange(n)
        x, y = x.double(), y.double()
        for label, p, q, a in (
            ("usual", x, y, 0.25),
            ("x alone", x, y, 1.0),
            ("y alone", x, y, 0.0),
            ("a third", x / 7, y / 7, 1 / 3),
            ("large", x * 2.0**50, y * 2.0**50, 0.75),
            ("infinities", torch.where(j % 4 == 1, -INF, x), y, 0.5),
            ("NaN", x, torch.where(j % 3 == 1, NAN, y), 0.125),
        ):
            right = a * p + (1 - a) * q
            slack = ((2.0**-51 * ((a * p).abs() + ((1 - a) * q).abs())).nan_to_num(0.0, 0.0),)
            for threads in (128, 32, 256):
                scalars = {"a": a, "threads": threads}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": (torch.float64,), "quick": n > 5000, "within": slack}
                yield Case(words, (p, q), (right,), scalars, **options)


def widenings(launcher: Launcher) -> Iterator[Case]:
    """Widen any numbers, small ones, the largest, each that there is."""
    for n in (*LENGTHS, 9_001, 65_536, 100_003):
        x, j = whole(0, 65_536, n, n), torch.arange(n)
        for label, y in (("any", x), ("small", x % 100), ("large", 65_535 - j % 9), ("all", j)):
            y = (y % 65_536).to(torch.uint16)
            for block_size in (256, 32, 64, 512):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (y,), (y.double(),), scalars, **options)


def roundings(launcher: Launcher) -> Iterator[Case]:
    """Round: usual, halves, large, beyond both ends, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 50_001):
        x, j = whole(-9999, 10_000, n, n).float(), torch.arange(n)
        for label, y in (
            ("usual", x / 8),
            ("halves", x % 50 - 24.5),
            ("large", x * 200_000),
            ("beyond the ends", x * 1e7),
            ("at the ends", torch.where(j % 2 == 0, -(2.0**31), 2.0**31)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(-(2**31), 2**31 - 1)
            yield Case(f"n = {n:,}, {label}", (y,), (right,), dtypes=WHOLE, quick=n > 5000)


def elus(launcher: Launcher) -> Iterator[Case]:
    """ELU: usual, near 0, large, far below 0, zeros, infinities, NaN; several alphas."""
    for n in (*LENGTHS, 9_001, 50_001):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y, alpha in (
            ("usual", x, 1.0),
            ("another alpha", x, 0.5),
            ("alpha 0", x, 0.0),
            ("near 0", x / 65_536, 1.0),
            ("large", x * 2.0**100, 2.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 1.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x), 1.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 1.0),
        ):
            y = y.float()
            v = y.double()
            right = torch.where(v > 0, v, alpha * v.expm1())
            slack = ((2.0**-21 * right.abs()).nan_to_num(0.0, 0.0),)
            for block_size in (64, 32, 256):
                scalars = {"alpha": alpha, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000, "within": slack}
                before = (y + 1,) if n == 1000 else ()
                yield Case(words, (y,), (right,), scalars, before=before, **options)


def row_maxima(launcher: Launcher) -> Iterator[Case]:
    """Find the largest: any, negative, zeros, the last or the first alone, infinity, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        x, c = (
            whole(-999, 1000, rows * cols, rows + cols).reshape(rows, cols),
            torch.arange(cols),
        )
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("small", x / 4096),
            ("zeros", x * 0),
            ("negative zeros", x * -0.0),
            ("the last", torch.where(c == cols - 1, -2000, x)),
            ("the first", torch.where(c == 0, 2000, x)),
            ("rising", c % 2000 + x * 0),
            ("infinity", torch.where(c == cols // 2, -INF, x.double())),
            ("NaN", torch.where(c == cols // 2, NAN, x.double())),
            ("NaN in some rows", torch.where((x % 5 == 1) & (c % 7 == 3), NAN, x.double())),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().abs().amax(1),), dtypes=(torch.float16,))


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, many at the limit, all, none, large neighbours, the ends of the range."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y, limit in (
            ("any", x, 10),
            ("many at the limit", x % 3, 1),
            ("all", x, -100),
            ("none", x, 1000),
            ("the last alone", torch.where(j == n - 1, 7, 0), 5),
            ("large neighbours", 2**30 + x % 3, 2**30),
            ("the ends", torch.where(j % 2 == 0, -(2**31), 2**31 - 1), 5),
            ("the ends, below 0", torch.where(j % 2 == 0, -(2**31), 2**31 - 1), -5),
        ):
            right = (y > limit).sum().reshape(1)
            words, scalars = f"n = {n:,}, limit = {limit}, {label}", {"limit": limit}
            options = {"dtypes": WHOLE, "quick": n > 5000}
            yield Case(words, (y.int(),), (right,), scalars, **options)


def column_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Softmax of columns: any, equal, far above and below 0, a mask, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        x = whole(-40, 41, rows * cols, rows + cols).reshape(rows, cols) / 8.0
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + r / 8.0),
            ("a mask", torch.where((r % 3 == 1) & (r > 0), -INF, x)),
            ("NaN", torch.where(r == rows // 2, NAN, x)),
        ):
            y = y.float()
            right = torch.softmax(y.double(), 0)
            slack = ((2.0**-18 * right + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, equal ones, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        x, c = whole(-99, 100, rows * cols, rows + cols).reshape(rows, cols), torch.arange(cols)
        gamma, beta = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gamma, beta, 1e-5),
            ("plain", x, gamma * 0 + 1, beta * 0, 0.001),
            ("a large eps", x / 16, gamma, beta, 4.0),
            ("about 4,096", 4096 + x // 10, gamma, beta, 0.5),
            ("equal", x * 0 + 5, gamma, beta, 0.25),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gamma, beta, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = 2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=within)


def turnings(launcher: Launcher) -> Iterator[Case]:
    """Transpose batches of 1 to 5 matrices of many sides; strange values, too."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (33, 65), (65, 33), (96, 64)):
        for batch in (1, 2, 5):
            x = whole(-9999, 10_000, batch * rows * cols, rows).reshape(batch, rows, cols)
            strange = torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -INF, x.double()))
            for label, y in (("any", x), ("strange", strange)):
                words = f"batch = {batch}, rows = {rows:,}, cols = {cols:,}, {label}"
                yield Case(words, (y.float(),), (y.transpose(1, 2).contiguous(),), dtypes=FLOAT)


BASES = {
    "hundredeight_add": Base(ADD, {"cases": adds}),
    "hundredeight_blend": Base(BLEND, {"cases": blends}),
    "hundredeight_widen": Base(WIDEN, {"cases": widenings}),
    "hundredeight_to_int": Base(TO_INT, {"cases": roundings}),
    "hundredeight_tanh": Base(TANH, {"reference": torch.tanh, "ulp": 1}),
    "hundredeight_elu": Base(ELU, {"cases": elus}),
    "hundredeight_swish": Base(SWISH, {"reference": hard_swish, "ulp": 2}),
    "hundredeight_sum": Base(SUM, cases="sums"),
    "hundredeight_row_max": Base(ROW_MAX, {"cases": row_maxima}),
    "hundredeight_count": Base(COUNT, {"cases": counts}),
    "hundredeight_columns": Base(COLUMNS, {"cases": column_softmaxes}),
    "hundredeight_norm": Base(NORM, {"cases": norms}),
    "hundredeight_turn": Base(TURN, {"cases": turnings}),
    "hundredeight_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- add
    # The output's address is not asked.
    Wrong(
        "hundredeight_add_two_of_three",
        "hundredeight_add",
        "alignment",
        ("even(a) && even(b) && even(c)", "even(a) && even(b)"),
    ),
    # The number of pairs is rounded up, and nothing is left for the other kernel.
    Wrong(
        "hundredeight_add_pairs_rounded_up",
        "hundredeight_add",
        "bounds / tail | alignment",
        ("even(c) ? n / 2 : 0", "even(c) ? (n + 1) / 2 : 0"),
    ),
    # The sum is cut off.
    Wrong(
        "hundredeight_add_cut_off",
        "hundredeight_add",
        "rounding | numbers / precision / infinity",
        (
            "return __float2bfloat16(__bfloat162float(a)",
            "return __float2bfloat16_rz(__bfloat162float(a)",
        ),
    ),
    # The pairs go to the default stream.
    Wrong(
        "hundredeight_add_pairs_no_stream",
        "hundredeight_add",
        "stream",
        (
            "add_two<<<(pairs + 255) / 256, 256, 0, stream>>>",
            "add_two<<<(pairs + 255) / 256, 256>>>",
        ),
    ),
    # The second of a pair takes the first of b.
    Wrong(
        "hundredeight_add_first_of_b_twice",
        "hundredeight_add",
        "neighbour / other element | numbers / nan / twice",
        ("plus(p.y, q.y)", "plus(p.y, q.x)"),
    ),
    # ---- blend
    # The weights are taken the other way round.
    Wrong(
        "hundredeight_blend_weights_swapped",
        "hundredeight_blend",
        "swapped | function / numbers / other element / nan / infinity",
        ("a * x[idx] + other * y[idx]", "other * x[idx] + a * y[idx]"),
    ),
    # The weights are floats.
    Wrong(
        "hundredeight_blend_weights_are_floats",
        "hundredeight_blend",
        "precision | rounding / numbers",
        ("    double other = 1.0 - a;\n", "    float other = 1.0 - a, own = a;\n"),
        ("a * x[idx] +", "own * x[idx] +"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredeight_blend_blocks_rounded_down",
        "hundredeight_blend",
        "tail / grid / unwritten / left out | numbers / nan",
        ("(n + threads - 1) / threads", "n / threads"),
    ),
    # The last number is never written.
    Wrong(
        "hundredeight_blend_without_last",
        "hundredeight_blend",
        "tail / unwritten / left out | nan / numbers",
        ("if (idx < n) {", "if (idx < n - 1) {"),
    ),
    # x is weighted in place.
    Wrong(
        "hundredeight_blend_weighs_in_place",
        "hundredeight_blend",
        "input",
        (
            "    out[idx] = a * x[idx] + other * y[idx];",
            "    double* own = const_cast<double*>(x);\n"
            "    own[idx] *= a;\n"
            "    out[idx] = own[idx] + other * y[idx];",
        ),
    ),
    # ---- widen
    # The numbers are taken for signed ones.
    Wrong(
        "hundredeight_widen_signed",
        "hundredeight_widen",
        "whole range | numbers",
        ("uint16_t value = in[i];", "int16_t value = in[i];"),
    ),
    # The numbers go through a half.
    Wrong(
        "hundredeight_widen_through_half",
        "hundredeight_widen",
        "precision / infinity / rounding | numbers / whole range",
        ("(float)value", "__half2float(__ushort2half_rn(value))"),
    ),
    # The block size is typed in.
    Wrong(
        "hundredeight_widen_always_256",
        "hundredeight_widen",
        "block size | unwritten / left out / grid / nan / other element / race / twice",
        (
            "blockIdx.x * blockDim.x + threadIdx.x; i < n",
            "blockIdx.x * 256 + threadIdx.x; i < n",
        ),
    ),
    # The grid is limited, and no thread goes on.
    Wrong(
        "hundredeight_widen_no_loop",
        "hundredeight_widen",
        "grid / unwritten / left out | tail / nan",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)",
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)",
        ),
        ("    int stride = gridDim.x * blockDim.x;\n", ""),
    ),
    # One number too many.
    Wrong(
        "hundredeight_widen_one_too_many",
        "hundredeight_widen",
        "bounds | tail",
        ("i < n; i += stride", "i <= n; i += stride"),
    ),
    # ---- to_int
    # What follows the point is cut off.
    Wrong(
        "hundredeight_to_int_cut_off",
        "hundredeight_to_int",
        "rounding | numbers",
        ("(int)rintf(v)", "(int)v"),
    ),
    # Ties go away from zero.
    Wrong(
        "hundredeight_to_int_ties_away",
        "hundredeight_to_int",
        "rounding | numbers",
        ("rintf(v)", "roundf(v)"),
    ),
    # NaN becomes the largest.
    Wrong(
        "hundredeight_to_int_nan_is_large",
        "hundredeight_to_int",
        "nan | whole range / numbers",
        ("  if (v != v) return 0;\n", ""),
        ("if (v >= 2147483648.0f)", "if (!(v < 2147483648.0f))"),
    ),
    # Numbers beyond the ends wrap around.
    Wrong(
        "hundredeight_to_int_wraps",
        "hundredeight_to_int",
        "whole range / infinity | numbers",
        (
            "  if (v >= 2147483648.0f) return INT32_MAX;\n"
            "  if (v < -2147483648.0f) return INT32_MIN;\n"
            "  return (int)rintf(v);",
            "  return (int)(long long)rintf(v);",
        ),
    ),
    # Infinities are passed over.
    Wrong(
        "hundredeight_to_int_skips_infinities",
        "hundredeight_to_int",
        "unwritten / infinity | numbers / left out / whole range",
        ("  if (i >= n) return;", "  if (i >= n || isinf(src[i])) return;"),
    ),
    # ---- tanh
    # Two exponentials overflow.
    Wrong(
        "hundredeight_tanh_of_exponentials",
        "hundredeight_tanh",
        "infinity / nan | numbers / precision / sign of zero / subnormal / function",
        (
            "return __float2half(tanhf(v));",
            "float e = expf(v), f = expf(-v);\n    return __float2half((e - f) / (e + f));",
        ),
    ),
    # A fraction that is close to it near 0 only.
    Wrong(
        "hundredeight_tanh_by_a_fraction",
        "hundredeight_tanh",
        "function / precision | numbers / infinity / nan / rounding",
        ("tanhf(v)", "v * (27.0f + v * v) / (27.0f + 9.0f * v * v)"),
    ),
    # The step counts blocks of 256.
    Wrong(
        "hundredeight_tanh_steps_of_256",
        "hundredeight_tanh",
        "block size / unwritten / left out | grid / nan / numbers / race / twice",
        ("const int step = blockDim.x * gridDim.x;", "const int step = 256 * gridDim.x;"),
    ),
    # Zeros are passed over.
    Wrong(
        "hundredeight_tanh_skips_zeros",
        "hundredeight_tanh",
        "unwritten | numbers / sign of zero / nan / left out",
        (
            "        y[i] = tanh_of(x[i]);",
            "        if (__half2float(x[i]) != 0.0f) y[i] = tanh_of(x[i]);",
        ),
    ),
    # The factor of the logistic function is in it.
    Wrong(
        "hundredeight_tanh_of_half_of_it",
        "hundredeight_tanh",
        "function | numbers",
        ("tanhf(v)", "tanhf(0.5f * v)"),
    ),
    # ---- elu
    # 1 is taken from the exponential.
    Wrong(
        "hundredeight_elu_exp_less_1",
        "hundredeight_elu",
        "precision | numbers / sign of zero / subnormal / rounding",
        ("expm1f(v)", "(expf(v) - 1.0f)"),
    ),
    # There is no alpha.
    Wrong(
        "hundredeight_elu_no_alpha",
        "hundredeight_elu",
        "function / left out | numbers",
        ("alpha * expm1f(v)", "expm1f(v)"),
    ),
    # NaN is lost in a minimum and a maximum.
    Wrong(
        "hundredeight_elu_nan_is_0",
        "hundredeight_elu",
        "nan | numbers",
        (
            "    if (v > 0.0f) return v;\n    return v == v ? alpha * expm1f(v) : v;",
            "    return v > 0.0f ? v : alpha * expm1f(fminf(v, 0.0f));",
        ),
    ),
    # Alpha is that of the first call.
    Wrong(
        "hundredeight_elu_first_alpha",
        "hundredeight_elu",
        "state | function / numbers",
        (
            "    int per_block = 2 * block_size;",
            "    static float used = alpha;\n    int per_block = 2 * block_size;",
        ),
        ("(x, y, alpha, n);", "(x, y, used, n);"),
    ),
    # Only the first of two is tested.
    Wrong(
        "hundredeight_elu_second_not_tested",
        "hundredeight_elu",
        "bounds | tail",
        ("if (second < n)", "if (first < n)"),
    ),
    # ---- swish
    # The product overflows before it is divided.
    Wrong(
        "hundredeight_swish_divides_late",
        "hundredeight_swish",
        "infinity | numbers / rounding",
        (
            "  float gate = fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f;\n  return x * gate;",
            "  float gate = fminf(fmaxf(x + 3.0f, 0.0f), 6.0f);\n  return x * gate / 6.0f;",
        ),
    ),
    # What is left is compared with the number of packs.
    Wrong(
        "hundredeight_swish_no_rest",
        "hundredeight_swish",
        "tail / unwritten / left out | nan / numbers",
        ("if (t < 4 && rest < n)", "if (t < 4 && rest < n4)"),
    ),
    # The output may lie anywhere.
    Wrong(
        "hundredeight_swish_out_anywhere",
        "hundredeight_swish",
        "alignment",
        ("float *out,       // [n] 16-byte aligned", "float *out,       // [n]"),
    ),
    # The factor is rounded to three digits.
    Wrong(
        "hundredeight_swish_coarse_sixth",
        "hundredeight_swish",
        "precision / function | numbers / rounding",
        ("6.0f) / 6.0f;", "6.0f) * 0.167f;"),
    ),
    # The fourth of a pack is made of the third.
    Wrong(
        "hundredeight_swish_third_for_fourth",
        "hundredeight_swish",
        "neighbour / other element | numbers / nan / function",
        ("v.w = hswish(v.w);", "v.w = hswish(v.z);"),
    ),
    # ---- sum
    # The total is not set before.
    Wrong(
        "hundredeight_sum_not_set",
        "hundredeight_sum",
        "zero before | state / unwritten / nan / start",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The shuffles begin at 8.
    Wrong(
        "hundredeight_sum_from_8",
        "hundredeight_sum",
        "left out | numbers / nan / infinity",
        ("int d = 16; d > 0", "int d = 8; d > 0"),
    ),
    # Each lane adds what it has.
    Wrong(
        "hundredeight_sum_all_lanes_add",
        "hundredeight_sum",
        "twice | numbers / infinity / other element",
        ("if (lane == 0) atomicAdd", "atomicAdd"),
    ),
    # The memset goes to the default stream.
    Wrong(
        "hundredeight_sum_memset_no_stream",
        "hundredeight_sum",
        "stream | zero before / state",
        ("sizeof(float), stream);", "sizeof(float));"),
    ),
    # The number of warps is rounded down.
    Wrong(
        "hundredeight_sum_warps_rounded_down",
        "hundredeight_sum",
        "tail / left out / grid | numbers / nan / infinity",
        ("(n + SHARE - 1) / SHARE", "n / SHARE"),
    ),
    # ---- row_max
    # The sign is kept.
    Wrong(
        "hundredeight_row_max_signed",
        "hundredeight_row_max",
        "function / left out | numbers / start / infinity / sign of zero",
        ("larger(fabsf(__half2float(row[c])), best)", "larger(__half2float(row[c]), best)"),
    ),
    # The maximum passes over NaN.
    Wrong(
        "hundredeight_row_max_nan_lost",
        "hundredeight_row_max",
        "nan | left out",
        ("return (a != a || a > b) ? a : b;", "return fmaxf(a, b);"),
    ),
    # Rows are as far apart as there are rows.
    Wrong(
        "hundredeight_row_max_pitch_of_rows",
        "hundredeight_row_max",
        "sides / other element / bounds | numbers / left out / nan",
        ("(size_t)blockIdx.x * cols;", "(size_t)blockIdx.x * rows;"),
    ),
    # The tree begins one level too low.
    Wrong(
        "hundredeight_row_max_half_a_tree",
        "hundredeight_row_max",
        "left out | numbers / nan / infinity",
        ("int s = THREADS / 2; s > 0", "int s = THREADS / 4; s > 0"),
    ),
    # The tree is read before it is filled.
    Wrong(
        "hundredeight_row_max_no_first_barrier",
        "hundredeight_row_max",
        "race | left out / numbers / start / nan / unwritten",
        ("    buf[tid] = best;\n    __syncthreads();\n", "    buf[tid] = best;\n"),
    ),
    # ---- count
    # The limit counts, too.
    Wrong(
        "hundredeight_count_limit_too",
        "hundredeight_count",
        "function | numbers / other element",
        ("return v > limit;", "return v >= limit;"),
    ),
    # Integers are compared as floats.
    Wrong(
        "hundredeight_count_as_floats",
        "hundredeight_count",
        "precision | numbers / rounding / left out",
        ("return v > limit;", "return (float)v > (float)limit;"),
    ),
    # The difference overflows.
    Wrong(
        "hundredeight_count_by_difference",
        "hundredeight_count",
        "whole range / infinity / narrow | numbers / left out / function",
        ("return v > limit;", "return (int)((unsigned)v - (unsigned)limit) > 0;"),
    ),
    # The output is set in the first call only.
    Wrong(
        "hundredeight_count_set_once",
        "hundredeight_count",
        "zero before / state",
        (
            "  cudaMemsetAsync(count, 0, 4, stream);\n",
            "  static bool done = false;\n"
            "  if (!done) cudaMemsetAsync(count, 0, 4, stream);\n"
            "  done = true;\n",
        ),
    ),
    # Threads count without an atomic.
    Wrong(
        "hundredeight_count_no_atomic",
        "hundredeight_count",
        "race | left out / numbers",
        ("atomicAdd(&hits, 1);", "hits += 1;"),
    ),
    # ---- columns
    # The largest is at least 0.
    Wrong(
        "hundredeight_columns_starts_at_0",
        "hundredeight_columns",
        "start | infinity / nan / numbers",
        ("float largest = -INFINITY;", "float largest = 0.0f;"),
    ),
    # The largest is not taken off.
    Wrong(
        "hundredeight_columns_no_maximum",
        "hundredeight_columns",
        "infinity | nan / numbers / left out",
        (
            "sum += expf(in[(size_t)r * cols + col] - largest);",
            "sum += expf(in[(size_t)r * cols + col]);",
        ),
        ("expf(in[at] - largest) / sum", "expf(in[at]) / sum"),
    ),
    # One column too many, which is the first of the rows below.
    Wrong(
        "hundredeight_columns_one_too_many",
        "hundredeight_columns",
        "bounds / race | other element / twice / numbers / tail / neighbour",
        ("if (col >= cols)", "if (col > cols)"),
    ),
    # The grid is one for the rows.
    Wrong(
        "hundredeight_columns_grid_of_rows",
        "hundredeight_columns",
        "grid / unwritten / sides / left out / swapped | numbers / nan / tail",
        ("<<<(cols + threads - 1) / threads,", "<<<(rows + threads - 1) / threads,"),
    ),
    # The sum has no first row.
    Wrong(
        "hundredeight_columns_first_row_left_out",
        "hundredeight_columns",
        "left out | numbers / infinity / start / nan",
        (
            "    float sum = 0.0f;\n    for (int r = 0; r < rows; r++)",
            "    float sum = 0.0f;\n    for (int r = 1; r < rows; r++)",
        ),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "hundredeight_norm_of_a_sample",
        "hundredeight_norm",
        "function | numbers / nan / infinity",
        ("block_sum(q, shared) / cols;", "block_sum(q, shared) / (cols - 1);"),
    ),
    # eps is added to the root.
    Wrong(
        "hundredeight_norm_eps_outside",
        "hundredeight_norm",
        "function | numbers / precision / infinity",
        ("sqrtf(var + eps)", "(sqrtf(var) + eps)"),
    ),
    # Gains are those of threads.
    Wrong(
        "hundredeight_norm_gain_of_thread",
        "hundredeight_norm",
        "other element | numbers / sides / neighbour",
        ("scale * gamma[c]", "scale * gamma[threadIdx.x]"),
    ),
    # The mean of squares less the square of the mean.
    Wrong(
        "hundredeight_norm_squares_less_square",
        "hundredeight_norm",
        "precision | numbers / nan / function / infinity",
        ("    float d = row[c] - mean;\n    q += d * d;", "    q += row[c] * row[c];"),
        ("block_sum(q, shared) / cols;", "block_sum(q, shared) / cols - mean * mean;"),
    ),
    # The offset multiplies, and the gain is added.
    Wrong(
        "hundredeight_norm_gain_and_offset_swapped",
        "hundredeight_norm",
        "swapped | function / numbers / other element",
        ("* scale * gamma[c] + beta[c]", "* scale * beta[c] + gamma[c]"),
    ),
    # ---- turn
    # The tile is read as it was filled.
    Wrong(
        "hundredeight_turn_tile_not_turned",
        "hundredeight_turn",
        "other element / swapped / sides | numbers / unwritten / nan",
        ("tile[threadIdx.x][threadIdx.y + k];", "tile[threadIdx.y + k][threadIdx.x];"),
    ),
    # The output has the pitch of the input.
    Wrong(
        "hundredeight_turn_pitch_of_input",
        "hundredeight_turn",
        "sides / other element / bounds / unwritten | numbers / nan / left out / swapped "
        "/ race",
        ("(out_row + k) * rows + out_col", "(out_row + k) * cols + out_col"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "hundredeight_turn_no_barrier",
        "hundredeight_turn",
        "race | numbers / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # All matrices are written to the first.
    Wrong(
        "hundredeight_turn_writes_first",
        "hundredeight_turn",
        "unwritten / race / left out | other element / numbers / nan / twice",
        ("out[base + (size_t)(out_row", "out[(size_t)(out_row"),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "hundredeight_turn_grid_swapped",
        "hundredeight_turn",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE, batch);",
        ),
    ),
    # ---- product
    # Rows of B have the pitch of A.
    Wrong(
        "hundredeight_product_pitch_of_a",
        "hundredeight_product",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # The last tile of k is left out, unless it is whole.
    Wrong(
        "hundredeight_product_whole_tiles",
        "hundredeight_product",
        "tail / left out | numbers / nan",
        ("int tiles = (k + T - 1) / T;", "int tiles = k / T;"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "hundredeight_product_no_second_barrier",
        "hundredeight_product",
        "race | numbers / other element / left out",
        ("sb[q][tx];\n        __syncthreads();\n", "sb[q][tx];\n"),
    ),
    # Each tile begins anew.
    Wrong(
        "hundredeight_product_last_tile_alone",
        "hundredeight_product",
        "left out / start | numbers / nan / other element",
        (
            "        for (int q = 0; q < T; q++)\n",
            "        for (int p = 0; p < PER; p++)\n"
            "            acc[p] = 0.0f;\n"
            "        for (int q = 0; q < T; q++)\n",
        ),
    ),
    # Nothing tests the columns of the result.
    Wrong(
        "hundredeight_product_columns_not_tested",
        "hundredeight_product",
        "bounds / other element / sides / race | numbers / tail / twice",
        ("if (row < m && col < n)", "if (row < m)"),
    ),
)

RIGHT = (
    # Sums of pairs are those of the library.
    Right(
        "hundredeight_add_of_library",
        "hundredeight_add",
        ("__halves2bfloat162(plus(p.x, q.x), plus(p.y, q.y))", "__hadd2(p, q)"),
    ),
    # Indices have 64 bits, and the arguments another order.
    Right(
        "hundredeight_blend_long_indices",
        "hundredeight_blend",
        ("double* out, double a, int n) {", "double* out, double a, int64_t n) {"),
        (
            "int idx = threadIdx.x + blockDim.x * blockIdx.x;",
            "int64_t idx = threadIdx.x + (int64_t)blockDim.x * blockIdx.x;",
        ),
        ("double a, int n, int threads", "double a, int64_t n, int threads"),
        (
            "int blocks = (n + threads - 1) / threads;",
            "unsigned int blocks = (unsigned int)((n + threads - 1) / threads);",
        ),
    ),
    # There are always as many blocks, some of which may idle.
    Right(
        "hundredeight_widen_idle_blocks",
        "hundredeight_widen",
        (
            "    if (blocks > MAX_BLOCKS)\n        blocks = MAX_BLOCKS;\n    if (blocks > 0)\n",
            "    if (blocks > 0)\n",
        ),
        ("<<<blocks, block_size", "<<<MAX_BLOCKS, block_size"),
    ),
    # The conversion of the device rounds and saturates.
    Right(
        "hundredeight_to_int_of_device",
        "hundredeight_to_int",
        (
            "  if (v >= 2147483648.0f) return INT32_MAX;\n"
            "  if (v < -2147483648.0f) return INT32_MIN;\n"
            "  return (int)rintf(v);",
            "  return __float2int_rn(v);",
        ),
    ),
    # expm1 of twice the magnitude, with the sign put back.
    Right(
        "hundredeight_tanh_by_expm1",
        "hundredeight_tanh",
        (
            "return __float2half(tanhf(v));",
            "float e = expm1f(-2.0f * fabsf(v));\n"
            "    return __float2half(copysignf(-e / (2.0f + e), v));",
        ),
    ),
    # One block more than there need be, and the places as uint32.
    Right(
        "hundredeight_elu_one_block_more",
        "hundredeight_elu",
        (
            "    int first = blockIdx.x * blockDim.x * 2 + threadIdx.x;\n"
            "    int second = first + blockDim.x;",
            "    uint32_t first = blockIdx.x * blockDim.x * 2 + threadIdx.x;\n"
            "    uint32_t second = first + blockDim.x;",
        ),
        ("float alpha, int n) {", "float alpha, uint32_t n) {"),
        ("int grid = (n + per_block - 1) / per_block;", "int grid = n / per_block + 1;"),
    ),
    # The last block takes the rest, each thread a number.
    Right(
        "hundredeight_swish_rest_from_behind",
        "hundredeight_swish",
        (
            "  int rest = 4 * n4 + t;\n  if (t < 4 && rest < n)\n",
            "  int rest = n - 1 - (int)threadIdx.x;\n"
            "  if (blockIdx.x == gridDim.x - 1 && rest >= 4 * n4)\n",
        ),
    ),
    # A block of one warp, which takes its numbers one after another.
    Right(
        "hundredeight_sum_one_warp_a_block",
        "hundredeight_sum",
        ("int blocks = (int)((warps + 3) / 4);", "int blocks = (int)warps;"),
        ("<<<blocks, 128, 0, stream>>>", "<<<blocks, 32, 0, stream>>>"),
        ("int64_t i = warp * SHARE + k;", "int64_t i = warp * SHARE + SHARE - 1 - k;"),
    ),
    # Shuffles in place of the tree.
    Right(
        "hundredeight_row_max_shuffles",
        "hundredeight_row_max",
        (
            "    buf[tid] = best;\n    __syncthreads();\n"
            "    for (int s = THREADS / 2; s > 0; s >>= 1) {\n"
            "        if (tid < s)\n"
            "            buf[tid] = larger(buf[tid], buf[tid + s]);\n"
            "        __syncthreads();\n"
            "    }\n",
            "    for (int s = 16; s > 0; s >>= 1)\n"
            "        best = larger(best, __shfl_xor_sync(0xffffffff, best, s));\n"
            "    if (tid % 32 == 0)\n"
            "        buf[tid / 32] = best;\n"
            "    __syncthreads();\n"
            "    if (tid == 0)\n"
            "        for (int w = 1; w < THREADS / 32; w++)\n"
            "            buf[0] = larger(buf[0], buf[w]);\n",
        ),
        ("float buf[THREADS];", "float buf[THREADS / 32];"),
    ),
    # The barrier counts.
    Right(
        "hundredeight_count_by_barrier",
        "hundredeight_count",
        (
            "  __shared__ int hits;\n  if (threadIdx.x == 0) hits = 0;\n  __syncthreads();\n",
            "",
        ),
        (
            "  if (i < n && above(data[i], limit)) atomicAdd(&hits, 1);\n  __syncthreads();\n",
            "  int hits = __syncthreads_count(i < n && above(data[i], limit));\n",
        ),
    ),
    # Exponentials wait in the output for the sum.
    Right(
        "hundredeight_columns_kept_in_output",
        "hundredeight_columns",
        (
            "        sum += expf(in[(size_t)r * cols + col] - largest);",
            "    {\n"
            "        size_t at = (size_t)r * cols + col;\n"
            "        out[at] = expf(in[at] - largest);\n"
            "        sum += out[at];\n"
            "    }",
        ),
        ("out[at] = expf(in[at] - largest) / sum;", "out[at] /= sum;"),
    ),
    # Blocks of 64 threads.
    Right(
        "hundredeight_norm_of_64_threads",
        "hundredeight_norm",
        ("const int kThreads = 128;", "const int kThreads = 64;"),
        ("1.0f / sqrtf(var + eps)", "rsqrtf(var + eps)"),
    ),
    # The tile is turned when it is filled, and the block has 16 rows.
    Right(
        "hundredeight_turn_when_filled",
        "hundredeight_turn",
        ("#define ROWS 8", "#define ROWS 16"),
        ("tile[threadIdx.y + k][threadIdx.x] = in", "tile[threadIdx.x][threadIdx.y + k] = in"),
        ("tile[threadIdx.x][threadIdx.y + k];", "tile[threadIdx.y + k][threadIdx.x];"),
    ),
    # The tile of A lies turned.
    Right(
        "hundredeight_product_turned_tile",
        "hundredeight_product",
        ("__shared__ float sa[T][T];", "__shared__ float sa[T][T + 1];"),
        ("sa[y][tx] = (row0", "sa[tx][y] = (row0"),
        ("sa[ty + p * BY][q] * sb", "sa[q][ty + p * BY] * sb"),
    ),
)
