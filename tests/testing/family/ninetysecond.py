"""Hold a ninety-second family: the plain operators of a course, and their plainest mistakes.

Its bases are the sum of four float arrays, the product of halves in half2, floats to bfloat16
in packs of 8 bytes, integers of 16 bits to floats, leaky ReLU of doubles, GELU by erf of
halves, the logarithm of floats in float4, the sum of ints in 64 bits, the largest of an array
by a tree, sums of rows a block a row, softmax of columns, layer norm without gain, a transpose
by tiles with 32 x 8 threads, and the product of matrices of ints by tiles. They have 12 to 45
lines, and are as in a first half year of CUDA. Nine of them are tried with the cases that
learners get, those of `elementwise_cases` or of a function of `kernel_cases`. Their mistakes
are spread over alignment, sizes, grids, integers of 16 and 32 bits, values, rounding, NaN and
infinity, inputs that are written, outputs that are not set, sums, sides of matrices, order,
streams and formulas. The causes were written before a member was judged. There are 70 wrong
members and 14 right ones. On the emulator each ran beside PyTorch, compared as a case does,
called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in
others), with tensors at either end of their pages, the bytes behind them and their inputs
looked at afterwards, on a stream that is not the default one, with threads in order, from the
last to the first and in a random order, and in the slices that the cases name. Bases and right
ones ran all cases, wrong ones until they were wrong often enough. nvcc 13.0 compiles each base
for 8.0. None was run on a GPU. Bases and right ones are right, and all others wrong or refused
by a fault:

    ninetytwo_add_third_again               unless the third is the fourth
    ninetytwo_add_collects_in_a             unless the others are 0: a is overwritten
    ninetytwo_add_no_stream                 on another stream than the default one
    ninetytwo_add_blocks_rounded_down       unless the block size divides n
    ninetytwo_add_always_256                of other block sizes, from a second block on
    ninetytwo_mul_one_of_three              from 2 numbers on, by the addresses of a and out
    ninetytwo_mul_odd_forgotten             of odd counts, where pairs are taken
    ninetytwo_mul_half_a_pair               of odd counts, where pairs are taken
    ninetytwo_mul_adds_pairs                from 2 numbers on, where pairs are taken
    ninetytwo_mul_one_too_many              where no pairs are taken, unless the block divides n
    ninetytwo_cast_truncates                from 4 numbers on, of what lies nearer to the next
    ninetytwo_cast_second_first             from 4 numbers on
    ninetytwo_cast_one_pack_each            from 16,388 numbers on
    ninetytwo_cast_from_anywhere            from 4 numbers on, by the addresses
    ninetytwo_cast_packs_rounded_up         unless 4 divides n
    ninetytwo_raw_signed                    from 32,768 up
    ninetytwo_raw_short_index               from 65,537 numbers on
    ninetytwo_raw_through_half              of most above 2,048
    ninetytwo_raw_last_left                 always
    ninetytwo_raw_up_to_1                   unless it is 0
    ninetytwo_leaky_slope_of_float          of nearly all below 0
    ninetytwo_leaky_slope_of_tenth          of all below 0
    ninetytwo_leaky_float                   of what is no float
    ninetytwo_leaky_nan_is_0                of NaN
    ninetytwo_leaky_blocks_alike            from a second block on
    ninetytwo_gelu_by_tanh                  of many below 0
    ninetytwo_gelu_times_root               of nearly all
    ninetytwo_gelu_blocks_of_256            of blocks of less than 128, from a second block on
    ninetytwo_gelu_second_untested          of odd counts
    ninetytwo_gelu_parentheses              of nearly all: most are never written
    ninetytwo_log_base_2                    from 4 numbers on
    ninetytwo_log_never_of_0                from 4 numbers on, of 0, below it and of NaN
    ninetytwo_log_one_left                  if 2 or 3 are left
    ninetytwo_log_second_again              from 4 numbers on
    ninetytwo_log_four_times_too_far        from 8 numbers on
    ninetytwo_total_of_int                  if the sum of a thread or a warp has more bits
    ninetytwo_total_not_set                 unless the output is 0 before
    ninetytwo_total_shuffles_from_8         unless the upper lanes have 0
    ninetytwo_total_no_barrier              where threads do not wait for another
    ninetytwo_total_last_warp               from 225 numbers on
    ninetytwo_most_starts_at_0              if all are below 0
    ninetytwo_most_quarter                  if the largest is with the upper half of the threads
    ninetytwo_most_no_barrier               where threads do not wait for another
    ninetytwo_most_starts_at_own            of less than 512: what lies behind x is read
    ninetytwo_most_last_left                if the last alone is the largest
    ninetytwo_rowsum_halves_down            of blocks that are no power of two
    ninetytwo_rowsum_memory_for_256         of blocks of more than 256
    ninetytwo_rowsum_added                  unless the output is 0 before
    ninetytwo_rowsum_pitch_of_rows          from 2 rows on, unless the matrix is square
    ninetytwo_rowsum_steps_of_warp          from 33 columns on
    ninetytwo_colsoft_no_maximum            far from 0
    ninetytwo_colsoft_starts_at_0           of columns that are far below 0
    ninetytwo_colsoft_pitch_of_rows         of nearly all
    ninetytwo_colsoft_first_left            of nearly all
    ninetytwo_colsoft_grid_of_rows          of more columns than the blocks for the rows take
    ninetytwo_norm_one_less                 of nearly all
    ninetytwo_norm_no_eps                   of all but long uneven rows
    ninetytwo_norm_one_column_each          from 129 columns on
    ninetytwo_norm_squares_less_square      of rows with a mean far from 0
    ninetytwo_norm_first_row                from 2 rows on
    ninetytwo_turn_grid_of_two              from 2,097,121 rows on: the launch is refused
    ninetytwo_turn_no_barrier               where threads do not wait for another
    ninetytwo_turn_tile_not_turned          of nearly all
    ninetytwo_turn_pitch_of_input           unless the matrix is square
    ninetytwo_turn_every_other_line         from 9 columns on
    ninetytwo_matint_whole_tiles            unless 16 divides k
    ninetytwo_matint_grid_swapped           unless the tiles are as many each way
    ninetytwo_matint_sum_of_float           if a sum is above 2^24
    ninetytwo_matint_tiles_keep             unless 16 divides k
    ninetytwo_matint_tile_turned            of nearly all
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# The sum of four arrays, a number a thread.
ADD = (
    HEADER
    + """\
__global__ void addFour(const float *a, const float *b, const float *c, const float *d,
                        float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        out[i] = a[i] + b[i] + c[i] + d[i];
    }
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       const float *c,  // [n]
                       const float *d,  // [n]
                       float *out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    addFour<<<blocks, block_size, 0, stream>>>(a, b, c, d, out, n);
}
"""
)

# The product of halves: pairs if all addresses allow them, else a kernel of single ones.
MUL = (
    HEADER
    + """\
__global__ void mulPairs(const half2* a, const half2* b, half2* out, int n) {
  int p = threadIdx.x + blockIdx.x * blockDim.x;
  if (p < n / 2) out[p] = __hmul2(a[p], b[p]);
  if (p == 0 && n % 2 == 1) {
    const half* lastA = (const half*)a + n - 1;
    const half* lastB = (const half*)b + n - 1;
    ((half*)out)[n - 1] = __hmul(*lastA, *lastB);
  }
}

__global__ void mulSingles(const half* a, const half* b, half* out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) out[i] = __hmul(a[i], b[i]);
}

bool canPair(const void* p) { return ((size_t)p & 3) == 0; }

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* out,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  if (canPair(a) && canPair(b) && canPair(out)) {
    int blocks = (n / 2 + block_size) / block_size;
    mulPairs<<<blocks, block_size, 0, stream>>>((const half2*)a, (const half2*)b, (half2*)out,
                                                n);
  } else {
    int blocks = (n - 1) / block_size + 1;
    mulSingles<<<blocks, block_size, 0, stream>>>(a, b, out, n);
  }
}
"""
)

# Floats to bfloat16, four a step: 16 bytes in, 8 bytes out, in a loop over the grid.
CAST = (
    HEADER
    + """\
#define MAX_BLOCKS 16

__device__ unsigned int bf16_bits(float f) {
    return __bfloat16_as_ushort(__float2bfloat16(f));
}

__device__ unsigned int join(float first, float second) {
    return bf16_bits(first) | (bf16_bits(second) << 16);
}

__global__ void cast_kernel(const float *src, __nv_bfloat16 *dst, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int total = blockDim.x * gridDim.x;
    int num_packs = n / 4;
    for (int p = tid; p < num_packs; p += total) {
        float4 v = ((const float4 *)src)[p];
        ((uint2 *)dst)[p] = make_uint2(join(v.x, v.y), join(v.z, v.w));
    }
    int left = 4 * num_packs + tid;
    if (left < n) dst[left] = __float2bfloat16(src[left]);
}

extern "C" void launch(const float *src,    // [n] 16-byte aligned
                       __nv_bfloat16 *dst,  // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0) {
    int blocks = (n + 1023) / 1024;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    cast_kernel<<<blocks, 256, 0, stream>>>(src, dst, n);
}
"""
)

# Integers of 16 bits to floats, a number a thread.
RAW = (
    HEADER
    + """\
__global__ void raw_to_float(const uint16_t* raw, float* value, int n)
{
  const int idx = blockDim.x * blockIdx.x + threadIdx.x;
  if (idx >= n)
    return;
  value[idx] = (float)raw[idx];
}

extern "C" void launch(const uint16_t* raw,  // [n]
                       float* value,         // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
  const int grid_size = (n + block_size - 1) / block_size;
  raw_to_float<<<grid_size, block_size, 0, stream>>>(raw, value, n);
}
"""
)

# Leaky ReLU of doubles, in a loop over the grid.
LEAKY = (
    HEADER
    + """\
__global__ void leakyRelu(const double *x, double *y, int n)
{
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        double v = x[i];
        y[i] = v < 0.0 ? 0.01 * v : v;
    }
}

extern "C" void launch(const double *x,  // [n]
                       double *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > 64) blocks = 64;
    leakyRelu<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# GELU of halves by erf, two numbers beside each other a thread.
GELU = (
    HEADER
    + """\
__device__ __forceinline__ float gelu(float v) {
  return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__global__ void gelu_half(const half* in, half* out, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = __float2half(gelu(__half2float(in[i])));
  if (i + 1 < n) out[i + 1] = __float2half(gelu(__half2float(in[i + 1])));
}

extern "C" void launch(const half* in,  // [n]
                       half* out,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int per_block = 2 * block_size;
  gelu_half<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(in, out, n);
}
"""
)

# The logarithm of floats in float4; the thread after the last pack takes what is left.
LOG = (
    HEADER
    + """\
__global__ void log4(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n4 = n / 4;
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;

    if (i < n4) {
        float4 v = x4[i];
        v = make_float4(logf(v.x), logf(v.y), logf(v.z), logf(v.w));
        y4[i] = v;
    } else if (i == n4) {
        for (int j = 4 * n4; j < n; ++j)
            y[j] = logf(x[j]);
    }
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       float *y,        // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = n / 4 + 1;
    int blocks = (threads + block_size - 1) / block_size;
    log4<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of ints in 64 bits: shuffles, a part a warp, an atomic a block.
TOTAL = (
    HEADER
    + """\
#define THREADS 256
#define WARPS (THREADS / 32)

__global__ void sumInts(const int* x, unsigned long long* total, int n) {
  __shared__ long long part[WARPS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  long long s = 0;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    s += x[i];
  }
  for (int d = 16; d > 0; d /= 2) {
    s += __shfl_down_sync(0xffffffffu, s, d);
  }
  if (lane == 0) part[warp] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < WARPS; w++) s += part[w];
    atomicAdd(total, (unsigned long long)s);
  }
}

extern "C" void launch(const int* x,    // [n]
                       int64_t* total,  // [1]
                       int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
  int blocks = (n + THREADS - 1) / THREADS;
  if (blocks > 32) blocks = 32;
  sumInts<<<blocks, THREADS, 0, stream>>>(x, (unsigned long long*)total, n);
}
"""
)

# The largest of an array, by one block with a tree.
MOST = (
    HEADER
    + """\
#define N_THREADS 512

__device__ float larger(float a, float b)
{
    return b > a || b != b ? b : a;
}

__global__ void arrayMax(const float *x, float *out, int64_t n)
{
    __shared__ float sm[N_THREADS];
    int tid = threadIdx.x;
    float best = x[0];
    for (int64_t i = tid; i < n; i += N_THREADS)
        best = larger(best, x[i]);
    sm[tid] = best;
    __syncthreads();
    for (int s = N_THREADS / 2; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] = larger(sm[tid], sm[tid + s]);
        __syncthreads();
    }
    if (tid == 0)
        out[0] = sm[0];
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    arrayMax<<<1, N_THREADS, 0, stream>>>(x, out, n);
}
"""
)

# Sums of rows, a block a row of any number of threads, by a tree that halves upwards.
ROWSUM = (
    HEADER
    + """\
__global__ void row_sum(const float* x, float* sums, int rows, int cols) {
  extern __shared__ float buf[];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float acc = 0.0f;
  for (int c = t; c < cols; c += blockDim.x) acc += row[c];
  buf[t] = acc;
  __syncthreads();
  int left = blockDim.x;
  while (left > 1) {
    int half_way = (left + 1) / 2;
    if (t + half_way < left) buf[t] += buf[t + half_way];
    __syncthreads();
    left = half_way;
  }
  if (t == 0) sums[blockIdx.x] = buf[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* sums,     // [rows]
                       int rows, int cols, int block_size = 256, cudaStream_t stream = 0) {
  size_t bytes = block_size * sizeof(float);
  row_sum<<<rows, block_size, bytes, stream>>>(x, sums, rows, cols);
}
"""
)

# Softmax of columns, a thread a column.
COLSOFT = (
    HEADER
    + """\
__global__ void softmaxCols(const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;

    float maxVal = x[c];
    for (int r = 1; r < rows; r++)
        maxVal = fmaxf(maxVal, x[(size_t)r * cols + c]);

    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
        sum += expf(x[(size_t)r * cols + c] - maxVal);

    for (int r = 0; r < rows; r++) {
        size_t at = (size_t)r * cols + c;
        y[at] = expf(x[at] - maxVal) / sum;
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int threads = 128;
    int blocks = (cols + threads - 1) / threads;
    softmaxCols<<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm without gain, a block a row; sums of warps meet in shared memory.
NORM = (
    HEADER
    + """\
#define TPB 128
#define NWARPS (TPB / 32)

__device__ float warp_sum(float v) {
  for (int d = 16; d >= 1; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

__device__ float block_sum(float v) {
  __shared__ float sums[NWARPS];
  v = warp_sum(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0.0f;
  for (int w = 0; w < NWARPS; w++) all += sums[w];
  return all;
}

__global__ void norm(const float* x, float* y, float eps, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += TPB) sum += in[c];
  float mean = block_sum(sum) / cols;
  float sq = 0.0f;
  for (int c = threadIdx.x; c < cols; c += TPB) sq += (in[c] - mean) * (in[c] - mean);
  float var = block_sum(sq) / cols;
  float inv = rsqrtf(var + eps);
  for (int c = threadIdx.x; c < cols; c += TPB) out[c] = (in[c] - mean) * inv;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  norm<<<rows, TPB, 0, stream>>>(x, y, eps, cols);
}
"""
)

# A transpose by tiles with 32 x 8 threads; tiles are counted in one direction.
TURN = (
    HEADER
    + """\
#define TILE 32
#define LINES 8

__global__ void turn(const float *in, float *out, int rows, int cols, int across)
{
    __shared__ float tile[TILE][TILE + 1];
    int r0 = blockIdx.x / across * TILE;
    int c0 = blockIdx.x % across * TILE;
    int tx = threadIdx.x;

    for (int j = threadIdx.y; j < TILE; j += LINES)
        if (r0 + j < rows && c0 + tx < cols)
            tile[j][tx] = in[(size_t)(r0 + j) * cols + c0 + tx];
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += LINES)
        if (c0 + k < cols && r0 + tx < rows)
            out[(size_t)(c0 + k) * rows + r0 + tx] = tile[tx][k];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int across = (cols + TILE - 1) / TILE;
    int down = (rows + TILE - 1) / TILE;
    turn<<<across * down, dim3(TILE, LINES), 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# The product of matrices of ints by tiles of 16.
MATINT = (
    HEADER
    + """\
constexpr int TS = 16;

__global__ void matmulInt(const int* A, const int* B, int* C, int M, int N, int K) {
  __shared__ int As[TS][TS];
  __shared__ int Bs[TS][TS];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TS + ty;
  int col = blockIdx.x * TS + tx;
  int sum = 0;
  for (int t = 0; t < (K + TS - 1) / TS; ++t) {
    int ka = t * TS + tx;
    int kb = t * TS + ty;
    As[ty][tx] = row < M && ka < K ? A[(size_t)row * K + ka] : 0;
    Bs[ty][tx] = kb < K && col < N ? B[(size_t)kb * N + col] : 0;
    __syncthreads();
    for (int i = 0; i < TS; ++i) sum += As[ty][i] * Bs[i][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[(size_t)row * N + col] = sum;
}

extern "C" void launch(const int* A,  // [M, K]
                       const int* B,  // [K, N]
                       int* C,        // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0) {
  dim3 block(TS, TS);
  dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
  matmulInt<<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1000, 3), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (2, 257), (129, 130))
FLOAT = (torch.float32,)


def adds(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, one array at a time, infinities, NaN."""
    for n in (*LENGTHS, 10_007, 70_001):
        arrays = [whole(-999, 1000, n, 4 * n + k).float() for k in range(4)]
        zeros, j = [x * 0 for x in arrays], torch.arange(n)
        kinds = [("any", arrays), ("zeros", zeros)]
        for k in range(4):
            alone = [*zeros[:k], arrays[k], *zeros[k + 1 :]]
            nan = [*arrays[:k], torch.where(j % 3 == 1, NAN, arrays[k]), *arrays[k + 1 :]]
            kinds += [(f"input {k} alone", alone), (f"NaN in input {k}", nan)]
        kinds += [("infinities", [torch.where(j % 5 == 2, -INF, arrays[0]), *arrays[1:]])]
        for label, inputs in kinds:
            a, b, c, d = (x.double() for x in inputs)
            right = a + b + c + d
            for block_size in (256, 64, 512) if label == "any" else (256,):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, tuple(inputs), (right,), scalars, **options)


def leaky(x: torch.Tensor) -> torch.Tensor:
    """Compute leaky ReLU with 0.01."""
    return torch.where(x < 0, 0.01 * x, x)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Compute GELU by the error function that goes to 0, which loses nothing below 0."""
    return 0.5 * x * torch.special.erfc(-x * math.sqrt(0.5))


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add ints: any, ones, all below 0, large ones of one sign and of both, the last alone."""
    for n in (*LENGTHS, 10_007, 70_001):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("all below 0", -x.abs() - 1),
            ("large", x.abs() * 20_000_000),
            ("large, of both signs", x * 21_000_001),
            ("the least", x * 0 - 2**31),
            ("the last alone", torch.where(j == n - 1, 7, 0)),
        ):
            options = {"dtypes": (torch.int64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (y.sum().reshape(1),), **options)


def column_shares(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of columns: any, equal, far above and below 0, rising, a mask, a NaN."""
    for rows, cols in (*SIDES, (2, 5_003), (2_001, 3)):
        n = rows * cols
        x, r = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + r / 8.0),
            ("a mask", torch.where((r % 3 == 1) & (x == x), -INF, x)),
            ("NaN", torch.where((r == rows // 2) & (torch.arange(cols) % 4 == 1), NAN, x)),
        ):
            y = y.float()
            right = torch.softmax(y.double(), 0)
            slack = ((2.0**-18 * right + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, alike, zeros, about a large mean, one apart, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y, eps in (
            ("any", x, 1.0),
            ("a small eps", x, 2.0**-17),
            ("small", x / 1024, 0.25),
            ("alike", x * 0 + 8, 0.5),
            ("zeros", x * 0, 0.125),
            ("all below 0", -x.abs() - 1, 0.5),
            ("about 4,096", 4096 + x // 10, 0.5),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            slack = 2.0**-14 * (d * f).abs() + 2.0**-21 * f * v.abs().amax(1, True)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            within = (slack.nan_to_num(0.0),)
            yield Case(words, (y.float(),), (d * f,), {"eps": eps}, dtypes=FLOAT, within=within)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of ints: any, ones, large, one side of zeros, the last of k alone."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 300, 3), (300, 2, 3), (64, 48, 32))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        a = whole(-99, 100, m * k, m + k).reshape(m, k)
        b = whole(-99, 100, k * n, n).reshape(k, n)
        h = torch.arange(k)
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("large", a * 33 + 1, b * 77 + 1),
            ("zeros", a * 0, b),
            ("the last alone", torch.where(h == k - 1, a, 0), b),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s.int(), t.int()), (s @ t,), dtypes=(torch.int32,))


BASES = {
    "ninetytwo_add": Base(ADD, {"cases": adds}),
    "ninetytwo_mul": Base(MUL, {"reference": "multiply"}),
    "ninetytwo_cast": Base(CAST, {"reference": "cast"}),
    "ninetytwo_raw": Base(RAW, {"reference": "cast"}),
    "ninetytwo_leaky": Base(LEAKY, {"reference": leaky}),
    "ninetytwo_gelu": Base(GELU, {"reference": gelu, "ulp": 2}),
    "ninetytwo_log": Base(LOG, {"reference": torch.log, "ulp": 2}),
    "ninetytwo_total": Base(TOTAL, {"cases": totals}),
    "ninetytwo_most": Base(MOST, cases="whole_array", function=torch.max),
    "ninetytwo_rowsum": Base(ROWSUM, cases="promises"),
    "ninetytwo_colsoft": Base(COLSOFT, {"cases": column_shares}),
    "ninetytwo_norm": Base(NORM, {"cases": norms}),
    "ninetytwo_turn": Base(TURN, cases="transpose"),
    "ninetytwo_matint": Base(MATINT, {"cases": products}),
}

WRONG = (
    # ---- add
    # The third is added twice, the fourth never.
    Wrong(
        "ninetytwo_add_third_again",
        "ninetytwo_add",
        "left out / twice / swapped | numbers / function / nan / copy / infinity",
        ("c[i] + d[i]", "c[i] + c[i]"),
    ),
    # The sum is collected in a.
    Wrong(
        "ninetytwo_add_collects_in_a",
        "ninetytwo_add",
        "input | state / numbers",
        ("addFour(const float *a, ", "addFour(float *a, "),
        (
            "        out[i] = a[i] + b[i] + c[i] + d[i];",
            "        a[i] += b[i];\n        a[i] += c[i];\n        a[i] += d[i];\n"
            "        out[i] = a[i];",
        ),
        ("(a, b, c, d, out, n);", "((float *)a, b, c, d, out, n);"),
    ),
    # The launch is on the default stream.
    Wrong(
        "ninetytwo_add_no_stream",
        "ninetytwo_add",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "ninetytwo_add_blocks_rounded_down",
        "ninetytwo_add",
        "grid / tail / unwritten | refused / left out / nan",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # The kernel takes 256 for the block size.
    Wrong(
        "ninetytwo_add_always_256",
        "ninetytwo_add",
        "block size | unwritten / left out / twice / race / other element / tail / grid",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # ---- mul
    # Only one of the addresses is looked at.
    Wrong(
        "ninetytwo_mul_one_of_three",
        "ninetytwo_mul",
        "alignment",
        ("canPair(a) && canPair(b) && canPair(out)", "canPair(b)"),
    ),
    # Where pairs are taken, an odd last one is not.
    Wrong(
        "ninetytwo_mul_odd_forgotten",
        "ninetytwo_mul",
        "tail / unwritten | left out / nan",
        (
            "  if (p == 0 && n % 2 == 1) {\n"
            "    const half* lastA = (const half*)a + n - 1;\n"
            "    const half* lastB = (const half*)b + n - 1;\n"
            "    ((half*)out)[n - 1] = __hmul(*lastA, *lastB);\n"
            "  }\n",
            "",
        ),
    ),
    # An odd last one is taken as a pair.
    Wrong(
        "ninetytwo_mul_half_a_pair",
        "ninetytwo_mul",
        "bounds / tail | alignment",
        ("if (p < n / 2) out", "if (p < (n + 1) / 2) out"),
    ),
    # Pairs are added.
    Wrong(
        "ninetytwo_mul_adds_pairs",
        "ninetytwo_mul",
        "function | numbers / nan / infinity / sign of zero",
        ("__hmul2(a[p], b[p])", "__hadd2(a[p], b[p])"),
    ),
    # The kernel of single ones goes one too far.
    Wrong(
        "ninetytwo_mul_one_too_many",
        "ninetytwo_mul",
        "bounds | tail / alignment",
        ("if (i < n) out", "if (i <= n) out"),
    ),
    # ---- cast
    # In packs the lower bits are cut off.
    Wrong(
        "ninetytwo_cast_truncates",
        "ninetytwo_cast",
        "rounding | nan / numbers / infinity / subnormal",
        (
            "return __bfloat16_as_ushort(__float2bfloat16(f));",
            "return __float_as_uint(f) >> 16;",
        ),
    ),
    # The two of a word have changed places.
    Wrong(
        "ninetytwo_cast_second_first",
        "ninetytwo_cast",
        "neighbour / swapped / other element | numbers",
        (
            "bf16_bits(first) | (bf16_bits(second) << 16)",
            "(bf16_bits(first) << 16) | bf16_bits(second)",
        ),
    ),
    # The number of blocks has a limit, and a thread takes one pack.
    Wrong(
        "ninetytwo_cast_one_pack_each",
        "ninetytwo_cast",
        "grid / unwritten / left out | tail / nan / numbers",
        (
            "    for (int p = tid; p < num_packs; p += total) {",
            "    int p = tid;\n    if (p < num_packs) {",
        ),
    ),
    # Packs begin anywhere.
    Wrong(
        "ninetytwo_cast_from_anywhere",
        "ninetytwo_cast",
        "alignment",
        ("// [n] 16-byte aligned", "// [n]"),
        ("// [n] 8-byte aligned", "// [n]"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "ninetytwo_cast_packs_rounded_up",
        "ninetytwo_cast",
        "bounds / tail | alignment",
        ("int num_packs = n / 4;", "int num_packs = (n + 3) / 4;"),
    ),
    # ---- raw
    # The upper half of the numbers is taken for numbers below 0.
    Wrong(
        "ninetytwo_raw_signed",
        "ninetytwo_raw",
        "whole range | numbers / function",
        ("(float)raw[idx]", "(float)(int16_t)raw[idx]"),
    ),
    # The index has 16 bits.
    Wrong(
        "ninetytwo_raw_short_index",
        "ninetytwo_raw",
        "narrow / unwritten | whole range / left out / grid / tail / nan / twice",
        ("const int idx =", "const unsigned short idx ="),
    ),
    # The numbers go through halves.
    Wrong(
        "ninetytwo_raw_through_half",
        "ninetytwo_raw",
        "precision / rounding / infinity | numbers / whole range",
        ("(float)raw[idx]", "__half2float(__ushort2half_rn(raw[idx]))"),
    ),
    # The last one is left.
    Wrong(
        "ninetytwo_raw_last_left",
        "ninetytwo_raw",
        "tail / unwritten | left out / nan",
        ("if (idx >= n)", "if (idx >= n - 1)"),
    ),
    # 1 is made of the largest number.
    Wrong(
        "ninetytwo_raw_up_to_1",
        "ninetytwo_raw",
        "function | numbers / whole range",
        ("(float)raw[idx]", "raw[idx] / 65535.0f"),
    ),
    # ---- leaky
    # The slope is a float.
    Wrong(
        "ninetytwo_leaky_slope_of_float",
        "ninetytwo_leaky",
        "precision | numbers / function / rounding",
        ("0.01 * v", "0.01f * v"),
    ),
    # The slope is ten times as large.
    Wrong(
        "ninetytwo_leaky_slope_of_tenth",
        "ninetytwo_leaky",
        "function | numbers",
        ("0.01 * v", "0.1 * v"),
    ),
    # The numbers are floats.
    Wrong(
        "ninetytwo_leaky_float",
        "ninetytwo_leaky",
        "precision | numbers / rounding / infinity / subnormal / narrow",
        ("double v = x[i];", "float v = x[i];"),
    ),
    # Both parts are found by functions that drop a NaN.
    Wrong(
        "ninetytwo_leaky_nan_is_0",
        "ninetytwo_leaky",
        "nan | sign of zero",
        ("v < 0.0 ? 0.01 * v : v", "fmax(v, 0.0) + 0.01 * fmin(v, 0.0)"),
    ),
    # Each block begins with the first numbers.
    Wrong(
        "ninetytwo_leaky_blocks_alike",
        "ninetytwo_leaky",
        "unwritten / left out | tail / grid / nan / race / twice / block size",
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; i", "int i = threadIdx.x; i"),
    ),
    # ---- gelu
    # The formula is the one with tanh.
    Wrong(
        "ninetytwo_gelu_by_tanh",
        "ninetytwo_gelu",
        "function / precision | numbers",
        (
            "erff(v * 0.70710678f)",
            "tanhf(0.79788456f * (v + 0.044715f * v * v * v))",
        ),
    ),
    # The number is multiplied by the root of 2.
    Wrong(
        "ninetytwo_gelu_times_root",
        "ninetytwo_gelu",
        "function | numbers",
        ("0.70710678f", "1.41421356f"),
    ),
    # Blocks are counted for 256 numbers each, whatever their size.
    Wrong(
        "ninetytwo_gelu_blocks_of_256",
        "ninetytwo_gelu",
        "block size / grid / unwritten | left out / tail / nan",
        ("int per_block = 2 * block_size;", "int per_block = 256;"),
    ),
    # The second of a thread is not tested.
    Wrong(
        "ninetytwo_gelu_second_untested",
        "ninetytwo_gelu",
        "bounds / tail | alignment",
        ("if (i + 1 < n) out", "if (i < n) out"),
    ),
    # The 2 belongs to the blocks only.
    Wrong(
        "ninetytwo_gelu_parentheses",
        "ninetytwo_gelu",
        "unwritten / left out | tail / nan / race / twice / grid / neighbour / block size",
        (
            "2 * (blockIdx.x * blockDim.x + threadIdx.x)",
            "2 * blockIdx.x * blockDim.x + threadIdx.x",
        ),
    ),
    # ---- log
    # In packs the logarithm has base 2.
    Wrong(
        "ninetytwo_log_base_2",
        "ninetytwo_log",
        "function | numbers / precision",
        (
            "make_float4(logf(v.x), logf(v.y), logf(v.z), logf(v.w))",
            "make_float4(log2f(v.x), log2f(v.y), log2f(v.z), log2f(v.w))",
        ),
    ),
    # In packs, 0 and less are kept away from the logarithm.
    Wrong(
        "ninetytwo_log_never_of_0",
        "ninetytwo_log",
        "infinity / nan | numbers / function / subnormal / sign of zero / copy / whole range",
        (
            "float4 v = x4[i];\n",
            "float4 v = x4[i];\n"
            "        v = make_float4(fmaxf(v.x, FLT_MIN), fmaxf(v.y, FLT_MIN),\n"
            "                        fmaxf(v.z, FLT_MIN), fmaxf(v.w, FLT_MIN));\n",
        ),
    ),
    # What is left is one at most.
    Wrong(
        "ninetytwo_log_one_left",
        "ninetytwo_log",
        "tail / unwritten | left out / nan",
        ("for (int j = 4 * n4; j < n; ++j)", "int j = 4 * n4;\n        if (j < n)"),
    ),
    # The third of a pack is the second.
    Wrong(
        "ninetytwo_log_second_again",
        "ninetytwo_log",
        "other element / neighbour / twice / left out | numbers / copy / swapped",
        ("logf(v.z)", "logf(v.y)"),
    ),
    # The index of a pack is multiplied by 4.
    Wrong(
        "ninetytwo_log_four_times_too_far",
        "ninetytwo_log",
        "bounds / other element | numbers / left out / alignment",
        ("float4 v = x4[i];", "float4 v = x4[4 * i];"),
    ),
    # ---- total
    # A thread adds in 32 bits.
    Wrong(
        "ninetytwo_total_of_int",
        "ninetytwo_total",
        "narrow / whole range | numbers / infinity",
        ("  long long s = 0;", "  int s = 0;"),
    ),
    # The total is not set to 0.
    Wrong(
        "ninetytwo_total_not_set",
        "ninetytwo_total",
        "zero before / state | start",
        ("  cudaMemsetAsync(total, 0, sizeof(int64_t), stream);\n", ""),
    ),
    # Shuffles begin with 8.
    Wrong(
        "ninetytwo_total_shuffles_from_8",
        "ninetytwo_total",
        "left out | numbers / other element / start",
        ("int d = 16;", "int d = 8;"),
    ),
    # The parts are read before they are stored.
    Wrong(
        "ninetytwo_total_no_barrier",
        "ninetytwo_total",
        "race | numbers / unwritten / left out / state",
        ("part[warp] = s;\n  __syncthreads();\n", "part[warp] = s;\n"),
    ),
    # The last warp is left out.
    Wrong(
        "ninetytwo_total_last_warp",
        "ninetytwo_total",
        "left out | numbers / tail",
        ("w < WARPS; w++", "w < WARPS - 1; w++"),
    ),
    # ---- most
    # The largest begins with 0.
    Wrong(
        "ninetytwo_most_starts_at_0",
        "ninetytwo_most",
        "start | numbers",
        ("float best = x[0];", "float best = 0.0f;"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "ninetytwo_most_quarter",
        "ninetytwo_most",
        "left out | numbers / start / other element / tail",
        ("int s = N_THREADS / 2;", "int s = N_THREADS / 4;"),
    ),
    # Levels of the tree do not wait for each other.
    Wrong(
        "ninetytwo_most_no_barrier",
        "ninetytwo_most",
        "race | numbers / left out / unwritten",
        (
            "sm[tid + s]);\n        __syncthreads();\n",
            "sm[tid + s]);\n",
        ),
    ),
    # Each thread begins with a number of its own, which may not be there.
    Wrong(
        "ninetytwo_most_starts_at_own",
        "ninetytwo_most",
        "bounds | numbers / tail / nan / start",
        ("float best = x[0];", "float best = x[tid];"),
    ),
    # The last one is not looked at.
    Wrong(
        "ninetytwo_most_last_left",
        "ninetytwo_most",
        "tail / left out | numbers",
        ("i < n; i += N_THREADS", "i < n - 1; i += N_THREADS"),
    ),
    # ---- rowsum
    # The tree halves downwards, whatever the block size.
    Wrong(
        "ninetytwo_rowsum_halves_down",
        "ninetytwo_rowsum",
        "left out | numbers / block size / twice",
        ("(left + 1) / 2", "left / 2"),
        ("if (t + half_way < left)", "if (t < half_way)"),
    ),
    # Shared memory is for 256 threads.
    Wrong(
        "ninetytwo_rowsum_memory_for_256",
        "ninetytwo_rowsum",
        "bounds / block size | refused",
        ("block_size * sizeof(float)", "256 * sizeof(float)"),
    ),
    # The sum is added to what is there.
    Wrong(
        "ninetytwo_rowsum_added",
        "ninetytwo_rowsum",
        "zero before / state | start / nan / numbers",
        ("sums[blockIdx.x] = buf[0];", "sums[blockIdx.x] += buf[0];"),
    ),
    # Rows have the pitch of the other side.
    Wrong(
        "ninetytwo_rowsum_pitch_of_rows",
        "ninetytwo_rowsum",
        "sides / other element / bounds | numbers / swapped",
        ("(size_t)blockIdx.x * cols", "(size_t)blockIdx.x * rows"),
    ),
    # Threads step by a warp.
    Wrong(
        "ninetytwo_rowsum_steps_of_warp",
        "ninetytwo_rowsum",
        "twice / block size / other element | numbers",
        ("c += blockDim.x", "c += 32"),
    ),
    # ---- colsoft
    # The largest is not taken away.
    Wrong(
        "ninetytwo_colsoft_no_maximum",
        "ninetytwo_colsoft",
        "infinity / nan | numbers / function / precision / whole range",
        (
            "sum += expf(x[(size_t)r * cols + c] - maxVal);",
            "sum += expf(x[(size_t)r * cols + c]);",
        ),
        ("y[at] = expf(x[at] - maxVal) / sum;", "y[at] = expf(x[at]) / sum;"),
    ),
    # The largest begins with 0.
    Wrong(
        "ninetytwo_colsoft_starts_at_0",
        "ninetytwo_colsoft",
        "start | numbers / nan / infinity / precision / subnormal",
        (
            "float maxVal = x[c];\n    for (int r = 1;",
            "float maxVal = 0.0f;\n    for (int r = 0;",
        ),
    ),
    # What is added up lies along a row.
    Wrong(
        "ninetytwo_colsoft_pitch_of_rows",
        "ninetytwo_colsoft",
        "sides / other element / bounds / swapped | numbers / nan",
        ("sum += expf(x[(size_t)r * cols + c]", "sum += expf(x[(size_t)c * rows + r]"),
    ),
    # The first of a column is not added.
    Wrong(
        "ninetytwo_colsoft_first_left",
        "ninetytwo_colsoft",
        "left out | numbers / function / nan / infinity / start",
        (
            "float sum = 0.0f;\n    for (int r = 0;",
            "float sum = 0.0f;\n    for (int r = 1;",
        ),
    ),
    # There are blocks for the rows.
    Wrong(
        "ninetytwo_colsoft_grid_of_rows",
        "ninetytwo_colsoft",
        "grid / sides / unwritten | left out / tail / nan / swapped",
        ("(cols + threads - 1) / threads", "(rows + threads - 1) / threads"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "ninetytwo_norm_one_less",
        "ninetytwo_norm",
        "function | numbers / nan / infinity",
        ("block_sum(sq) / cols;", "block_sum(sq) / (cols - 1);"),
    ),
    # Nothing is added to the variance.
    Wrong(
        "ninetytwo_norm_no_eps",
        "ninetytwo_norm",
        "function / left out / nan / infinity | numbers / precision",
        ("rsqrtf(var + eps)", "rsqrtf(var)"),
    ),
    # A thread adds one column to the mean.
    Wrong(
        "ninetytwo_norm_one_column_each",
        "ninetytwo_norm",
        "left out | numbers / function / tail / nan",
        (
            "  for (int c = threadIdx.x; c < cols; c += TPB) sum += in[c];",
            "  if (threadIdx.x < cols) sum += in[threadIdx.x];",
        ),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "ninetytwo_norm_squares_less_square",
        "ninetytwo_norm",
        "precision | numbers / nan / infinity / function",
        ("sq += (in[c] - mean) * (in[c] - mean);", "sq += in[c] * in[c];"),
        ("block_sum(sq) / cols;", "block_sum(sq) / cols - mean * mean;"),
    ),
    # All rows are written to the first.
    Wrong(
        "ninetytwo_norm_first_row",
        "ninetytwo_norm",
        "unwritten / race / left out / other element | numbers / nan / tail",
        ("float* out = y + (size_t)blockIdx.x * cols;", "float* out = y;"),
    ),
    # ---- turn
    # Tiles below each other are blocks in y, of which there may be 65,535.
    Wrong(
        "ninetytwo_turn_grid_of_two",
        "ninetytwo_turn",
        "grid / refused",
        ("blockIdx.x / across * TILE", "blockIdx.y * TILE"),
        ("blockIdx.x % across * TILE", "blockIdx.x * TILE"),
        ("<<<across * down, ", "<<<dim3(across, down), "),
    ),
    # The tile is read before it is stored.
    Wrong(
        "ninetytwo_turn_no_barrier",
        "ninetytwo_turn",
        "race | numbers / unwritten / other element / nan / left out",
        ("    __syncthreads();\n", ""),
    ),
    # The tile is read as it was stored.
    Wrong(
        "ninetytwo_turn_tile_not_turned",
        "ninetytwo_turn",
        "other element / sides / swapped | numbers / unwritten / nan / race / function / copy",
        ("= tile[tx][k];", "= tile[k][tx];"),
    ),
    # Rows of the output have the pitch of the input.
    Wrong(
        "ninetytwo_turn_pitch_of_input",
        "ninetytwo_turn",
        "sides / other element / bounds / race / unwritten | numbers / swapped / nan",
        ("(size_t)(c0 + k) * rows + r0", "(size_t)(c0 + k) * cols + r0"),
    ),
    # Every other line is stored.
    Wrong(
        "ninetytwo_turn_every_other_line",
        "ninetytwo_turn",
        "unwritten / left out | nan / tail / block size",
        ("k < TILE; k += LINES", "k < TILE; k += 2 * LINES"),
    ),
    # ---- matint
    # Only whole tiles of k are taken.
    Wrong(
        "ninetytwo_matint_whole_tiles",
        "ninetytwo_matint",
        "left out / tail | numbers",
        ("t < (K + TS - 1) / TS;", "t < K / TS;"),
    ),
    # The sides of the grid have changed places.
    Wrong(
        "ninetytwo_matint_grid_swapped",
        "ninetytwo_matint",
        "grid / sides / unwritten / swapped | left out / tail / numbers",
        (
            "grid((N + TS - 1) / TS, (M + TS - 1) / TS)",
            "grid((M + TS - 1) / TS, (N + TS - 1) / TS)",
        ),
    ),
    # The sum is a float.
    Wrong(
        "ninetytwo_matint_sum_of_float",
        "ninetytwo_matint",
        "precision / narrow | numbers / rounding / whole range",
        ("int sum = 0;", "float sum = 0.0f;"),
    ),
    # Beyond k the tiles keep what they had.
    Wrong(
        "ninetytwo_matint_tiles_keep",
        "ninetytwo_matint",
        "tail / unwritten / twice / other element | numbers / race / state / bounds",
        (
            "    As[ty][tx] = row < M && ka < K ? A[(size_t)row * K + ka] : 0;",
            "    if (row < M && ka < K) As[ty][tx] = A[(size_t)row * K + ka];",
        ),
        (
            "    Bs[ty][tx] = kb < K && col < N ? B[(size_t)kb * N + col] : 0;",
            "    if (kb < K && col < N) Bs[ty][tx] = B[(size_t)kb * N + col];",
        ),
    ),
    # Tiles of the first are stored turned.
    Wrong(
        "ninetytwo_matint_tile_turned",
        "ninetytwo_matint",
        "other element / swapped / sides | numbers",
        ("As[ty][tx] = row", "As[tx][ty] = row"),
    ),
)

RIGHT = (
    # All counts have 64 bits.
    Right(
        "ninetytwo_add_64_bits",
        "ninetytwo_add",
        ("float *out, int n)\n", "float *out, int64_t n)\n"),
        ("int i = blockIdx.x * blockDim.x", "int64_t i = (int64_t)blockIdx.x * blockDim.x"),
        ("int n, int block_size", "int64_t n, int block_size"),
        ("int blocks = (n", "int64_t blocks = (n"),
    ),
    # Pairs are multiplied as floats.
    Right(
        "ninetytwo_mul_as_floats",
        "ninetytwo_mul",
        (
            "  if (p < n / 2) out[p] = __hmul2(a[p], b[p]);\n",
            "  if (p < n / 2) {\n"
            "    float2 u = __half22float2(a[p]), v = __half22float2(b[p]);\n"
            "    out[p] = __floats2half2_rn(u.x * v.x, u.y * v.y);\n"
            "  }\n",
        ),
    ),
    # Blocks are rounded up otherwise, and the limit is another.
    Right(
        "ninetytwo_cast_blocks_otherwise",
        "ninetytwo_cast",
        ("#define MAX_BLOCKS 16", "#define MAX_BLOCKS 7"),
        ("(n + 1023) / 1024", "n / 1024 + 1"),
    ),
    # There is a block that may have nothing to do.
    Right(
        "ninetytwo_raw_idle_block",
        "ninetytwo_raw",
        ("(n + block_size - 1) / block_size", "n / block_size + 1"),
    ),
    # The factor is 0.01 or 1.
    Right(
        "ninetytwo_leaky_factor",
        "ninetytwo_leaky",
        ("v < 0.0 ? 0.01 * v : v", "v * (v < 0.0 ? 0.01 : 1.0)"),
    ),
    # The output comes first, and the block is smaller.
    Right(
        "ninetytwo_gelu_output_first",
        "ninetytwo_gelu",
        (
            "launch(const half* in,  // [n]\n                       half* out,       // [n]",
            "launch(half* out,       // [n]\n                       const half* in,  // [n]",
        ),
        ("int block_size = 128", "int block_size = 32"),
    ),
    # What is left is taken by the first threads.
    Right(
        "ninetytwo_log_first_threads",
        "ninetytwo_log",
        (
            "    } else if (i == n4) {\n"
            "        for (int j = 4 * n4; j < n; ++j)\n"
            "            y[j] = logf(x[j]);\n"
            "    }",
            "    }\n    if (i < n % 4)\n        y[n - 1 - i] = logf(x[n - 1 - i]);",
        ),
        ("int threads = n / 4 + 1;", "int threads = n / 4 > 3 ? n / 4 : 3;"),
    ),
    # A kernel sets the total to 0.
    Right(
        "ninetytwo_total_set_by_kernel",
        "ninetytwo_total",
        (
            'extern "C" void launch(',
            "__global__ void setToZero(int64_t* total) { total[0] = 0; }\n\n"
            'extern "C" void launch(',
        ),
        (
            "cudaMemsetAsync(total, 0, sizeof(int64_t), stream);",
            "setToZero<<<1, 1, 0, stream>>>(total);",
        ),
    ),
    # Threads are 1,024, and begin with less than all.
    Right(
        "ninetytwo_most_1024",
        "ninetytwo_most",
        ("#define N_THREADS 512", "#define N_THREADS 1024"),
        ("float best = x[0];", "float best = -INFINITY;"),
    ),
    # The first thread adds all.
    Right(
        "ninetytwo_rowsum_first_thread",
        "ninetytwo_rowsum",
        (
            "  int left = blockDim.x;\n"
            "  while (left > 1) {\n"
            "    int half_way = (left + 1) / 2;\n"
            "    if (t + half_way < left) buf[t] += buf[t + half_way];\n"
            "    __syncthreads();\n"
            "    left = half_way;\n"
            "  }\n"
            "  if (t == 0) sums[blockIdx.x] = buf[0];",
            "  if (t > 0) return;\n"
            "  for (int k = 1; k < blockDim.x; k++) acc += buf[k];\n"
            "  sums[blockIdx.x] = acc;",
        ),
    ),
    # The output keeps the exponentials until the sum is known.
    Right(
        "ninetytwo_colsoft_kept",
        "ninetytwo_colsoft",
        (
            "        sum += expf(x[(size_t)r * cols + c] - maxVal);",
            "        sum += y[(size_t)r * cols + c] = expf(x[(size_t)r * cols + c] - maxVal);",
        ),
        ("y[at] = expf(x[at] - maxVal) / sum;", "y[at] = y[at] / sum;"),
    ),
    # A block is a warp.
    Right(
        "ninetytwo_norm_one_warp",
        "ninetytwo_norm",
        ("#define TPB 128", "#define TPB 32"),
    ),
    # There are more blocks than tiles.
    Right(
        "ninetytwo_turn_idle_blocks",
        "ninetytwo_turn",
        ("<<<across * down, ", "<<<across * (down + 1), "),
    ),
    # The sum has no sign.
    Right(
        "ninetytwo_matint_unsigned",
        "ninetytwo_matint",
        ("int sum = 0;", "uint32_t sum = 0;"),
        ("sum += As[ty][i] * Bs[i][tx];", "sum += (uint32_t)As[ty][i] * (uint32_t)Bs[i][tx];"),
        ("+ col] = sum;", "+ col] = (int)sum;"),
    ),
)
