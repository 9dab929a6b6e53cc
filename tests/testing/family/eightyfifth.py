"""Hold an eighty-fifth family: the plain operators of a course, as juniors write them.

Its bases are an add of floats in float4, a product of doubles, float to half, int32 to float,
ReLU, SiLU of halves, tanh, a sum by warp shuffles, the largest of an array, sums of rows a warp
a row, a transpose of floats by tiles, a transpose of halves, a matrix product by tiles, and
softmax a block a row. They have 14 to 38 lines, and are of people in their first half year of
CUDA. Their mistakes are spread over alignment, sizes, grids, block sizes, values, rounding, NaN
and infinity, inputs that are written, sums and start values, transposes and products, order,
streams and what is left of an earlier call. The causes were written before a member was judged.
On the emulator each ran beside the cases' expected results, compared as a case does, called
twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. The sizes past 2^31 that
`kernel_cases` names were run for a second and not to their end. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. A sum without an atomic is wrong only
where blocks run at once, which the emulator did not show. nvcc 13.0 compiles each for 8.0, all
members of a base in one file; none was run on a GPU. Bases and right ones are right, and all
others wrong or refused by a fault:

    eightyfive_add_b_not_tested           from 4 numbers on, by the address of b alone
    eightyfive_add_pack_of_three          if 3 numbers are left
    eightyfive_add_three_of_four          from 4 numbers on, where addresses are not round
    eightyfive_add_threads_rounded_down   of some sizes that 4 does not divide
    eightyfive_add_z_for_w                from 4 numbers on
    eightyfive_times_as_floats            of nearly all
    eightyfive_times_no_loop              beyond 120 blocks
    eightyfive_times_always_128           of smaller blocks, beyond 120 of them
    eightyfive_times_one_too_many         of nearly all sizes
    eightyfive_times_zero_skips           of 0 times infinity, NaN or what is negative
    eightyfive_narrow_cut_off             of nearly all, from 2 numbers on
    eightyfive_narrow_at_most_65504       beyond 65,520, from 2 numbers on
    eightyfive_narrow_odd_one_forgotten   of odd sizes
    eightyfive_narrow_dst_anywhere        from 2 numbers on, by the address of dst
    eightyfive_narrow_pairs_turned        of nearly all, from 2 numbers on
    eightyfive_real_by_short              beyond 16 bits
    eightyfive_real_cut_off               of some beyond 24 bits
    eightyfive_real_unsigned              of what is negative
    eightyfive_real_blocks_overlap        from a second block on
    eightyfive_real_always_64             of other block sizes, from 33 numbers on
    eightyfive_relu_nan_is_0              of NaN
    eightyfive_relu_index_of_16_bits      from 65,537 numbers on
    eightyfive_relu_leaks                 of what is negative
    eightyfive_relu_in_place_too          of what is negative: x is overwritten
    eightyfive_relu_no_stream             on another stream
    eightyfive_silu_y_alone_tested        from 2 numbers on, by the address of x alone
    eightyfive_silu_exp_over_exp          from 89 on
    eightyfive_silu_no_minus              of nearly all
    eightyfive_silu_sigmoid_in_half       of many
    eightyfive_silu_rest_from_0           of odd sizes from 3 on, where pairs are taken
    eightyfive_tanh_by_four_exponentials  from about 89 on, and near 0
    eightyfive_tanh_less_than_1           near 0
    eightyfive_tanh_of_half               of nearly all
    eightyfive_tanh_first_grid            if an earlier call was smaller
    eightyfive_tanh_greater_only          unless the block size divides n
    eightyfive_sum_not_set                if out is not 0 before
    eightyfive_sum_half_the_warps         from 129 numbers on
    eightyfive_sum_no_barrier             where threads do not wait for another
    eightyfive_sum_begins_with_8          from 17 numbers on
    eightyfive_sum_no_atomic              where blocks run at once, from 256 numbers on
    eightyfive_largest_from_flt_min       of what is at most 0
    eightyfive_largest_of_magnitudes      if what is farthest from 0 is negative
    eightyfive_largest_quarter_first      from 257 numbers on
    eightyfive_largest_whole_steps        unless 512 divides n
    eightyfive_largest_with_what_was      if out is larger before, or NaN
    eightyfive_rows_all_lanes_write       from 2 columns on
    eightyfive_rows_rows_rounded_down     unless 4 divides the rows
    eightyfive_rows_pitch_of_rows         from 2 rows on, unless they are square
    eightyfive_rows_integer_sum           of fractions, infinities and NaN
    eightyfive_rows_first_32              from 33 columns on
    eightyfive_turn_pitch_of_in           unless it is square
    eightyfive_turn_no_barrier            where threads do not wait for another
    eightyfive_turn_tile_as_it_is         of nearly all
    eightyfive_turn_across_rounded_down   unless 32 divides the columns
    eightyfive_turn_tests_changed         unless it is square
    eightyfive_flip_grid_swapped          unless the tiles are as many each way
    eightyfive_flip_both_outside          unless 16 divides both sides
    eightyfive_flip_place_of_16_bits      from 65,537 numbers on
    eightyfive_flip_not_turned            unless a side is 1
    eightyfive_flip_blocks_of_32          from 17 columns on
    eightyfive_matmul_whole_tiles         unless 16 divides k
    eightyfive_matmul_no_second_barrier   from k = 17 on, where threads do not wait
    eightyfive_matmul_pitch_of_k          unless n and k are alike
    eightyfive_matmul_b_not_tested        unless 16 divides k
    eightyfive_matmul_last_product        from k = 2 on
    eightyfive_softmax_starts_at_0        of rows far below 0
    eightyfive_softmax_nothing_taken_off  of rows far from 0
    eightyfive_softmax_exponentials_in_x  of all: x is overwritten
    eightyfive_softmax_first_columns      from 129 columns on
    eightyfive_softmax_limit_of_blocks    from 65,536 rows on
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Four floats a thread where all addresses allow it, and otherwise one after another.
ADD = (
    HEADER
    + """\
__global__ void vecAdd(const float* a, const float* b, float* c, int n, bool wide) {
  unsigned base = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (base >= n) return;
  if (wide && base + 3 < n) {
    float4 u = *(const float4*)(a + base);
    float4 v = *(const float4*)(b + base);
    float4 w;
    w.x = u.x + v.x;
    w.y = u.y + v.y;
    w.z = u.z + v.z;
    w.w = u.w + v.w;
    *(float4*)(c + base) = w;
  } else {
    for (unsigned i = base; i < n && i < base + 4; ++i) c[i] = a[i] + b[i];
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  uintptr_t bits = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
  int threads = n / 4 + (n % 4 != 0);
  int blocks = (threads + block_size - 1) / block_size;
  if (blocks == 0) return;
  vecAdd<<<blocks, block_size, 0, stream>>>(a, b, c, n, bits % 16 == 0);
}
"""
)

# A loop over the grid, which has at most 120 blocks.
TIMES = (
    HEADER
    + """\
#define MOST_BLOCKS 120

__global__ void times(const double *x, const double *y, double *z, int n)
{
    int64_t stride = gridDim.x * blockDim.x;
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; k < n; k += stride)
        z[k] = x[k] * y[k];
}

extern "C" void launch(const double *x,  // [n]
                       const double *y,  // [n]
                       double *z,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    if (n <= 0)
        return;
    int blocks = (n - 1) / block_size + 1;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    times<<<blocks, block_size, 0, stream>>>(x, y, z, n);
}
"""
)

# Two numbers a thread, stored as half2 where the output lies round.
NARROW = (
    HEADER
    + """\
__global__ void narrow(const float* src, half* dst, int64_t n, bool even) {
    int64_t pair = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t whole_pairs = n / 2;
    if (pair < whole_pairs) {
        float u = src[2 * pair];
        float v = src[2 * pair + 1];
        half2 h = __floats2half2_rn(u, v);
        if (even) {
            reinterpret_cast<half2*>(dst)[pair] = h;
        } else {
            dst[2 * pair] = __low2half(h);
            dst[2 * pair + 1] = __high2half(h);
        }
    }
    if (pair == whole_pairs && n % 2 == 1) {
        dst[n - 1] = __float2half_rn(src[n - 1]);
    }
}

extern "C" void launch(const float* src,  // [n]
                       half* dst,         // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n / 2 + 1 + block_size - 1) / block_size;
    const bool even = reinterpret_cast<uintptr_t>(dst) % 4 == 0;
    narrow<<<blocks, block_size, 0, stream>>>(src, dst, n, even);
}
"""
)

# Four numbers a thread, a block apart.
REAL = (
    HEADER
    + """\
constexpr int PER_THREAD = 4;

__global__ void int_to_float(const int* in, float* out, int64_t n)
{
  int64_t first = (int64_t)blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
  for (int j = 0; j < PER_THREAD; j++)
  {
    int64_t i = first + j * blockDim.x;
    if (i < n)
      out[i] = __int2float_rn(in[i]);
  }
}

extern "C" void launch(const int* in,  // [n]
                       float* out,     // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
  int share = block_size * PER_THREAD;
  int64_t blocks = n / share + (n % share > 0 ? 1 : 0);
  if (blocks > 0)
    int_to_float<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# One number a thread.
RELU = (
    HEADER
    + """\
__device__ float relu(float v) { return v < 0.0f ? 0.0f : v; }

__global__ void relu_kernel(const float *x, float *y, int n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[i] = relu(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int grid = n / block_size;
  if (n % block_size) grid++;
  if (grid > 0) relu_kernel<<<grid, block_size, 0, stream>>>(x, y, n);
}
"""
)

# half2 where both lie round, one half a thread elsewhere; the last one by itself.
SILU = (
    HEADER
    + """\
__device__ float sigmoid(float z) { return 1.0f / (1.0f + expf(-z)); }

__device__ half silu(half h)
{
    float z = __half2float(h);
    return __float2half(z * sigmoid(z));
}

__global__ void silu_one(const half *x, half *y, int64_t from, int64_t n)
{
    int64_t i = from + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = silu(x[i]);
}

__global__ void silu_two(const half2 *x, half2 *y, int64_t pairs)
{
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs) {
        half2 h = x[p];
        y[p] = __halves2half2(silu(__low2half(h)), silu(__high2half(h)));
    }
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    bool round = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
    int64_t pairs = round ? n / 2 : 0;
    int64_t rest = n - 2 * pairs;
    if (pairs > 0)
        silu_two<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(
            (const half2 *)x, (half2 *)y, pairs);
    if (rest > 0)
        silu_one<<<(rest + block_size - 1) / block_size, block_size, 0, stream>>>(
            x, y, 2 * pairs, n);
}
"""
)

# One number a thread, and who has none leaves.
TANH = (
    HEADER
    + """\
__global__ void tanh_forward(const float* __restrict__ x, float* __restrict__ y, int n) {
  const unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= n) return;
  const float v = x[idx];
  y[idx] = tanhf(v);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0) {
  if (n == 0) return;
  const int blocks = (n - 1) / block_size + 1;
  tanh_forward<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Shuffles in each warp, then in the first one, then an atomic a block.
SUM = (
    HEADER
    + """\
const int THREADS = 256;

__device__ float warpReduce(float val) {
    for (int offset = 16; offset > 0; offset >>= 1)
        val += __shfl_down_sync(0xffffffffu, val, offset);
    return val;
}

__global__ void reduceSum(const float* x, float* out, int64_t n) {
    __shared__ float perWarp[THREADS / 32];
    int lane = threadIdx.x & 31;
    int wid = threadIdx.x >> 5;

    float val = 0.0f;
    for (int64_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        val += x[i];

    val = warpReduce(val);
    if (lane == 0) perWarp[wid] = val;
    __syncthreads();

    if (wid == 0) {
        val = lane < THREADS / 32 ? perWarp[lane] : 0.0f;
        val = warpReduce(val);
        if (lane == 0) atomicAdd(out, val);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    int64_t blocks = n / THREADS + 1;
    if (blocks > 64) blocks = 64;
    reduceSum<<<blocks, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# One block and its tree.
LARGEST = (
    HEADER
    + """\
enum { T = 512 };

__device__ float larger(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

__global__ void largest(const float *x, float *out, int64_t n)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int64_t i = t; i < n; i += T)
        m = larger(m, x[i]);
    s[t] = m;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] = larger(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        out[0] = s[0];
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    largest<<<1, T, 0, stream>>>(x, out, n);
}
"""
)

# Four warps a block, each of which adds up a row.
ROWS = (
    HEADER
    + """\
#define WARPS 4

__global__ void row_sums(const float* x, float* out, int rows, int cols) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;

  const float* p = x + (size_t)row * cols;
  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += p[c];

  for (int d = 16; d >= 1; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) out[row] = sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + WARPS - 1) / WARPS;
  if (blocks == 0) return;
  row_sums<<<blocks, 32 * WARPS, 0, stream>>>(x, out, rows, cols);
}
"""
)

# Tiles of 32 by 32, one a block, counted along the rows.
TURN = (
    HEADER
    + """\
constexpr int TILE = 32;
constexpr int STEP = 8;

__global__ void transpose(const float* in, float* out, int64_t rows, int64_t cols,
                          int64_t across)
{
    __shared__ float tile[TILE][TILE + 1];
    const int64_t r0 = blockIdx.x / across * TILE;
    const int64_t c0 = blockIdx.x % across * TILE;

    for (int j = threadIdx.y; j < TILE; j += STEP) {
        const int64_t r = r0 + j, c = c0 + threadIdx.x;
        if (r < rows && c < cols) tile[j][threadIdx.x] = in[r * cols + c];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += STEP) {
        const int64_t c = c0 + j, r = r0 + threadIdx.x;
        if (c < cols && r < rows) out[c * rows + r] = tile[threadIdx.x][j];
    }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    const int64_t across = cols / TILE + (cols % TILE != 0);
    const int64_t down = rows / TILE + (rows % TILE != 0);
    if (across * down == 0) return;
    transpose<<<across * down, dim3(TILE, STEP), 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# One half a thread, without shared memory.
FLIP = (
    HEADER
    + """\
__global__ void flip(const half *a, half *t, int h, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int from = y * w + x;
  int to = x * h + y;
  t[to] = a[from];
}

extern "C" void launch(const half *a,  // [h, w]
                       half *t,        // [w, h]
                       int h, int w, cudaStream_t stream = 0) {
  dim3 block(16, 16);
  dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
  flip<<<grid, block, 0, stream>>>(a, t, h, w);
}
"""
)

# Tiles of 16 by 16 with zeros beyond the sides, one a block.
MATMUL = (
    HEADER
    + """\
#define T 16

__global__ void matmul(const float *A, const float *B, float *C, int64_t m, int64_t n,
                       int64_t k, int64_t wide)
{
    __shared__ float As[T][T];
    __shared__ float Bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t row = blockIdx.x / wide * T + ty;
    int64_t col = blockIdx.x % wide * T + tx;
    float acc = 0.f;

    for (int64_t k0 = 0; k0 < k; k0 += T) {
        int64_t ka = k0 + tx, kb = k0 + ty;
        As[ty][tx] = (row < m && ka < k) ? A[row * k + ka] : 0.f;
        Bs[ty][tx] = (kb < k && col < n) ? B[kb * n + col] : 0.f;
        __syncthreads();
        for (int q = 0; q < T && k0 + q < k; q++)
            acc += As[ty][q] * Bs[q][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0)
{
    int64_t wide = (n - 1) / T + 1;
    int64_t high = (m - 1) / T + 1;
    matmul<<<wide * high, dim3(T, T), 0, stream>>>(A, B, C, m, n, k, wide);
}
"""
)

# A block a row: the maximum and the sum come from trees.
SOFTMAX = (
    HEADER
    + """\
constexpr int kThreads = 128;

__global__ void softmax(const float* x, float* y, int64_t cols) {
  __shared__ float buf[kThreads];
  const int tid = threadIdx.x;
  const float* in = x + (int64_t)blockIdx.x * cols;
  float* out = y + (int64_t)blockIdx.x * cols;

  float top = -INFINITY;
  for (int64_t c = tid; c < cols; c += kThreads) top = fmaxf(top, in[c]);
  buf[tid] = top;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
    __syncthreads();
  }
  top = buf[0];
  __syncthreads();

  float sum = 0.0f;
  for (int64_t c = tid; c < cols; c += kThreads) sum += expf(in[c] - top);
  buf[tid] = sum;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] += buf[tid + s];
    __syncthreads();
  }
  sum = buf[0];

  for (int64_t c = tid; c < cols; c += kThreads) out[c] = expf(in[c] - top) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  const int64_t blocks = rows;
  softmax<<<blocks, kThreads, 0, stream>>>(x, y, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
SIDES += ((16, 16), (17, 15), (300, 310), (1, 70_001), (70_001, 1))


def operator(reference: Callable, ulp: float = 0) -> Callable[[Launcher], Iterator[Case]]:
    """Try as every operator, all sizes up to 70, and starts of which some are round."""

    def some(launcher: Launcher) -> Iterator[Case]:
        make = ElementwiseMaker.of(launcher, reference, ulp)
        yield from elementwise_cases(launcher, make)
        for n in range(1, 71):
            yield make.random(n, 3)
        starts = ((4, 8, 4), (4, 8, 1), (8, 2, 4), (1, 4, 8), (2, 4, 2), (4, 1, 8))
        count = len(launcher.declaration.tensors)
        for n in (4, 5, 31, 64, 257, 4099):
            for start in starts:
                yield make.shifted(n, 8, start[:count])

    return some


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and quarters, so that all is exact: any, zeros, negative, NaN."""
    for rows, cols in (*SIDES, *((rows, 37) for rows in range(1, 71))):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("quarters", x / 4),
            ("zeros", x * 0),
            ("negative", -x.abs() - 1),
            ("the last alone", torch.where(c == cols - 1, 7.0, x * 0)),
            ("an infinity", torch.where(c == cols // 3, INF, x)),
            (
                "NaN in one row",
                torch.where(torch.arange(n).reshape(rows, cols) == n // 2, NAN, x),
            ),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(1),), dtypes=(torch.float32,))


def flips(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of halves: any, with infinities, NaN and both zeros."""
    for h, w in (*SIDES, *((k, 71 - k) for k in range(1, 71)), (15, 200), (200, 31)):
        x = whole(-2047, 2048, h * w, h + w).reshape(h, w).half()
        j = torch.arange(h * w).reshape(h, w) % 7
        strange = torch.where(
            j == 2, INF, torch.where(j == 3, NAN, torch.where(j == 5, -0.0, x))
        )
        for label, y in (("any", x), ("strange", strange.half())):
            words = f"h = {h:,}, w = {w:,}, {label}"
            yield Case(words, (y,), (y.double().T.contiguous(),), dtypes=(torch.float16,))


silu = torch.nn.functional.silu
BASES = {
    "eightyfive_add": Base(ADD, {"cases": operator(lambda a, b: a + b)}),
    "eightyfive_times": Base(TIMES, {"cases": operator(lambda a, b: a * b)}),
    "eightyfive_narrow": Base(NARROW, {"reference": "cast"}),
    "eightyfive_real": Base(REAL, {"reference": "cast"}),
    "eightyfive_relu": Base(RELU, {"cases": operator(torch.relu)}),
    "eightyfive_silu": Base(SILU, {"reference": silu, "ulp": 1}),
    "eightyfive_tanh": Base(TANH, {"cases": operator(torch.tanh, 4)}),
    "eightyfive_sum": Base(SUM, cases="sums"),
    "eightyfive_largest": Base(LARGEST, cases="whole_array", function=torch.max),
    "eightyfive_rows": Base(ROWS, {"cases": row_sums}),
    "eightyfive_turn": Base(TURN, cases="transpose"),
    "eightyfive_flip": Base(FLIP, {"cases": flips}),
    "eightyfive_matmul": Base(MATMUL, cases="matmul"),
    "eightyfive_softmax": Base(SOFTMAX, cases="softmax"),
}

WRONG = (
    # ---- add
    # The address of b is not asked.
    Wrong(
        "eightyfive_add_b_not_tested",
        "eightyfive_add",
        "alignment",
        ("(uintptr_t)a | (uintptr_t)b | (uintptr_t)c", "(uintptr_t)a | (uintptr_t)c"),
    ),
    # Three numbers are taken for a whole pack.
    Wrong(
        "eightyfive_add_pack_of_three",
        "eightyfive_add",
        "bounds / tail | alignment",
        ("base + 3 < n", "base + 3 <= n"),
    ),
    # One by one a thread takes only three.
    Wrong(
        "eightyfive_add_three_of_four",
        "eightyfive_add",
        "unwritten / left out | alignment / tail / nan / numbers",
        ("i < base + 4;", "i < base + 3;"),
    ),
    # The number of threads is rounded down.
    Wrong(
        "eightyfive_add_threads_rounded_down",
        "eightyfive_add",
        "tail / unwritten / grid | left out / nan / numbers",
        ("n / 4 + (n % 4 != 0)", "n / 4"),
    ),
    # The last of four gets the third of b.
    Wrong(
        "eightyfive_add_z_for_w",
        "eightyfive_add",
        "other element / neighbour | numbers",
        ("u.w + v.w", "u.w + v.z"),
    ),
    # ---- times
    # The product is one of floats.
    Wrong(
        "eightyfive_times_as_floats",
        "eightyfive_times",
        "precision / narrow | rounding / infinity / subnormal / numbers / sign of zero / nan",
        ("x[k] * y[k]", "(float)x[k] * (float)y[k]"),
    ),
    # A thread takes one number, though the grid is limited.
    Wrong(
        "eightyfive_times_no_loop",
        "eightyfive_times",
        "unwritten / left out / grid | tail / nan / numbers",
        ("for (; k < n; k += stride)", "if (k < n)"),
    ),
    # The step counts with a block size of its own.
    Wrong(
        "eightyfive_times_always_128",
        "eightyfive_times",
        "block size / unwritten / left out | grid / nan / numbers",
        ("gridDim.x * blockDim.x", "gridDim.x * 128"),
    ),
    # The index may be n.
    Wrong(
        "eightyfive_times_one_too_many",
        "eightyfive_times",
        "bounds | tail",
        ("; k < n;", "; k <= n;"),
    ),
    # What is multiplied by 0 is not looked at.
    Wrong(
        "eightyfive_times_zero_skips",
        "eightyfive_times",
        "nan / infinity / sign of zero | numbers / function",
        ("= x[k] * y[k]", "= x[k] == 0.0 ? 0.0 : x[k] * y[k]"),
    ),
    # ---- narrow
    # Pairs are rounded toward 0.
    Wrong(
        "eightyfive_narrow_cut_off",
        "eightyfive_narrow",
        "rounding | infinity / numbers / subnormal",
        ("__floats2half2_rn(u, v)", "__halves2half2(__float2half_rz(u), __float2half_rz(v))"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "eightyfive_narrow_at_most_65504",
        "eightyfive_narrow",
        "infinity | whole range / numbers",
        (
            "float u = src[2 * pair];\n        float v = src[2 * pair + 1];",
            "float u = src[2 * pair];\n"
            "        float v = src[2 * pair + 1];\n"
            "        if (fabsf(u) > 65504.0f) u = copysignf(65504.0f, u);\n"
            "        if (fabsf(v) > 65504.0f) v = copysignf(65504.0f, v);",
        ),
    ),
    # The last one of an odd number is left.
    Wrong(
        "eightyfive_narrow_odd_one_forgotten",
        "eightyfive_narrow",
        "tail / unwritten / left out | nan / numbers",
        (
            "    if (pair == whole_pairs && n % 2 == 1) {\n"
            "        dst[n - 1] = __float2half_rn(src[n - 1]);\n"
            "    }\n",
            "",
        ),
    ),
    # The output may lie anywhere.
    Wrong(
        "eightyfive_narrow_dst_anywhere",
        "eightyfive_narrow",
        "alignment",
        ("reinterpret_cast<uintptr_t>(dst) % 4 == 0", "true"),
    ),
    # The two of a pair change places.
    Wrong(
        "eightyfive_narrow_pairs_turned",
        "eightyfive_narrow",
        "other element / neighbour / swapped | numbers",
        ("__floats2half2_rn(u, v)", "__floats2half2_rn(v, u)"),
    ),
    # ---- real
    # The number goes through 16 bits.
    Wrong(
        "eightyfive_real_by_short",
        "eightyfive_real",
        "whole range / narrow | numbers",
        ("(in[i])", "((short)in[i])"),
    ),
    # Rounded toward 0.
    Wrong(
        "eightyfive_real_cut_off",
        "eightyfive_real",
        "rounding | precision / numbers",
        ("__int2float_rn", "__int2float_rz"),
    ),
    # The number is taken for one without a sign.
    Wrong(
        "eightyfive_real_unsigned",
        "eightyfive_real",
        "whole range / numbers | function",
        ("__int2float_rn", "__uint2float_rn"),
    ),
    # A block begins where the first quarter of the one before ends.
    Wrong(
        "eightyfive_real_blocks_overlap",
        "eightyfive_real",
        "unwritten / left out / grid / tail | nan / numbers / twice",
        ("blockIdx.x * blockDim.x * PER_THREAD", "blockIdx.x * blockDim.x"),
    ),
    # Steps are 64 numbers, whatever the block.
    Wrong(
        "eightyfive_real_always_64",
        "eightyfive_real",
        "block size / unwritten / left out | nan / numbers / grid",
        ("j * blockDim.x", "j * 64"),
    ),
    # ---- relu
    # The larger of the number and 0, which is 0 for NaN.
    Wrong(
        "eightyfive_relu_nan_is_0",
        "eightyfive_relu",
        "nan",
        ("v < 0.0f ? 0.0f : v", "fmaxf(v, 0.0f)"),
    ),
    # The index has 16 bits.
    Wrong(
        "eightyfive_relu_index_of_16_bits",
        "eightyfive_relu",
        "narrow | unwritten / left out / tail / nan / numbers / twice / race",
        ("  unsigned i = blockDim.x", "  unsigned short i = blockDim.x"),
    ),
    # A hundredth of what is negative gets through.
    Wrong(
        "eightyfive_relu_leaks",
        "eightyfive_relu",
        "function | numbers / infinity",
        ("? 0.0f : v", "? 0.01f * v : v"),
    ),
    # The input is cut off, too.
    Wrong(
        "eightyfive_relu_in_place_too",
        "eightyfive_relu",
        "input | state / numbers",
        ("relu_kernel(const float *x,", "relu_kernel(float *x,"),
        ("y[i] = relu(x[i]);", "y[i] = x[i] = relu(x[i]);"),
        (">>>(x, y, n)", ">>>((float *)x, y, n)"),
    ),
    # The default stream is taken.
    Wrong(
        "eightyfive_relu_no_stream",
        "eightyfive_relu",
        "stream",
        ("block_size, 0, stream>>>", "block_size>>>"),
    ),
    # ---- silu
    # The address of x is not asked.
    Wrong(
        "eightyfive_silu_y_alone_tested",
        "eightyfive_silu",
        "alignment",
        ("(uintptr_t)x % 4 == 0 && (uintptr_t)y", "(uintptr_t)y"),
    ),
    # e to the z is divided by 1 more than itself.
    Wrong(
        "eightyfive_silu_exp_over_exp",
        "eightyfive_silu",
        "infinity / nan | numbers / function",
        ("1.0f / (1.0f + expf(-z))", "expf(z) / (1.0f + expf(z))"),
    ),
    # The sign of the exponent is forgotten.
    Wrong(
        "eightyfive_silu_no_minus",
        "eightyfive_silu",
        "function | numbers / infinity / nan / sign of zero / swapped",
        ("expf(-z)", "expf(z)"),
    ),
    # The sigmoid is rounded to a half.
    Wrong(
        "eightyfive_silu_sigmoid_in_half",
        "eightyfive_silu",
        "rounding / precision | numbers / subnormal / sign of zero",
        ("z * sigmoid(z)", "z * __half2float(__float2half(sigmoid(z)))"),
    ),
    # The rest begins at the start again.
    Wrong(
        "eightyfive_silu_rest_from_0",
        "eightyfive_silu",
        "tail / unwritten / left out | nan / numbers / twice",
        ("x, y, 2 * pairs, n)", "x, y, 0, rest)"),
    ),
    # ---- tanh
    # Two exponentials are divided by one another.
    Wrong(
        "eightyfive_tanh_by_four_exponentials",
        "eightyfive_tanh",
        "infinity / nan / precision | numbers / sign of zero / subnormal / function",
        ("tanhf(v)", "(expf(v) - expf(-v)) / (expf(v) + expf(-v))"),
    ),
    # 1 less a fraction, which cancels near 0.
    Wrong(
        "eightyfive_tanh_less_than_1",
        "eightyfive_tanh",
        "precision | numbers / subnormal / sign of zero / rounding",
        ("tanhf(v)", "1.0f - 2.0f / (expf(2.0f * v) + 1.0f)"),
    ),
    # The tanh is that of half of the number.
    Wrong(
        "eightyfive_tanh_of_half",
        "eightyfive_tanh",
        "function | numbers / precision",
        ("tanhf(v)", "tanhf(0.5f * v)"),
    ),
    # The grid is that of the first call.
    Wrong(
        "eightyfive_tanh_first_grid",
        "eightyfive_tanh",
        "state / grid / unwritten | left out / tail / nan / numbers",
        ("  const int blocks", "  static const int blocks"),
    ),
    # The thread with index n stays.
    Wrong(
        "eightyfive_tanh_greater_only",
        "eightyfive_tanh",
        "bounds | tail",
        ("idx >= n", "idx > n"),
    ),
    # ---- sum
    # Nothing sets the output before the atomics.
    Wrong(
        "eightyfive_sum_not_set",
        "eightyfive_sum",
        "zero before / start / state | numbers / nan",
        ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # Of the warps' sums the first half is added.
    Wrong(
        "eightyfive_sum_half_the_warps",
        "eightyfive_sum",
        "left out | numbers / function",
        ("lane < THREADS / 32 ?", "lane < THREADS / 64 ?"),
    ),
    # The first warp reads before the others have stored.
    Wrong(
        "eightyfive_sum_no_barrier",
        "eightyfive_sum",
        "race | numbers / left out / unwritten / nan / state / start",
        ("perWarp[wid] = val;\n    __syncthreads();\n", "perWarp[wid] = val;\n"),
    ),
    # The shuffles begin with 8.
    Wrong(
        "eightyfive_sum_begins_with_8",
        "eightyfive_sum",
        "left out | numbers / function",
        ("offset = 16;", "offset = 8;"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightyfive_sum_no_atomic",
        "eightyfive_sum",
        "race | numbers / left out / state",
        ("atomicAdd(out, val)", "*out += val"),
    ),
    # ---- largest
    # The least positive number is the start.
    Wrong(
        "eightyfive_largest_from_flt_min",
        "eightyfive_largest",
        "start | numbers / infinity",
        ("float m = -INFINITY", "float m = FLT_MIN"),
    ),
    # The largest is that of the magnitudes.
    Wrong(
        "eightyfive_largest_of_magnitudes",
        "eightyfive_largest",
        "function | numbers / infinity",
        ("larger(m, x[i])", "larger(m, fabsf(x[i]))"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "eightyfive_largest_quarter_first",
        "eightyfive_largest",
        "left out | numbers / tail / start",
        ("half = T / 2;", "half = T / 4;"),
    ),
    # Who has no number in the last step does not let others have one.
    Wrong(
        "eightyfive_largest_whole_steps",
        "eightyfive_largest",
        "tail / left out | numbers / infinity / start / nan",
        ("for (int64_t i = t; i < n; i += T)", "for (int64_t i = t; i - t + T <= n; i += T)"),
    ),
    # What the output held takes part.
    Wrong(
        "eightyfive_largest_with_what_was",
        "eightyfive_largest",
        "zero before / state / start | nan / numbers / infinity",
        ("out[0] = s[0];", "out[0] = larger(out[0], s[0]);"),
    ),
    # ---- rows
    # All lanes write, and only the first has the sum.
    Wrong(
        "eightyfive_rows_all_lanes_write",
        "eightyfive_rows",
        "race / left out / other element / twice | numbers / function",
        ("  if (lane == 0) out", "  out"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "eightyfive_rows_rows_rounded_down",
        "eightyfive_rows",
        "tail / unwritten / grid | left out / nan / numbers",
        ("(rows + WARPS - 1) / WARPS", "rows / WARPS"),
    ),
    # Rows are as far apart as there are rows.
    Wrong(
        "eightyfive_rows_pitch_of_rows",
        "eightyfive_rows",
        "sides / other element | bounds / numbers / left out",
        ("(size_t)row * cols", "(size_t)row * rows"),
    ),
    # The sum is an integer.
    Wrong(
        "eightyfive_rows_integer_sum",
        "eightyfive_rows",
        "rounding / precision / whole range | numbers / nan / infinity",
        ("float sum = 0", "int sum = 0"),
    ),
    # A lane adds one number.
    Wrong(
        "eightyfive_rows_first_32",
        "eightyfive_rows",
        "left out | numbers / tail",
        (
            "for (int c = lane; c < cols; c += 32) sum += p[c];",
            "if (lane < cols) sum += p[lane];",
        ),
    ),
    # ---- turn
    # The output has the pitch of the input.
    Wrong(
        "eightyfive_turn_pitch_of_in",
        "eightyfive_turn",
        "sides | other element / bounds / unwritten / nan / numbers",
        ("[c * rows + r]", "[c * cols + r]"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "eightyfive_turn_no_barrier",
        "eightyfive_turn",
        "race | numbers / other element / unwritten / nan / state",
        ("    }\n    __syncthreads();\n", "    }\n"),
    ),
    # Tiles change places, and keep what is in them.
    Wrong(
        "eightyfive_turn_tile_as_it_is",
        "eightyfive_turn",
        "other element / sides | numbers / unwritten / nan",
        ("tile[threadIdx.x][j]", "tile[j][threadIdx.x]"),
    ),
    # The last tile of a row is left.
    Wrong(
        "eightyfive_turn_across_rounded_down",
        "eightyfive_turn",
        "tail / unwritten / grid | left out / nan / sides / numbers",
        ("cols / TILE + (cols % TILE != 0)", "cols / TILE"),
    ),
    # The second test takes the sides for one another.
    Wrong(
        "eightyfive_turn_tests_changed",
        "eightyfive_turn",
        "bounds / sides / unwritten | other element / nan / numbers / swapped / tail",
        ("c < cols && r < rows", "c < rows && r < cols"),
    ),
    # ---- flip
    # The sides of the grid are swapped.
    Wrong(
        "eightyfive_flip_grid_swapped",
        "eightyfive_flip",
        "grid / sides / unwritten | swapped / left out / nan / tail / numbers",
        (
            "grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y)",
            "grid((h + block.x - 1) / block.x, (w + block.y - 1) / block.y)",
        ),
    ),
    # Only who is beyond both sides leaves.
    Wrong(
        "eightyfive_flip_both_outside",
        "eightyfive_flip",
        "bounds | race / other element / tail / numbers / twice / sides",
        ("x >= w || y >= h", "x >= w && y >= h"),
    ),
    # The place in the output has 16 bits.
    Wrong(
        "eightyfive_flip_place_of_16_bits",
        "eightyfive_flip",
        "narrow | unwritten / other element / nan / race / numbers / left out / tail",
        ("int to =", "unsigned short to ="),
    ),
    # Each number stays where it was.
    Wrong(
        "eightyfive_flip_not_turned",
        "eightyfive_flip",
        "copy / other element / sides / function | numbers",
        ("t[to]", "t[from]"),
    ),
    # Columns are counted as if blocks had 32.
    Wrong(
        "eightyfive_flip_blocks_of_32",
        "eightyfive_flip",
        "block size / unwritten / left out | nan / numbers / grid / sides / tail",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 32"),
    ),
    # ---- matmul
    # What is left of k after whole tiles is not added.
    Wrong(
        "eightyfive_matmul_whole_tiles",
        "eightyfive_matmul",
        "tail / left out | numbers / nan / function / infinity",
        ("k0 < k; k0 += T", "k0 + T <= k; k0 += T"),
    ),
    # The next tile is stored while others read.
    Wrong(
        "eightyfive_matmul_no_second_barrier",
        "eightyfive_matmul",
        "race | numbers / other element / nan / state / left out / infinity",
        ("Bs[q][tx];\n        __syncthreads();\n", "Bs[q][tx];\n"),
    ),
    # B is read with the pitch of A.
    Wrong(
        "eightyfive_matmul_pitch_of_k",
        "eightyfive_matmul",
        "sides | bounds / other element / numbers / nan",
        ("kb * n + col", "kb * k + col"),
    ),
    # Rows of B beyond k are read.
    Wrong(
        "eightyfive_matmul_b_not_tested",
        "eightyfive_matmul",
        "bounds | tail / nan / numbers",
        ("(kb < k && col < n)", "(col < n)"),
    ),
    # Products follow one another instead of being added.
    Wrong(
        "eightyfive_matmul_last_product",
        "eightyfive_matmul",
        "left out / function | numbers / nan / infinity",
        ("acc += As", "acc = As"),
    ),
    # ---- softmax
    # The maximum begins with 0.
    Wrong(
        "eightyfive_softmax_starts_at_0",
        "eightyfive_softmax",
        "start / nan / infinity | numbers / precision / subnormal",
        ("float top = -INFINITY", "float top = 0.0f"),
    ),
    # The exponentials are those of the numbers themselves.
    Wrong(
        "eightyfive_softmax_nothing_taken_off",
        "eightyfive_softmax",
        "infinity / nan | numbers / precision / subnormal / function",
        ("sum += expf(in[c] - top)", "sum += expf(in[c])"),
        ("out[c] = expf(in[c] - top)", "out[c] = expf(in[c])"),
    ),
    # The exponentials are stored in the input.
    Wrong(
        "eightyfive_softmax_exponentials_in_x",
        "eightyfive_softmax",
        "input | state / numbers",
        ("softmax(const float* x,", "softmax(float* x,"),
        ("  const float* in", "  float* in"),
        ("sum += expf(in[c] - top)", "sum += in[c] = expf(in[c] - top)"),
        ("out[c] = expf(in[c] - top) / sum", "out[c] = in[c] / sum"),
        ("stream>>>(x, y", "stream>>>((float*)x, y"),
    ),
    # A thread writes one column.
    Wrong(
        "eightyfive_softmax_first_columns",
        "eightyfive_softmax",
        "unwritten / left out | nan / tail / numbers",
        (
            "for (int64_t c = tid; c < cols; c += kThreads) out[c]",
            "if (int64_t c = tid; c < cols) out[c]",
        ),
    ),
    # The grid has at most 65,535 blocks.
    Wrong(
        "eightyfive_softmax_limit_of_blocks",
        "eightyfive_softmax",
        "grid / unwritten | left out / tail / nan / numbers / narrow",
        ("const int64_t blocks = rows;", "const int64_t blocks = rows < 65535 ? rows : 65535;"),
    ),
)

RIGHT = (
    # The size has 64 bits.
    Right(
        "eightyfive_add_long_size",
        "eightyfive_add",
        (
            "float* c, int n, bool wide) {\n  unsigned base = 4 * (blockIdx.x",
            "float* c, int64_t n, bool wide) {\n  int64_t base = 4 * ((int64_t)blockIdx.x",
        ),
        ("for (unsigned i", "for (int64_t i"),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        ("int threads", "int64_t threads"),
        ("int blocks", "int64_t blocks"),
    ),
    # There are always 120 blocks.
    Right(
        "eightyfive_times_idle_blocks",
        "eightyfive_times",
        (
            "    int blocks = (n - 1) / block_size + 1;\n"
            "    if (blocks > MOST_BLOCKS)\n"
            "        blocks = MOST_BLOCKS;\n",
            "",
        ),
        ("<<<blocks,", "<<<MOST_BLOCKS,"),
    ),
    # Each is rounded by itself.
    Right(
        "eightyfive_narrow_one_by_one",
        "eightyfive_narrow",
        ("__floats2half2_rn(u, v)", "__halves2half2(__float2half(u), __float2half(v))"),
    ),
    # There may be an idle block, and the conversion is a plain one.
    Right(
        "eightyfive_real_a_block_more",
        "eightyfive_real",
        ("__int2float_rn(in[i])", "(float)in[i]"),
        ("n / share + (n % share > 0 ? 1 : 0)", "n / share + 1"),
    ),
    # What is greater or NaN stays.
    Right(
        "eightyfive_relu_greater_or_nan",
        "eightyfive_relu",
        ("v < 0.0f ? 0.0f : v", "v > 0.0f || isnan(v) ? v : 0.0f"),
    ),
    # The exponential is a power of 2.
    Right(
        "eightyfive_silu_power_of_2",
        "eightyfive_silu",
        ("expf(-z)", "exp2f(-1.44269504f * z)"),
    ),
    # The exponential less 1 keeps what is near 0.
    Right(
        "eightyfive_tanh_by_expm1",
        "eightyfive_tanh",
        (
            "  y[idx] = tanhf(v);",
            "  const float e = expm1f(-2.0f * fabsf(v));\n"
            "  y[idx] = copysignf(-e / (e + 2.0f), v);",
        ),
    ),
    # Blocks have 128 threads, and there may be 200 of them.
    Right(
        "eightyfive_sum_blocks_of_128",
        "eightyfive_sum",
        ("THREADS = 256", "THREADS = 128"),
        ("if (blocks > 64) blocks = 64;", "if (blocks > 200) blocks = 200;"),
    ),
    # The block is as large as it may be, and the larger is asked otherwise.
    Right(
        "eightyfive_largest_tree_of_1024",
        "eightyfive_largest",
        ("T = 512", "T = 1024"),
        ("a > b || isnan(a) ? a : b", "isnan(b) || a <= b ? b : a"),
    ),
    # Shuffles go across, and the last lane writes.
    Right(
        "eightyfive_rows_across",
        "eightyfive_rows",
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("lane == 0", "lane == 31"),
    ),
    # A block has 512 threads.
    Right(
        "eightyfive_turn_sixteen_at_once",
        "eightyfive_turn",
        ("STEP = 8", "STEP = 16"),
    ),
    # Blocks are 64 by 4.
    Right(
        "eightyfive_flip_flat_blocks",
        "eightyfive_flip",
        ("block(16, 16)", "block(64, 4)"),
    ),
    # The sides come in another order.
    Right(
        "eightyfive_matmul_sides_turned",
        "eightyfive_matmul",
        (
            "                       int64_t m, int64_t n, int64_t k, cudaStream_t",
            "                       int64_t k, int64_t m, int64_t n, cudaStream_t",
        ),
    ),
    # A block has 256 threads, and the sum becomes a factor.
    Right(
        "eightyfive_softmax_factor_and_256",
        "eightyfive_softmax",
        ("kThreads = 128", "kThreads = 256"),
        ("sum = buf[0];", "sum = 1.0f / buf[0];"),
        ("- top) / sum", "- top) * sum"),
    ),
)
