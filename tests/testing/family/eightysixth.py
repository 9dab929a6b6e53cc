"""Hold an eighty-sixth family: the plain operators of a course, and their plain mistakes.

Its bases are the sum of two arrays of halves, leaky relu, doubles to floats, floats to bytes,
GELU with erf, the sigmoid of halves, the mean of an array, its smallest, the sums of columns,
layer norm, a transpose of integers, one of floats, a matrix product and softmax. They have 12
to 45 lines, as people write them in their first half year. They use half2 whose last number the
same thread takes, float4 in a loop over the grid where both addresses allow it, a number a
thread, rounding and limits in a loop over the grid, two neighbours a thread, a tree with an
atomic for each block, parts with a second launch, a column a thread, a warp a row with
shuffles, an element a thread, a tile of 32 by 32 x 8 threads, and an element of a product a
thread. Their mistakes are spread over alignment, sizes, grids, integers of 16 bits, values,
rounding, NaN, infinity, the sign of zero, inputs that are written, outputs that are not set,
sums, transposes, products, order, streams and what is left of an earlier call. The causes were
written before a member was judged. Five bases take cases of `kernel_cases`, three those of
elementwise operators, one these and slices of its own, and five their own. 70 members are
wrong, 14 right. On the emulator each ran beside PyTorch, compared as a case does, called twice
on the same tensors, with NaN and with 1e3 in floating outputs (-1, 77 and 7 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases, of those past 2^31 what a second allows; wrong ones ran until they were wrong often
enough. Only the one that lacks an atomic was never wrong there, as blocks take turns: it is by
reasoning. nvcc 13.0 compiles each base and each right one for 8.0; none was run on a GPU. Bases
and right ones are right, and all others wrong or refused:

    eightysix_pairs_odd_forgotten         of odd counts
    eightysix_pairs_c_anywhere            from 2 numbers on, by the address of c
    eightysix_pairs_last_with_a_stranger  of odd counts: beyond the end
    eightysix_pairs_no_stream             on another stream than the default one
    eightysix_pairs_a_twice               of nearly all, from 2 numbers on
    eightysix_leak_only_in_tested         from 4 numbers on, by the address of out alone
    eightysix_leak_max_and_min            of NaN
    eightysix_leak_packs_rounded_up       unless 4 divides n, where packs are taken
    eightysix_leak_a_tenth                of nearly all below 0
    eightysix_leak_z_again                from 4 numbers on, where packs are taken
    eightysix_narrow_toward_0             of about half of all doubles
    eightysix_narrow_no_infinity          beyond the largest float
    eightysix_narrow_one_too_many         unless the block size divides n
    eightysix_narrow_count_of_16_bits     from 65,536 numbers on
    eightysix_narrow_always_256           of other block sizes, from a second block on
    eightysix_shade_cut_off               of about half of all fractions
    eightysix_shade_no_upper_limit        from 256 on
    eightysix_shade_nan_is_white          of NaN
    eightysix_shade_ties_away             of every other tie
    eightysix_shade_no_last               of all counts
    eightysix_bell_by_tanh                of usual numbers, by up to 0.0005
    eightysix_bell_no_root_of_2           of nearly all
    eightysix_bell_blocks_rounded_down    unless the block size divides n
    eightysix_bell_in_place               of nearly all: x is overwritten
    eightysix_bell_blocks_for_threads     from a second block on
    eightysix_chance_of_large_ones        above 88
    eightysix_chance_other_sign           of nearly all
    eightysix_chance_blocks_kept          from a second call on that has more blocks
    eightysix_chance_threads_of_one       where two blocks are needed
    eightysix_chance_second_not_tested    of odd counts: beyond the end
    eightysix_average_not_set             of all that held another number
    eightysix_average_no_atomic           from a second block on, where blocks run at once
    eightysix_average_tree_starts_low     from 129 numbers on
    eightysix_average_no_barrier_in_tree  where threads do not wait for another
    eightysix_average_of_whole_numbers    unless n divides the sum of each block
    eightysix_least_starts_at_0           if all are above 0
    eightysix_least_second_no_stream      on another stream than the default one
    eightysix_least_half_the_warps        from 129 numbers on, if it is in another warp
    eightysix_least_no_barrier            where warps do not wait for another
    eightysix_least_of_all_calls          if all are above 0, or above those of an earlier call
    eightysix_columns_pitch_of_rows       unless the matrix is square
    eightysix_columns_from_second_row     unless it is 0
    eightysix_columns_whole_total         of fractions, NaN and infinity
    eightysix_columns_added_to            of all that held another number
    eightysix_columns_blocks_for_rows     from 65 columns on, if the rows are fewer blocks
    eightysix_level_shuffles_down         from 2 columns on
    eightysix_level_of_a_sample           of nearly all
    eightysix_level_squares_less_square   of rows with a mean far from 0
    eightysix_level_rows_not_tested       unless 4 divides the rows
    eightysix_level_no_eps                of rows of equal or small numbers
    eightysix_flip_pitch_of_in            unless the matrix is square
    eightysix_flip_grid_swapped           unless the blocks are as many each way
    eightysix_flip_through_float          beyond 24 bits
    eightysix_flip_or_for_and             unless 16 divides both sides
    eightysix_flip_place_of_16_bits       from 65,537 elements on
    eightysix_tiles_no_barrier            where threads do not wait for another
    eightysix_tiles_not_turned            of nearly all
    eightysix_tiles_every_other_step      from 9 columns on
    eightysix_tiles_test_of_way_in        of sides that 32 does not divide
    eightysix_tiles_corner_of_way_in      from a second tile on, unless it lies on the diagonal
    eightysix_product_b_turned            unless k or n is 1, or B symmetric
    eightysix_product_last_k              of nearly all
    eightysix_product_into_c              of all that held another number
    eightysix_product_operands_swapped    of nearly all
    eightysix_product_zeros_skipped       of 0 times NaN or infinity
    eightysix_shares_starts_at_0          of rows that are far below 0
    eightysix_shares_not_lowered          of rows far from 0
    eightysix_shares_four_steps           from 2 columns on
    eightysix_shares_one_column_a_lane    from 33 columns on
    eightysix_shares_no_stream            on another stream than the default one
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Halves and halves, two a thread, and the last one alone.
PAIRS = (
    HEADER
    + """\
__global__ void addHalves(const half *a, const half *b, half *c, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        half2 u = *(const half2 *)(a + i);
        half2 v = *(const half2 *)(b + i);
        *(half2 *)(c + i) = __hadd2(u, v);
    } else if (i < n) {
        c[i] = __hadd(a[i], b[i]);
    }
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       half *c,        // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    int blocks = (threads + block_size - 1) / block_size;
    addHalves<<<blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# Leaky relu, float4 where both addresses allow it, in a loop over the grid.
LEAK = (
    HEADER
    + """\
constexpr float kSlope = 0.01f;

__device__ __forceinline__ float leak(float v) { return v > 0.0f ? v : kSlope * v; }

__global__ void leaky_relu(const float* __restrict__ in, float* __restrict__ out, int packs,
                           int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  for (int p = t; p < packs; p += threads) {
    float4 v = reinterpret_cast<const float4*>(in)[p];
    v.x = leak(v.x);
    v.y = leak(v.y);
    v.z = leak(v.z);
    v.w = leak(v.w);
    reinterpret_cast<float4*>(out)[p] = v;
  }
  for (int i = 4 * packs + t; i < n; i += threads) out[i] = leak(in[i]);
}

static bool is_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  const int packs = is_aligned(in) && is_aligned(out) ? n / 4 : 0;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 512) blocks = 512;
  leaky_relu<<<blocks, block_size, 0, stream>>>(in, out, packs, n);
}
"""
)

# Doubles become floats, one a thread.
NARROW = (
    HEADER
    + """\
__global__ void toFloat(const double* src, float* dst, unsigned int n)
{
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n)
  {
    double d = src[idx];
    dst[idx] = __double2float_rn(d);
  }
}

extern "C" void launch(const double* src,  // [n]
                       float* dst,         // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
  int numBlocks = (n + block_size - 1) / block_size;
  toFloat<<<numBlocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Floats become bytes: rounded, with limits, and NaN is 0.
SHADE = (
    HEADER
    + """\
static const int TPB = 128;

__device__ uint8_t to_u8(float f)
{
	float r = rintf(f);
	if (!(r > 0.0f))
		return 0;  // NaN, too
	if (r > 255.0f)
		return 255;
	return (uint8_t)r;
}

__global__ void cast_u8(const float *f, uint8_t *u, int n)
{
	int step = gridDim.x * TPB;
	for (int i = blockIdx.x * TPB + threadIdx.x; i < n; i += step)
		u[i] = to_u8(f[i]);
}

extern "C" void launch(const float *f,  // [n]
                       uint8_t *u,      // [n]
                       int n, cudaStream_t stream = 0)
{
	int nb = (n + TPB - 1) / TPB;
	cast_u8<<<nb < 40 ? nb : 40, TPB, 0, stream>>>(f, u, n);
}
"""
)

# GELU with erf, one number a thread.
BELL = (
    HEADER
    + """\
__device__ float gelu(float x)
{
    const float inv_sqrt2 = 0.70710678118f;
    return 0.5f * x * (1.0f + erff(x * inv_sqrt2));
}

__global__ void gelu_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    y[i] = gelu(v);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int grid = (n + block_size - 1) / block_size;
    gelu_kernel<<<grid, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sigmoid of halves, computed as floats, two neighbours a thread.
CHANCE = (
    HEADER
    + """\
__device__ half sigmoid(half h) {
  float v = __half2float(h);
  return __float2half(1.0f / (1.0f + expf(-v)));
}

__global__ void sigmoid_kernel(const half* x, half* y, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (first < n) y[first] = sigmoid(x[first]);
  if (first + 1 < n) y[first + 1] = sigmoid(x[first + 1]);
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int per_block = 2 * block_size;
  int blocks = (n + per_block - 1) / per_block;
  sigmoid_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The mean: a tree in each block, and an atomic for each block.
AVERAGE = (
    HEADER
    + """\
#define THREADS 256

__global__ void mean_kernel(const float* x, float* mean, int n)
{
    __shared__ float s[THREADS];
    int tid = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        sum += x[i];
    s[tid] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2)
    {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(mean, s[0] / n);
}

extern "C" void launch(const float* x,  // [n]
                       float* mean,     // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 32)
        blocks = 32;
    cudaMemsetAsync(mean, 0, sizeof(float), stream);
    mean_kernel<<<blocks, THREADS, 0, stream>>>(x, mean, n);
}
"""
)

# The smallest: a part a block, and a second launch for the parts.
LEAST = (
    HEADER
    + """\
#define BLOCKS 64
#define WARPS 8

__device__ float parts[BLOCKS];

__device__ float lower(float a, float b) { return (b < a || isnan(b)) ? b : a; }

__device__ float block_min(float v) {
  __shared__ float w[WARPS];
  for (int d = 16; d > 0; d >>= 1) v = lower(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  float m = w[0];
  for (int k = 1; k < WARPS; ++k) m = lower(m, w[k]);
  return m;
}

__global__ void min_parts(const float* x, int64_t n) {
  float v = INFINITY;
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += (int64_t)BLOCKS * blockDim.x) v = lower(v, x[i]);
  float m = block_min(v);
  if (threadIdx.x == 0) parts[blockIdx.x] = m;
}

__global__ void min_of_parts(float* out) {
  float m = block_min(threadIdx.x < BLOCKS ? parts[threadIdx.x] : INFINITY);
  if (threadIdx.x == 0) out[0] = m;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  min_parts<<<BLOCKS, 32 * WARPS, 0, stream>>>(x, n);
  min_of_parts<<<1, 32 * WARPS, 0, stream>>>(out);
}
"""
)

# The sum of each column, one thread a column.
COLUMNS = (
    HEADER
    + """\
__global__ void column_sums(const float *m, float *sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float total = 0;
        for (int r = 0; r < rows; r++)
            total += m[(size_t)r * cols + c];
        sums[c] = total;
    }
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *sums,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    const int threads = 64;
    int blocks = (cols + threads - 1) / threads;
    column_sums<<<blocks, threads, 0, stream>>>(m, sums, rows, cols);
}
"""
)

# Layer norm, a warp a row, without gains.
LEVEL = (
    HEADER
    + """\
__device__ float warpSum(float v) {
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

__global__ void layerNorm(const float* x, float* y, int64_t rows, int64_t cols) {
    int lane = threadIdx.x % 32;
    int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const float* in = x + row * cols;
    float* out = y + row * cols;

    float sum = 0.0f;
    for (int64_t c = lane; c < cols; c += 32) sum += in[c];
    float mean = warpSum(sum) / cols;

    float sq = 0.0f;
    for (int64_t c = lane; c < cols; c += 32) {
        float d = in[c] - mean;
        sq += d * d;
    }
    float var = warpSum(sq) / cols;
    float scale = 1.0f / sqrtf(var + 1e-5f);

    for (int64_t c = lane; c < cols; c += 32) out[c] = (in[c] - mean) * scale;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    int64_t blocks = (rows + 3) / 4;
    layerNorm<<<(unsigned)blocks, 128, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Integers change rows and columns, one element a thread.
FLIP = (
    HEADER
    + """\
__global__ void transpose(const int* in, int* out, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int v = in[y * width + x];
    out[x * height + y] = v;
  }
}

extern "C" void launch(const int* in,  // [height, width]
                       int* out,       // [width, height]
                       int height, int width, cudaStream_t stream = 0) {
  dim3 block(16, 16);
  dim3 grid((width + 15) / 16, (height + 15) / 16);
  transpose<<<grid, block, 0, stream>>>(in, out, height, width);
}
"""
)

# A tile of 32 x 32 floats by 32 x 8 threads, all tiles in one row of blocks.
TILES = (
    HEADER
    + """\
#define DIM 32
#define STEP 8

__global__ void transposeTile(const float *src, float *dst, int64_t rows, int64_t cols,
                              int64_t across)
{
    __shared__ float tile[DIM][DIM + 1];
    int64_t r0 = blockIdx.x / across * DIM;
    int64_t c0 = blockIdx.x % across * DIM;
    int tx = threadIdx.x, ty = threadIdx.y;

    for (int j = ty; j < DIM; j += STEP)
        if (r0 + j < rows && c0 + tx < cols)
            tile[j][tx] = src[(r0 + j) * cols + c0 + tx];

    __syncthreads();

    for (int k = ty; k < DIM; k += STEP)
        if (c0 + k < cols && r0 + tx < rows)
            dst[(c0 + k) * rows + r0 + tx] = tile[tx][k];
}

extern "C" void launch(const float *src,  // [rows, cols]
                       float *dst,        // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    int64_t across = (cols + DIM - 1) / DIM;
    int64_t down = (rows + DIM - 1) / DIM;
    transposeTile<<<(unsigned)(across * down), dim3(DIM, STEP), 0, stream>>>(src, dst, rows,
                                                                             cols, across);
}
"""
)

# A matrix product, one element of the result a thread.
PRODUCT = (
    HEADER
    + """\
__global__ void multiply(const float* A, const float* B, float* C, int64_t M, int64_t N,
                         int64_t K)
{
    int64_t id = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= M * N)
        return;
    int64_t i = id / N;
    int64_t j = id % N;
    float acc = 0.0f;
    for (int64_t k = 0; k < K; ++k)
        acc += A[i * K + k] * B[k * N + j];
    C[id] = acc;
}

extern "C" void launch(const float* A,  // [M, K]
                       const float* B,  // [K, N]
                       float* C,        // [M, N]
                       int64_t M, int64_t N, int64_t K, cudaStream_t stream = 0)
{
    int64_t blocks = (M * N + 255) / 256;
    multiply<<<(unsigned)blocks, 256, 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# Softmax, a warp a row: the largest, the sum, the quotient.
SHARES = (
    HEADER
    + """\
#define FULL 0xffffffffu

__global__ void softmax_rows(const float* x, float* p, int64_t rows, int64_t cols) {
  const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  x += row * cols;
  p += row * cols;

  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += 32) top = fmaxf(top, x[c]);
  for (int s = 16; s >= 1; s /= 2) top = fmaxf(top, __shfl_xor_sync(FULL, top, s));

  float total = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32) total += expf(x[c] - top);
  for (int m = 16; m >= 1; m /= 2) total += __shfl_xor_sync(FULL, total, m);

  for (int64_t c = threadIdx.x; c < cols; c += 32)
    p[c] = expf(x[c] - top) / total;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* p,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  dim3 block(32, 8);
  unsigned blocks = (unsigned)((rows + 7) / 8);
  softmax_rows<<<blocks, block, 0, stream>>>(x, p, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (511, 512, 513, 1000, 1023, 1024, 1025, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((16, 16), (17, 15), (31, 33), (64, 64), (65, 63), (1, 129), (129, 1), (100, 257))
FLOAT = (torch.float32,)
SLOPE = float(torch.tensor(0.01))


def leaks(x: torch.Tensor) -> torch.Tensor:
    """Return x, times the slope below 0."""
    return torch.where(x > 0, x, x * SLOPE)


def leaking(launcher: Launcher) -> Iterator[Case]:
    """Leak what elementwise operators are given, and slices that start at other places."""
    make = ElementwiseMaker.of(launcher, leaks)
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 257, 1000, 4099):
        for offset in ((4, 1), (1, 4), (4, 8), (8, 2), (2, 2)):
            yield make.shifted(n, 7, offset)


def sigmoids(x: torch.Tensor) -> torch.Tensor:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + torch.exp(-x))


def shades(launcher: Launcher) -> Iterator[Case]:
    """Cast: any, between two, at the ends, large, infinities, zeros, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1300, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 4.0),
            ("between two", x % 255 + 0.5),
            ("at the ends", torch.where(j % 2 == 0, 252.0, -3.0) + x % 7),
            ("large", x * 1e6),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 4)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 4)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(0, 255)
            options = {"dtypes": (torch.uint8,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def bells(launcher: Launcher) -> Iterator[Case]:
    """Take the GELU: usual, small, large, far below 0, infinity, zeros, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x.abs() * 64),
            ("far below 0", -x.abs() * 16),
            ("infinity", torch.where(j % 3 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            right = 0.5 * v * (1 + torch.erf(v / 2**0.5))
            slack = 2.0**-20 * right.abs() + 2.0**-21 * v.abs()
            slack = (slack.nan_to_num(0.0, 0.0),)
            for block_size in (256, 128, 96) if n < 5000 else (256,):
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def averages(launcher: Launcher) -> Iterator[Case]:
    """Take the mean: any, alike, negative, fractions, zeros, the last alone, infinity, NaN."""
    for n in (*LENGTHS, 8_192, 9_001, 20_003, 100_000):
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("alike", x * 0 + 3),
            ("negative", -x.abs() - 1),
            ("fractions", x.abs() / 64 + 0.25),
            ("zeros", x * 0),
            ("the last alone", torch.where(j == n - 1, 1000.0, 0.0)),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
        ):
            y = y.float()
            right = y.double().mean().reshape(1)
            slack = (2.0**-18 * y.double().abs().mean().reshape(1)).nan_to_num(0.0, 0.0)
            options = {"dtypes": FLOAT, "within": (slack,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add numbers whose sums are exact: any, ones, fractions, zeros, one row alone, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (2_001, 3), (513, 70), (70, 513)):
        n = rows * cols
        x = whole(-99, 100, n, n).reshape(rows, cols).double()
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("fractions", x / 16),
            ("negative", -x.abs() - 1),
            ("zeros", x * 0),
            ("the first row alone", torch.where(r == 0, 5.0, 0.0 * x)),
            ("the last row alone", torch.where(r == rows - 1, 7.0, 0.0 * x)),
            ("infinity", torch.where((r == 0) & (c == cols // 2), INF, x)),
            ("NaN", torch.where((r == rows - 1) & (c == cols - 1), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(0),), dtypes=FLOAT)


def flips(launcher: Launcher) -> Iterator[Case]:
    """Transpose integers: any, small, places, the least of all."""
    sides = (*SIDES, (31, 200), (200, 31), (300, 1), (1, 300), (300, 301), (2, 40_001))
    for height, width in (*sides, (40_001, 2), *((k, 37 - k) for k in range(1, 37))):
        n = height * width
        x = whole(-(2**31), 2**31, n, n).reshape(height, width)
        for label, y in (
            ("any", x),
            ("small", x % 100),
            ("places", torch.arange(n).reshape(height, width)),
            ("the least of all", x * 0 - 2**31),
        ):
            words = f"height = {height:,}, width = {width:,}, {label}"
            yield Case(words, (y.int(),), (y.T.contiguous(),), dtypes=(torch.int32,))


BASES = {
    "eightysix_pairs": Base(PAIRS, {"reference": "add"}),
    "eightysix_leak": Base(LEAK, {"cases": leaking}),
    "eightysix_narrow": Base(NARROW, {"reference": "cast"}),
    "eightysix_shade": Base(SHADE, {"cases": shades}),
    "eightysix_bell": Base(BELL, {"cases": bells}),
    "eightysix_chance": Base(CHANCE, {"reference": sigmoids, "ulp": 1}),
    "eightysix_average": Base(AVERAGE, {"cases": averages}),
    "eightysix_least": Base(LEAST, cases="whole_array", function=torch.min),
    "eightysix_columns": Base(COLUMNS, {"cases": columns}),
    "eightysix_level": Base(LEVEL, cases="layer_norm"),
    "eightysix_flip": Base(FLIP, {"cases": flips}),
    "eightysix_tiles": Base(TILES, cases="transpose"),
    "eightysix_product": Base(PRODUCT, cases="matmul"),
    "eightysix_shares": Base(SHARES, cases="softmax"),
}

WRONG = (
    # ---- pairs
    # Nobody takes the last of an odd number.
    Wrong(
        "eightysix_pairs_odd_forgotten",
        "eightysix_pairs",
        "tail / unwritten / left out | nan / numbers",
        (
            " else if (i < n) {\n        c[i] = __hadd(a[i], b[i]);\n    }\n",
            "\n",
        ),
    ),
    # The result may lie anywhere.
    Wrong(
        "eightysix_pairs_c_anywhere",
        "eightysix_pairs",
        "alignment",
        (
            "half *c,        // [n] 4-byte aligned",
            "half *c,        // [n]",
        ),
    ),
    # The last of an odd number is taken with what follows.
    Wrong(
        "eightysix_pairs_last_with_a_stranger",
        "eightysix_pairs",
        "bounds / tail",
        (
            "if (i + 1 < n) {",
            "if (i < n) {",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightysix_pairs_no_stream",
        "eightysix_pairs",
        "stream",
        (
            "<<<blocks, block_size, 0, stream>>>",
            "<<<blocks, block_size>>>",
        ),
    ),
    # The second operand of a pair is the first one.
    Wrong(
        "eightysix_pairs_a_twice",
        "eightysix_pairs",
        "left out / swapped / twice / other element / function | numbers",
        (
            "half2 v = *(const half2 *)(b + i);",
            "half2 v = *(const half2 *)(a + i);",
        ),
    ),
    # ---- leak
    # One of two addresses is tested.
    Wrong(
        "eightysix_leak_only_in_tested",
        "eightysix_leak",
        "alignment",
        (
            "is_aligned(in) && is_aligned(out)",
            "is_aligned(in)",
        ),
    ),
    # Maximum and minimum lose NaN.
    Wrong(
        "eightysix_leak_max_and_min",
        "eightysix_leak",
        "nan | sign of zero",
        (
            "return v > 0.0f ? v : kSlope * v;",
            "return fmaxf(v, 0.0f) + kSlope * fminf(v, 0.0f);",
        ),
    ),
    # The number of packs is rounded up.
    Wrong(
        "eightysix_leak_packs_rounded_up",
        "eightysix_leak",
        "bounds / tail",
        (
            "? n / 4 : 0",
            "? (n + 3) / 4 : 0",
        ),
    ),
    # The slope is ten times as large.
    Wrong(
        "eightysix_leak_a_tenth",
        "eightysix_leak",
        "function | numbers / subnormal",
        (
            "kSlope = 0.01f",
            "kSlope = 0.1f",
        ),
    ),
    # The last of a pack is the third one.
    Wrong(
        "eightysix_leak_z_again",
        "eightysix_leak",
        "neighbour / other element / twice / left out | numbers / nan",
        (
            "v.w = leak(v.w);",
            "v.w = leak(v.z);",
        ),
    ),
    # ---- narrow
    # What does not fit is cut off.
    Wrong(
        "eightysix_narrow_toward_0",
        "eightysix_narrow",
        "rounding | numbers / infinity / subnormal",
        (
            "__double2float_rn(d)",
            "__double2float_rz(d)",
        ),
    ),
    # Infinity becomes the largest number.
    Wrong(
        "eightysix_narrow_no_infinity",
        "eightysix_narrow",
        "infinity | numbers",
        (
            "double d = src[idx];",
            "double d = src[idx];\n"
            "    if (d > FLT_MAX) d = FLT_MAX;\n"
            "    if (d < -FLT_MAX) d = -FLT_MAX;",
        ),
    ),
    # One too many is allowed.
    Wrong(
        "eightysix_narrow_one_too_many",
        "eightysix_narrow",
        "bounds / tail",
        (
            "if (idx < n)",
            "if (idx <= n)",
        ),
    ),
    # The count has 16 bits.
    Wrong(
        "eightysix_narrow_count_of_16_bits",
        "eightysix_narrow",
        "narrow | tail / unwritten / left out / nan / grid",
        (
            "float* dst, unsigned int n)",
            "float* dst, unsigned short n)",
        ),
    ),
    # The block size is a number.
    Wrong(
        "eightysix_narrow_always_256",
        "eightysix_narrow",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        (
            "blockIdx.x * blockDim.x",
            "blockIdx.x * 256",
        ),
    ),
    # ---- shade
    # What follows the point is cut off.
    Wrong(
        "eightysix_shade_cut_off",
        "eightysix_shade",
        "rounding | numbers",
        (
            "float r = rintf(f);",
            "float r = f;",
        ),
    ),
    # The upper limit is missing.
    Wrong(
        "eightysix_shade_no_upper_limit",
        "eightysix_shade",
        "whole range / infinity | numbers",
        (
            "\tif (r > 255.0f)\n\t\treturn 255;\n\treturn (uint8_t)r;",
            "\treturn (uint8_t)(int)r;",
        ),
    ),
    # NaN is no less than 0, and none above 255.
    Wrong(
        "eightysix_shade_nan_is_white",
        "eightysix_shade",
        "nan",
        (
            "if (!(r > 0.0f))\n\t\treturn 0;  // NaN, too\n\tif (r > 255.0f)\n\t\treturn 255;",
            "if (r < 0.0f)\n\t\treturn 0;\n\tif (!(r <= 255.0f))\n\t\treturn 255;",
        ),
    ),
    # Ties go away from 0.
    Wrong(
        "eightysix_shade_ties_away",
        "eightysix_shade",
        "rounding | numbers",
        (
            "rintf(f)",
            "roundf(f)",
        ),
    ),
    # The last is left out.
    Wrong(
        "eightysix_shade_no_last",
        "eightysix_shade",
        "tail / unwritten / left out",
        (
            "threadIdx.x; i < n;",
            "threadIdx.x; i < n - 1;",
        ),
    ),
    # ---- bell
    # It is the approximation with tanh.
    Wrong(
        "eightysix_bell_by_tanh",
        "eightysix_bell",
        "function / precision | numbers",
        (
            "0.5f * x * (1.0f + erff(x * inv_sqrt2))",
            "0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))",
        ),
    ),
    # The argument of erf is not divided.
    Wrong(
        "eightysix_bell_no_root_of_2",
        "eightysix_bell",
        "function | numbers",
        (
            "erff(x * inv_sqrt2)",
            "erff(x)",
        ),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "eightysix_bell_blocks_rounded_down",
        "eightysix_bell",
        "grid / tail / unwritten / left out | refused / nan",
        (
            "int grid = (n + block_size - 1) / block_size;",
            "int grid = n / block_size;",
        ),
    ),
    # The result is kept in x as well.
    Wrong(
        "eightysix_bell_in_place",
        "eightysix_bell",
        "input | state / numbers",
        (
            "gelu_kernel(const float *x,",
            "gelu_kernel(float *x,",
        ),
        (
            "    y[i] = gelu(v);",
            "    x[i] = gelu(v);\n    y[i] = x[i];",
        ),
        (
            "stream>>>(x, y, n)",
            "stream>>>((float *)x, y, n)",
        ),
    ),
    # Blocks begin as far apart as there are blocks.
    Wrong(
        "eightysix_bell_blocks_for_threads",
        "eightysix_bell",
        "unwritten / left out / block size | tail / nan / twice / other element / bounds",
        (
            "blockIdx.x * blockDim.x + threadIdx.x",
            "blockIdx.x * gridDim.x + threadIdx.x",
        ),
    ),
    # ---- chance
    # Above 88 the exponential is infinite, and the quotient NaN.
    Wrong(
        "eightysix_chance_of_large_ones",
        "eightysix_chance",
        "infinity / nan | numbers / function",
        (
            "return __float2half(1.0f / (1.0f + expf(-v)));",
            "float e = expf(v);\n  return __float2half(e / (1.0f + e));",
        ),
    ),
    # The sign is missing.
    Wrong(
        "eightysix_chance_other_sign",
        "eightysix_chance",
        "function | numbers / infinity / sign of zero",
        (
            "expf(-v)",
            "expf(v)",
        ),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "eightysix_chance_blocks_kept",
        "eightysix_chance",
        "state / grid | unwritten / tail / nan / left out",
        (
            "  int blocks = (n",
            "  static int blocks = (n",
        ),
    ),
    # The count is halved a second time.
    Wrong(
        "eightysix_chance_threads_of_one",
        "eightysix_chance",
        "unwritten / left out / grid / tail | nan",
        (
            "int blocks = (n + per_block - 1) / per_block;",
            "int blocks = ((n + 1) / 2 + per_block - 1) / per_block;",
        ),
    ),
    # The second of two is not tested.
    Wrong(
        "eightysix_chance_second_not_tested",
        "eightysix_chance",
        "bounds / tail",
        (
            "  if (first < n) y[first] = sigmoid(x[first]);\n"
            "  if (first + 1 < n) y[first + 1] = sigmoid(x[first + 1]);",
            "  if (first < n) {\n"
            "    y[first] = sigmoid(x[first]);\n"
            "    y[first + 1] = sigmoid(x[first + 1]);\n"
            "  }",
        ),
    ),
    # ---- average
    # The mean is not 0 before blocks add to it.
    Wrong(
        "eightysix_average_not_set",
        "eightysix_average",
        "zero before | state / numbers / nan",
        (
            "    cudaMemsetAsync(mean, 0, sizeof(float), stream);\n",
            "",
        ),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightysix_average_no_atomic",
        "eightysix_average",
        "race | numbers / left out / state",
        (
            "atomicAdd(mean, s[0] / n);",
            "*mean += s[0] / n;",
        ),
    ),
    # The tree begins with a quarter.
    Wrong(
        "eightysix_average_tree_starts_low",
        "eightysix_average",
        "left out | numbers / nan / unwritten",
        (
            "int half = THREADS / 2;",
            "int half = THREADS / 4;",
        ),
    ),
    # Steps of the tree do not wait.
    Wrong(
        "eightysix_average_no_barrier_in_tree",
        "eightysix_average",
        "race | numbers / left out / other element",
        (
            "            s[tid] += s[tid + half];\n        __syncthreads();\n",
            "            s[tid] += s[tid + half];\n",
        ),
    ),
    # The division is one of integers.
    Wrong(
        "eightysix_average_of_whole_numbers",
        "eightysix_average",
        "rounding / precision / whole range | numbers / function / nan / infinity",
        (
            "atomicAdd(mean, s[0] / n);",
            "atomicAdd(mean, (float)((int)s[0] / n));",
        ),
    ),
    # ---- least
    # The smallest begins with 0.
    Wrong(
        "eightysix_least_starts_at_0",
        "eightysix_least",
        "start | numbers / left out",
        (
            "float v = INFINITY;",
            "float v = 0.0f;",
        ),
    ),
    # The second launch forgets the stream.
    Wrong(
        "eightysix_least_second_no_stream",
        "eightysix_least",
        "stream | state / race",
        (
            "min_of_parts<<<1, 32 * WARPS, 0, stream>>>",
            "min_of_parts<<<1, 32 * WARPS>>>",
        ),
    ),
    # Half of the warps are asked.
    Wrong(
        "eightysix_least_half_the_warps",
        "eightysix_least",
        "left out | numbers",
        (
            "k < WARPS; ++k",
            "k < WARPS / 2; ++k",
        ),
    ),
    # Warps do not wait for the others.
    Wrong(
        "eightysix_least_no_barrier",
        "eightysix_least",
        "race | numbers / left out / unwritten / state / other element",
        (
            "w[threadIdx.x / 32] = v;\n  __syncthreads();\n",
            "w[threadIdx.x / 32] = v;\n",
        ),
    ),
    # Parts keep the smallest of earlier calls, and begin with 0.
    Wrong(
        "eightysix_least_of_all_calls",
        "eightysix_least",
        "state / start | numbers / zero before",
        (
            "parts[blockIdx.x] = m;",
            "parts[blockIdx.x] = lower(parts[blockIdx.x], m);",
        ),
    ),
    # ---- columns
    # The pitch is that of the other side.
    Wrong(
        "eightysix_columns_pitch_of_rows",
        "eightysix_columns",
        "sides / other element / bounds | numbers / nan",
        (
            "m[(size_t)r * cols + c]",
            "m[(size_t)r * rows + c]",
        ),
    ),
    # The first row is left out.
    Wrong(
        "eightysix_columns_from_second_row",
        "eightysix_columns",
        "left out / start | numbers / nan / infinity",
        (
            "for (int r = 0; r < rows;",
            "for (int r = 1; r < rows;",
        ),
    ),
    # The total is an integer.
    Wrong(
        "eightysix_columns_whole_total",
        "eightysix_columns",
        "rounding / precision / whole range | numbers / nan / infinity",
        (
            "float total = 0;",
            "int total = 0;",
        ),
    ),
    # The sum is added to what is there.
    Wrong(
        "eightysix_columns_added_to",
        "eightysix_columns",
        "zero before | state / numbers / nan",
        (
            "sums[c] = total;",
            "sums[c] += total;",
        ),
    ),
    # There are blocks for the rows.
    Wrong(
        "eightysix_columns_blocks_for_rows",
        "eightysix_columns",
        "sides / grid / unwritten | left out / tail / nan",
        (
            "(cols + threads - 1) / threads",
            "(rows + threads - 1) / threads",
        ),
    ),
    # ---- level
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "eightysix_level_shuffles_down",
        "eightysix_level",
        "left out / other element / race | numbers / function / twice / nan / precision",
        (
            "__shfl_xor_sync(0xffffffff, v, offset)",
            "__shfl_down_sync(0xffffffff, v, offset)",
        ),
    ),
    # The variance is that of a sample.
    Wrong(
        "eightysix_level_of_a_sample",
        "eightysix_level",
        "function | numbers / precision / nan / infinity",
        (
            "warpSum(sq) / cols;",
            "warpSum(sq) / (cols - 1);",
        ),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "eightysix_level_squares_less_square",
        "eightysix_level",
        "precision | numbers / nan / infinity / function",
        (
            "        float d = in[c] - mean;\n        sq += d * d;",
            "        float d = in[c];\n        sq += d * d;",
        ),
        (
            "warpSum(sq) / cols;",
            "warpSum(sq) / cols - mean * mean;",
        ),
    ),
    # Rows are not tested.
    Wrong(
        "eightysix_level_rows_not_tested",
        "eightysix_level",
        "bounds / tail",
        (
            "    if (row >= rows) return;\n",
            "",
        ),
    ),
    # Nothing is added to the variance.
    Wrong(
        "eightysix_level_no_eps",
        "eightysix_level",
        "nan / function / infinity | numbers / precision",
        (
            "sqrtf(var + 1e-5f)",
            "sqrtf(var)",
        ),
    ),
    # ---- flip
    # The result has the pitch of the input.
    Wrong(
        "eightysix_flip_pitch_of_in",
        "eightysix_flip",
        "sides / other element / bounds | unwritten / numbers / nan / left out",
        (
            "out[x * height + y]",
            "out[x * width + y]",
        ),
    ),
    # The grid has its sides swapped.
    Wrong(
        "eightysix_flip_grid_swapped",
        "eightysix_flip",
        "sides / grid / swapped | unwritten / left out / tail / numbers",
        (
            "dim3 grid((width + 15) / 16, (height + 15) / 16);",
            "dim3 grid((height + 15) / 16, (width + 15) / 16);",
        ),
    ),
    # Integers pass through a float.
    Wrong(
        "eightysix_flip_through_float",
        "eightysix_flip",
        "precision | rounding / numbers / whole range",
        (
            "int v = in[y * width + x];",
            "float v = in[y * width + x];",
        ),
    ),
    # One of the tests is enough.
    Wrong(
        "eightysix_flip_or_for_and",
        "eightysix_flip",
        "bounds / sides / other element | tail / race / numbers / unwritten",
        (
            "x < width && y < height",
            "x < width || y < height",
        ),
    ),
    # The place has 16 bits.
    Wrong(
        "eightysix_flip_place_of_16_bits",
        "eightysix_flip",
        "narrow | unwritten / left out / other element / numbers / bounds",
        (
            "    out[x * height + y] = v;",
            "    unsigned short at = x * height + y;\n    out[at] = v;",
        ),
    ),
    # ---- tiles
    # Tiles are read before all have stored.
    Wrong(
        "eightysix_tiles_no_barrier",
        "eightysix_tiles",
        "race | numbers / unwritten / other element / left out / nan",
        (
            "    __syncthreads();\n\n",
            "",
        ),
    ),
    # The tile is read as it was written.
    Wrong(
        "eightysix_tiles_not_turned",
        "eightysix_tiles",
        "other element / sides | numbers / unwritten / nan / left out",
        (
            "tile[tx][k]",
            "tile[k][tx]",
        ),
    ),
    # Every other step is written.
    Wrong(
        "eightysix_tiles_every_other_step",
        "eightysix_tiles",
        "unwritten / left out | nan / tail / numbers",
        (
            "k = ty; k < DIM; k += STEP",
            "k = ty; k < DIM; k += 2 * STEP",
        ),
    ),
    # The test on the way out is that of the way in.
    Wrong(
        "eightysix_tiles_test_of_way_in",
        "eightysix_tiles",
        "bounds / sides / unwritten / tail | left out / nan / numbers / other element / race",
        (
            "if (c0 + k < cols && r0 + tx < rows)",
            "if (r0 + k < rows && c0 + tx < cols)",
        ),
    ),
    # Tiles stay where they were.
    Wrong(
        "eightysix_tiles_corner_of_way_in",
        "eightysix_tiles",
        "other element / sides / bounds | unwritten / numbers / race / twice / nan / left out",
        (
            "dst[(c0 + k) * rows + r0 + tx]",
            "dst[(r0 + k) * rows + c0 + tx]",
        ),
    ),
    # ---- product
    # B is read by columns.
    Wrong(
        "eightysix_product_b_turned",
        "eightysix_product",
        "sides / other element | bounds / numbers / nan / swapped",
        (
            "B[k * N + j]",
            "B[j * K + k]",
        ),
    ),
    # The last product is left out.
    Wrong(
        "eightysix_product_last_k",
        "eightysix_product",
        "left out / tail | numbers / nan",
        (
            "k < K; ++k",
            "k < K - 1; ++k",
        ),
    ),
    # Products are added to what is there.
    Wrong(
        "eightysix_product_into_c",
        "eightysix_product",
        "zero before | state / numbers / nan",
        (
            "    float acc = 0.0f;\n",
            "",
        ),
        (
            "acc += A[i * K + k] * B[k * N + j];\n    C[id] = acc;",
            "C[id] += A[i * K + k] * B[k * N + j];",
        ),
    ),
    # A is passed for B.
    Wrong(
        "eightysix_product_operands_swapped",
        "eightysix_product",
        "swapped | sides / other element / bounds / numbers / nan",
        (
            "(A, B, C, M, N, K);",
            "(B, A, C, M, N, K);",
        ),
    ),
    # Zeros in A are skipped.
    Wrong(
        "eightysix_product_zeros_skipped",
        "eightysix_product",
        "nan / infinity | numbers",
        (
            "        acc += A[i * K + k] * B[k * N + j];",
            "        if (A[i * K + k] != 0.0f)\n"
            "            acc += A[i * K + k] * B[k * N + j];",
        ),
    ),
    # ---- shares
    # The largest begins with 0.
    Wrong(
        "eightysix_shares_starts_at_0",
        "eightysix_shares",
        "start | numbers / nan / infinity / precision / subnormal",
        (
            "float top = -INFINITY;",
            "float top = 0.0f;",
        ),
    ),
    # The largest is not taken away.
    Wrong(
        "eightysix_shares_not_lowered",
        "eightysix_shares",
        "infinity / nan | numbers / function / subnormal / precision",
        (
            "total += expf(x[c] - top);",
            "total += expf(x[c]);",
        ),
        (
            "p[c] = expf(x[c] - top) / total;",
            "p[c] = expf(x[c]) / total;",
        ),
    ),
    # The sum's last step is left out.
    Wrong(
        "eightysix_shares_four_steps",
        "eightysix_shares",
        "left out / other element | numbers / function",
        (
            "m >= 1; m /= 2",
            "m > 1; m /= 2",
        ),
    ),
    # A lane writes one column.
    Wrong(
        "eightysix_shares_one_column_a_lane",
        "eightysix_shares",
        "unwritten / left out | nan / tail / numbers",
        (
            "  for (int64_t c = threadIdx.x; c < cols; c += 32)\n    p[c]",
            "  int64_t c = threadIdx.x;\n  if (c < cols)\n    p[c]",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightysix_shares_no_stream",
        "eightysix_shares",
        "stream",
        (
            "<<<blocks, block, 0, stream>>>",
            "<<<blocks, block>>>",
        ),
    ),
)

RIGHT = (
    # The count has 64 bits.
    Right(
        "eightysix_pairs_count_of_64_bits",
        "eightysix_pairs",
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        (
            "int threads = (n + 1) / 2;",
            "int threads = (int)((n + 1) / 2);",
        ),
        (
            "(a, b, c, n);",
            "(a, b, c, (int)n);",
        ),
    ),
    # A factor is chosen.
    Right(
        "eightysix_leak_factor",
        "eightysix_leak",
        (
            "v > 0.0f ? v : kSlope * v",
            "v * (v > 0.0f ? 1.0f : kSlope)",
        ),
    ),
    # There may be a block too many.
    Right(
        "eightysix_narrow_one_block_more",
        "eightysix_narrow",
        (
            "(n + block_size - 1) / block_size",
            "n / block_size + 1",
        ),
        (
            "__double2float_rn(d)",
            "static_cast<float>(d)",
        ),
    ),
    # Limits come first, of which the lower one takes NaN.
    Right(
        "eightysix_shade_limits_first",
        "eightysix_shade",
        (
            "\tfloat r = rintf(f);\n"
            "\tif (!(r > 0.0f))\n"
            "\t\treturn 0;  // NaN, too\n"
            "\tif (r > 255.0f)\n"
            "\t\treturn 255;\n"
            "\treturn (uint8_t)r;",
            "\treturn (uint8_t)rintf(fminf(fmaxf(f, 0.0f), 255.0f));",
        ),
    ),
    # The result is the first argument.
    Right(
        "eightysix_bell_result_first",
        "eightysix_bell",
        (
            "launch(const float *x,  // [n]\n                       float *y,        // [n]\n",
            "launch(float *y,        // [n]\n                       const float *x,  // [n]\n",
        ),
    ),
    # Places and counts are unsigned.
    Right(
        "eightysix_chance_unsigned",
        "eightysix_chance",
        (
            "half* y, int n) {\n  int first",
            "half* y, uint32_t n) {\n  uint32_t first",
        ),
    ),
    # A kernel sets the mean to 0.
    Right(
        "eightysix_average_kernel_sets",
        "eightysix_average",
        (
            'extern "C" void',
            '__global__ void clear(float* mean) { *mean = 0.0f; }\n\nextern "C" void',
        ),
        (
            "cudaMemsetAsync(mean, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(mean);",
        ),
    ),
    # Shuffles go down to the lane that is asked.
    Right(
        "eightysix_least_shuffles_down",
        "eightysix_least",
        (
            "__shfl_xor_sync",
            "__shfl_down_sync",
        ),
    ),
    # Rows are added from the last to the first.
    Right(
        "eightysix_columns_from_below",
        "eightysix_columns",
        (
            "int r = 0; r < rows; r++",
            "int r = rows - 1; r >= 0; r--",
        ),
    ),
    # Three blocks more are launched, without work.
    Right(
        "eightysix_level_idle_blocks",
        "eightysix_level",
        (
            "(rows + 3) / 4;",
            "(rows + 3) / 4 + 3;",
        ),
    ),
    # Blocks are 32 wide and 8 high.
    Right(
        "eightysix_flip_other_block",
        "eightysix_flip",
        (
            "dim3 block(16, 16);",
            "dim3 block(32, 8);",
        ),
        (
            "dim3 grid((width + 15) / 16, (height + 15) / 16);",
            "dim3 grid((width + 31) / 32, (height + 7) / 8);",
        ),
    ),
    # The tile has no column more.
    Right(
        "eightysix_tiles_no_padding",
        "eightysix_tiles",
        (
            "tile[DIM][DIM + 1]",
            "tile[DIM][DIM]",
        ),
    ),
    # Blocks have 192 threads.
    Right(
        "eightysix_product_other_block",
        "eightysix_product",
        (
            "(M * N + 255) / 256",
            "(M * N + 191) / 192",
        ),
        (
            "(unsigned)blocks, 256, 0",
            "(unsigned)blocks, 192, 0",
        ),
    ),
    # Exponentials are kept in the result, then divided.
    Right(
        "eightysix_shares_kept_in_p",
        "eightysix_shares",
        (
            "total += expf(x[c] - top);",
            "{\n    p[c] = expf(x[c] - top);\n    total += p[c];\n  }",
        ),
        (
            "p[c] = expf(x[c] - top) / total;",
            "p[c] /= total;",
        ),
    ),
)
